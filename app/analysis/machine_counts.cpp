#include "analysis/machine_counts.h"

#include "analysis/machine_match.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>

namespace analysis {
namespace {

using trace::Kind;
using trace::Space;

constexpr const char* unknown_names[] = {"nothing", "no_machine_code", "no_lines", "indirect_branch", "unmatched",
                                         "moved",   "guard",           "width",    "merged",          "diverged"};
// Counts one counter's machine instructions, with the numbers of the PTX instructions that they came from.
class Conversion {
public:
    Conversion(const MachineMatch& match, const trace::Listing& listing, const trace::Counts& counts,
               const trace::MachineListing& code)
        : match_(match), listing_(listing), counts_(counts), code_(code) {}

    MachineCounts run() {
        MachineCounts result;
        result.totals = totals(listing_, counts_);
        for (const CounterRow& row : counter_rows()) {
            if (row.program != Program::machine_code) continue;
            basis_ = {Unknown::nothing, 0};
            sum_ = {};
            count(row.counter);
            result.basis[static_cast<size_t>(row.counter)] = basis_;
            if (basis_.machine()) set(row, sum_, result.totals);
        }
        return result;
    }

private:
    void count(Counter counter) {
        for (size_t m = 0; m < code_.instructions.size(); ++m) {
            const trace::MachineInstruction& one = code_.instructions[m];
            if (counter_of(one.kind, one.space) == counter && match_.pc_of(m) < 0) count_unmatched(m, counter);
        }
        for (size_t pc = 0; pc < listing_.instructions.size() && basis_.machine(); ++pc) {
            const trace::Instruction& i = listing_.instructions[pc];
            if (counter_of(i.kind, i.space) != counter) continue;
            if (match_.copies(pc).empty()) count_missing(pc);
            else if (counter == Counter::ffma_thread_instructions) count_arithmetic(pc);
            else count_access(pc);
        }
    }

    // A multiply-add that is part of something else, such as a division: every lane executes it that comes to its region.
    // A load that no lane executes, which ptxas puts before asynchronous copies, is issued all the same.
    void count_unmatched(size_t m, Counter counter) {
        const trace::MachineInstruction& one = code_.instructions[m];
        const std::vector<uint32_t>& partners = match_.partners_of_machine(m).strong();
        if (one.guard == one.always && one.guard_negated && !partners.empty() && agree(partners)) {
            sum_.instructions += counts_[partners.front()].executed;
            return;
        }
        const auto threads = !partners.empty() && agree(partners) ? arriving(partners.front()) : std::nullopt;
        if (counter != Counter::ffma_thread_instructions || one.guarded() || !threads)
            return give_up(Unknown::unmatched, one.source_line);
        sum_.threads += *threads;
    }

    // Arithmetic and loads whose value is known already are left out, and scalar accesses are fused into one that has the line of
    // another. Stores must be somewhere.
    void count_missing(size_t pc) {
        const trace::Instruction& i = listing_.instructions[pc];
        if (i.kind == Kind::fma || i.kind == Kind::load || counts_[pc].executed == 0) return;
        for (size_t other = 0; other < listing_.instructions.size() && i.kind == Kind::store; ++other) {
            const trace::Instruction& o = listing_.instructions[other];
            if (o.kind != i.kind || o.space != i.space || match_.ptx().block[other] != match_.ptx().block[pc]) continue;
            if (base_of(i) < 0 || base_of(o) != base_of(i)) continue;
            for (uint32_t m : match_.copies(other)) // as wide as the distance, at least
                if (code_.instructions[m].bytes > o.bytes &&
                    std::abs(o.displacement - i.displacement) < code_.instructions[m].bytes)
                    return;
        }
        give_up(Unknown::merged, i.source_line);
    }

    void count_arithmetic(size_t pc) {
        const trace::Instruction& i = listing_.instructions[pc];
        const std::vector<uint32_t>& partners = match_.partners(pc).best();
        const bool same_place =
            !partners.empty() && match_.ptx().region_of(partners.front()) == match_.ptx().region_of(pc);
        if (match_.guarded(pc)) { // the predicate must be what the PTX branches on
            if (!i.guarded() && (partners.empty() || same_place)) return give_up(Unknown::guard, i.source_line);
        } else if (!match_.partners(pc).strong().empty() && !same_place) { // moved: all lanes that come here execute it
            const auto threads = agree(partners) ? arriving(partners.front()) : std::nullopt;
            if (!threads) return give_up(Unknown::moved, i.source_line);
            sum_.threads += *threads;
            return;
        } else if (partners.empty() && !same_loops(pc)) {
            return give_up(Unknown::moved, i.source_line);
        }
        sum_.threads += counts_[pc].threads;
    }

