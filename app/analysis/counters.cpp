#include "analysis/counters.h"

#include <algorithm>

namespace analysis {
namespace {

using trace::Kind;
using trace::Space;

Which every() { return {}; }
Which of(Kind kind, Space space = Space::none) { return {kind, space, {}}; }
Which fma_on(trace::Unit unit) { return {{}, Space::none, unit}; }

} // namespace

bool counts(const Which& which, const trace::Instruction& i) {
    return (!which.kind || i.kind == *which.kind) && (which.space == Space::none || i.space == which.space) &&
           (!which.fma_on || (i.role == trace::Role::fma && i.unit == *which.fma_on));
}

const std::vector<CounterRow>& counter_rows() {
#define COUNTER(name, sum, which, told) {Counter::name, #name, Sum::sum, which, Told::told, &Totals::name},
    static const std::vector<CounterRow> rows{
#include "analysis/counter_table.inc"
    };
#undef COUNTER
    return rows;
}

std::vector<CounterField> fields(const CounterRow& row, const Totals& totals) {
    if (const auto* number = std::get_if<uint64_t Totals::*>(&row.member)) return {{"", totals.*(*number)}};
    if (const auto* shared = std::get_if<SharedTotals Totals::*>(&row.member)) {
        const SharedTotals& t = totals.*(*shared);
        return {{"instructions", t.instructions},
                {"wavefronts", t.wavefronts},
                {"wavefronts_ideal", t.wavefronts_ideal},
                {"wavefronts_excessive", t.wavefronts - t.wavefronts_ideal}};
    }
    const GlobalTotals& t = totals.*std::get<GlobalTotals Totals::*>(row.member);
    return {{"instructions", t.instructions},
            {"sectors", t.sectors},
            {"sectors_ideal", t.sectors_ideal},
            {"sectors_excessive", t.sectors - t.sectors_ideal, true}};
}

bool is_zero(const CounterRow& row, const Totals& totals) {
    const auto all = fields(row, totals);
    return std::all_of(all.begin(), all.end(), [](const CounterField& field) { return field.value == 0; });
}

void set(const CounterRow& row, const Amounts& a, Totals& totals) {
    if (const auto* number = std::get_if<uint64_t Totals::*>(&row.member))
        totals.*(*number) = row.sum == Sum::threads ? a.threads : row.sum == Sum::flop ? a.flop : a.instructions;
    else if (const auto* shared = std::get_if<SharedTotals Totals::*>(&row.member))
        totals.*(*shared) = {a.instructions, a.moved, a.ideal};
    else totals.*std::get<GlobalTotals Totals::*>(row.member) = {a.instructions, a.moved, a.ideal};
}

Totals totals(const trace::Listing& listing, const trace::Counts& all) {
    Totals totals;
    for (const CounterRow& row : counter_rows()) {
        Amounts sum;
        for (size_t pc = 0; pc < std::min(listing.instructions.size(), all.size()); ++pc) {
            const trace::Instruction& i = listing.instructions[pc];
            const trace::InstructionCounts& c = all[pc];
            if (!counts(row.which, i)) continue;
            sum.instructions += c.executed, sum.threads += c.threads, sum.flop += c.executed * i.flop;
            sum.moved += row.sum == Sum::wavefronts ? c.wavefronts : c.sectors;
            sum.ideal += row.sum == Sum::wavefronts ? c.wavefronts_ideal : c.sectors_ideal;
        }
        set(row, sum, totals);
    }
    return totals;
}

double fma_percent(const Totals& t) {
    const uint64_t fma = t.ffma_thread_instructions + t.dfma_thread_instructions;
    return t.thread_instructions ? 100.0 * static_cast<double>(fma) / static_cast<double>(t.thread_instructions) : 0;
}

double flop_per_instruction(const Totals& t) {
    const uint64_t flop = 2 * (t.ffma_thread_instructions + t.dfma_thread_instructions) + t.tensor_core_flop;
    return t.instructions_executed ? static_cast<double>(flop) / static_cast<double>(t.instructions_executed) : 0;
}

} // namespace analysis