    void count_access(size_t pc) {
        const trace::Instruction& i = listing_.instructions[pc];
        const auto issued = match_.guarded(pc) ? issued_under_predicate(pc) : issued_always(pc);
        if (!issued) return give_up(match_.guarded(pc) ? Unknown::guard : Unknown::moved, i.source_line);
        if (match_.copies(pc).size() > 1 && loops_diverged(pc)) return give_up(Unknown::diverged, i.source_line);
        const auto moved = moved_by(pc);
        if (!moved) return give_up(Unknown::width, i.source_line);
        sum_.instructions += *issued;
        sum_.moved += moved->wavefronts;
        sum_.ideal += moved->ideal;
    }

    // As often as the PTX instruction, unless others of its region say that it has been moved. A branch may
    // be passed less often than its region: it stands beside the one before it then, under the predicates of
    // both.
    std::optional<uint64_t> issued_always(size_t pc) const {
        const uint64_t executed = counts_[pc].executed;
        const auto& [firm, branches, loads] = match_.partners(pc);
        const auto stays = [&](uint64_t often) { return often == executed ? std::optional(executed) : std::nullopt; };
        if (firm.empty() && same_loops(pc)) {
            uint64_t most = branches.empty() ? executed : 0;
            for (uint32_t branch : branches) most = std::max(most, counts_[branch].executed);
            return stays(most);
        }
        const std::vector<uint32_t>& partners = match_.partners(pc).strong();
        return !partners.empty() && agree(partners) ? stays(counts_[partners.front()].executed) : std::nullopt;
    }

    std::optional<uint64_t> issued_under_predicate(size_t pc) const {
        const std::vector<uint32_t>& partners = match_.partners(pc).best();
        const auto block = match_.block_before_predicate(pc);
        if (partners.empty()) return block ? std::optional(counts_[match_.ptx().last[*block]].executed) : std::nullopt;
        return agree(partners) && !in_parts(partners.front()) ? std::optional(counts_[partners.front()].executed)
                                                              : std::nullopt;
    }

    // Whether warps came here in parts: oftener than to a block through which all ways lead here, in the same
    // loops. Lanes that a branch took apart pass a place where they could meet one after the other, if some
    // path around it leads further; under a predicate they pass together.
    bool in_parts(size_t pc) const {
        const ControlFlow& flow = match_.ptx();
        const auto executed = [&](uint32_t block) { return counts_[flow.last[block]].executed; };
        const uint32_t here = flow.block[pc];
        for (uint32_t block = flow.parent[here]; block != ControlFlow::none && flow.loops[block] == flow.loops[here];
             block = flow.parent[block])
            if (executed(block) < counts_[pc].executed) return true;
        return false;
    }

    // Instructions of one region are executed equally often, if the region is what it seems.
    bool agree(const std::vector<uint32_t>& pcs) const {
        return std::all_of(pcs.begin(), pcs.end(),
                           [&](uint32_t pc) { return counts_[pc].executed == counts_[pcs.front()].executed; });
    }

    // Wavefronts or sectors of the instruction in the width that its copies have.
    std::optional<trace::Moved> moved_by(size_t pc) const {
        const trace::Instruction& i = listing_.instructions[pc];
        const trace::InstructionCounts& c = counts_[pc];
        const int bytes = code_.instructions[match_.copies(pc).front()].bytes;
        for (uint32_t m : match_.copies(pc))
            if (code_.instructions[m].bytes != bytes) return {};
        if (i.space == Space::global || i.kind == Kind::async_copy) {
            if (bytes != i.bytes) return {};
            return trace::Moved{c.sectors, c.sectors_ideal};
        }
        if (bytes == i.register_bytes || bytes == 0) return trace::Moved{c.wavefronts, c.wavefronts_ideal};
        if (bytes < i.bytes || bytes < 8) return {};
        const trace::Moved& wider = c.wider[bytes == 8 ? 0 : 1];
        if (wider.ideal == 0 && c.threads > 0) return {};
        return wider;
    }

    // Copies of an unrolled loop may leave some of its loops, never enter others.
    bool same_loops(size_t pc) const {
        const auto& copies = match_.copies(pc);
        return copies.size() > 1 ||
               match_.machine().loops_of(copies.front()).size() == match_.ptx().loops_of(pc).size();
    }

    // Whether some lanes have left a loop around the instruction before others.
    bool loops_diverged(size_t pc) const {
        const ControlFlow& flow = match_.ptx();
        for (uint32_t head : flow.loops_of(pc)) {
            for (size_t branch = 0; branch < listing_.instructions.size(); ++branch) {
                if (counts_[branch].diverged == 0) continue;
                const auto inside = [&](size_t at) {
                    return at < listing_.instructions.size() &&
                           std::binary_search(flow.loops_of(at).begin(), flow.loops_of(at).end(), head);
                };
                const int64_t target = listing_.instructions[branch].target;
                if (inside(branch) && (target < 0 || !inside(static_cast<size_t>(target)) || !inside(branch + 1)))
                    return true;
            }
        }
        return false;
    }

    // Lanes that come to the block of a PTX instruction, or to its region, summed over the executions.
    std::optional<uint64_t> arriving(size_t pc, int most_branches = 16) const {
        const ControlFlow& flow = match_.ptx();
        std::optional<uint64_t> in_region;
        for (size_t other = 0; other < listing_.instructions.size(); ++other) {
            if (flow.region_of(other) != flow.region_of(pc) || listing_.instructions[other].guarded()) continue;
            if (flow.block[other] == flow.block[pc]) return counts_[other].threads;
            in_region = counts_[other].threads;
        }
        return in_region || most_branches == 0 ? in_region : arriving_by_branch(pc, most_branches - 1);
    }

    // The same of a block that is reached only from the one before it, past its branch: those that the branch did not take along.
    std::optional<uint64_t> arriving_by_branch(size_t pc, int most_branches) const {
        const ControlFlow& flow = match_.ptx();
        const size_t first = static_cast<size_t>(
            std::lower_bound(flow.block.begin(), flow.block.end(), flow.block[pc]) - flow.block.begin());
        const auto leads_here = [&](const trace::Instruction& i) { return i.target == static_cast<int64_t>(first); };
        if (first == 0 || std::any_of(listing_.instructions.begin(), listing_.instructions.end(), leads_here))
            return {};
        const trace::Instruction& before = listing_.instructions[first - 1];
        if (!before.guarded() || before.kind != Kind::branch || before.role != trace::Role::other) return {};
        const auto lanes = arriving(first - 1, most_branches);
        return lanes ? std::optional(*lanes - counts_[first - 1].threads) : std::nullopt;
    }

    void give_up(Unknown unknown, int source_line) {
        if (basis_.machine()) basis_ = {unknown, source_line};
    }

    const MachineMatch& match_;
    const trace::Listing& listing_;
    const trace::Counts& counts_;
    const trace::MachineListing& code_;
    Basis basis_;
    Amounts sum_;
};

} // namespace

const char* name(Unknown unknown) { return unknown_names[static_cast<size_t>(unknown)]; }

Basis MachineCounts::of_all() const {
    for (const CounterRow& row : counter_rows())
        if (row.program == Program::machine_code && !of(row.counter).machine()) return of(row.counter);
    return {Unknown::nothing, 0};
}

std::vector<bool> fusible(const trace::Listing& listing) {
    constexpr int64_t widest = 16;
    const std::vector<trace::Instruction>& all = listing.instructions;
    std::vector<bool> may(all.size());
    if (listing.engine == trace::Engine::machine) return may; // ptxas has fused what it fuses
    // Accesses of one basic block from one register: with whom each might be fused lies within 16 bytes of it.
    const ControlFlow flow = control_flow(listing);
    if (!flow.known) return may;
    std::map<std::tuple<uint32_t, int32_t, Kind>, std::vector<size_t>> together;
    for (size_t pc = 0; pc < all.size(); ++pc)
        if (all[pc].space == Space::shared && (all[pc].kind == Kind::load || all[pc].kind == Kind::store) &&
            all[pc].bytes < widest && base_of(all[pc]) >= 0)
            together[{flow.block[pc], base_of(all[pc]), all[pc].kind}].push_back(pc);
    for (auto& [place, accesses] : together) {
        std::sort(accesses.begin(), accesses.end(),
                  [&](size_t a, size_t b) { return all[a].displacement < all[b].displacement; });
        for (size_t i = 1; i < accesses.size(); ++i)
            if (all[accesses[i]].displacement - all[accesses[i - 1]].displacement < widest)
                may[accesses[i]] = may[accesses[i - 1]] = true;
    }
    return may;
}

MachineCounts machine_counts(const trace::Listing& listing, const trace::Counts& counts,
                             const trace::MachineListing& code) {
    const MachineMatch match(listing, code);
    if (match.failed() == Unknown::nothing && counts.size() == listing.instructions.size())
        return Conversion(match, listing, counts, code).run();
    MachineCounts result;
    result.totals = totals(listing, counts);
    for (Basis& basis : result.basis)
        basis = {match.failed() == Unknown::nothing ? Unknown::no_lines : match.failed(), 0};
    return result;
}

std::vector<AccessWidth> access_widths(const trace::Listing& listing, const trace::MachineListing& code) {
    std::map<std::tuple<Kind, Space, int, int>, AccessWidth> rows;
    const auto add = [&](const auto& instruction, int bytes, uint32_t AccessWidth::*count) {
        const auto counter = counter_of(instruction.kind, instruction.space);
        if (!counter || *counter == Counter::ffma_thread_instructions || bytes == 0) return;
        AccessWidth& row = rows[{instruction.kind, instruction.space, bytes, instruction.source_line}];
        row.kind = instruction.kind, row.space = instruction.space, row.bytes = bytes,
        row.source_line = instruction.source_line;
        ++(row.*count);
    };
    for (const trace::Instruction& i : listing.instructions) add(i, i.register_bytes, &AccessWidth::ptx);
    for (const trace::MachineInstruction& i : code.instructions) add(i, i.bytes, &AccessWidth::machine);
    std::vector<AccessWidth> list;
    for (const auto& [key, row] : rows) list.push_back(row);
    return list;
}

} // namespace analysis
