#include "views/number_rows.h"

#include "base/text.h"
#include "views/axis.h"
#include "views/run_words.h"
#include "views/wait_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace views {

NsightName nsight_name(std::string_view group_key, std::string_view number_key) {
    struct Row {
        std::string_view key, name;
    };
    constexpr Row alone[] = {{"numbers.instructions_executed", "Instructions Executed"},
                             {"numbers.thread_instructions", "Predicated-On Thread Instructions Executed"},
                             {"numbers.ffma_thread_instructions", "Predicated-On Thread Instructions Executed, FFMA"}};
    constexpr Row opcodes[] = {{"numbers.shared_load", "LDS"},
                               {"numbers.shared_store", "STS"},
                               {"numbers.global_load", "LDG"},
                               {"numbers.global_store", "STG"},
                               {"numbers.async_copy", "LDGSTS"}};
    constexpr Row columns[] = {{"numbers.instructions", "Instructions Executed"},
                               {"numbers.wavefronts", "L1 Wavefronts Shared"},
                               {"numbers.wavefronts_ideal", "L1 Wavefronts Shared Ideal"},
                               {"numbers.wavefronts_excessive", "L1 Wavefronts Shared Excessive"},
                               {"numbers.sectors", "L2 Theoretical Sectors Global"},
                               {"numbers.sectors_ideal", "L2 Theoretical Sectors Global Ideal"},
                               {"numbers.sectors_excessive", "L2 Theoretical Sectors Global Excessive"}};
    constexpr Row details[] = {{"numbers.threads", "Block Size"},
                               {"numbers.blocks", "Grid Size"},
                               {"numbers.registers", "Registers Per Thread"},
                               {"numbers.static_shared", "Static Shared Memory Per Block"},
                               {"numbers.dynamic_shared", "Dynamic Shared Memory Per Block"},
                               {"numbers.occupancy", "Theoretical Occupancy"},
                               {"numbers.warps", "Theoretical Active Warps per SM"},
                               {"numbers.limiter", "Block Limit Registers, Shared Mem, Warps, SM"}};
    const auto find = [](const auto& rows, std::string_view key) {
        const auto row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& one) { return one.key == key; });
        return row == std::end(rows) ? std::string() : std::string(row->name);
    };
    constexpr const char* source_page = "numbers.nsight";
    if (std::string name = find(alone, number_key); !name.empty()) return {source_page, std::move(name)};
    if (std::string name = find(details, number_key); !name.empty()) return {"numbers.nsight_details", std::move(name)};
    const std::string opcode = find(opcodes, group_key), column = find(columns, number_key);
    return {source_page, opcode.empty() || column.empty() ? std::string() : column + ", " + opcode};
}

namespace {

using base::thousands;

Number whole(std::string key, std::optional<uint64_t> value, const char* unit = "") {
    if (!value) return {std::move(key), {}, unit};
    return {std::move(key), thousands(*value), unit, static_cast<double>(*value)};
}

Number real(const char* key, std::optional<double> value, const char* unit = "") {
    if (!value) return {key, {}, unit};
    if (*value >= 1000) return whole(key, static_cast<uint64_t>(*value + 0.5), unit);
    return {key, short_number(*value), unit, *value};
}

Number plain(const char* key, std::string value, double amount) { return {key, std::move(value), "", amount}; }

Number word(const char* key, std::string word) {
    Number number;
    number.key = key;
    number.word = std::move(word);
    return number;
}

struct Facts { // what the products know, with nothing in the place of what they do not
    std::optional<catalog::LaunchShape> shape;
    const compile::Resources* used = nullptr;
    const session::FullRun* run = nullptr;
    trace::Engine engine = trace::Engine::ptx; // whose instructions `run` counts
    const std::vector<analysis::AccessWidth>* widths = nullptr;
    std::optional<analysis::Multiprocessor> limits;
    std::optional<analysis::Occupancy> occupancy;
    std::optional<analysis::Intensity> intensity;
    catalog::OperandType operands = catalog::OperandType::f32; // the peaks that are known are FP32's
};

Facts collect(const catalog::Kernel* kernel, const session::Subject& subject, const session::Products& products) {
    Facts facts;
    if (kernel) facts.operands = kernel->operands;
    if (kernel)
        if (const auto values = catalog::with(*kernel, subject.parameters))
            if (const auto shape = catalog::launch_shape(*kernel, *values, subject.problem)) facts.shape = *shape;
    if (products.machine.value) facts.used = &products.machine.value->resources;
    if (products.grid.value) facts.run = products.grid.value.get();
    facts.engine = engine_of(products);
    facts.widths = products.widths.get();
    if (const auto limits = analysis::multiprocessor(subject.arch)) facts.limits = *limits;
    if (facts.shape && facts.used && facts.limits)
        if (const auto occupancy =
                analysis::occupancy(*facts.limits, static_cast<int>(facts.shape->block.count()), facts.used->registers,
                                    facts.used->static_shared_bytes + facts.shape->dynamic_shared_bytes))
            facts.occupancy = *occupancy;
    if (facts.run) {
        const analysis::Device* device = analysis::device_of(subject.arch);
        const catalog::Problem& size = subject.problem;
        const auto operation = kernel ? kernel->operation : catalog::Operation::product;
        facts.intensity = analysis::intensity(facts.run->totals, catalog::operations(operation, size.m, size.n, size.k),
                                              device ? *device : analysis::Device{});
    }
    return facts;
}

NumberGroup resources(const Facts& facts) {
    NumberGroup group{"numbers.resources", {}};
    const auto used = [&](auto member) -> std::optional<uint64_t> {
        if (!facts.used) return std::nullopt;
        return static_cast<uint64_t>(facts.used->*member);
    };
    const auto launched = [&](auto value) -> std::optional<uint64_t> {
        if (!facts.shape) return std::nullopt;
        return value(*facts.shape);
    };
    using compile::Resources;
    group.numbers = {
        whole("numbers.threads", launched([](const auto& s) { return s.block.count(); })),
        whole("numbers.blocks", launched([](const auto& s) { return s.grid.count(); })),
        whole("numbers.registers", used(&Resources::registers)),
        whole("numbers.static_shared", used(&Resources::static_shared_bytes), "numbers.unit_bytes"),
        whole("numbers.dynamic_shared", launched([](const auto& s) { return uint64_t{s.dynamic_shared_bytes}; }),
              "numbers.unit_bytes"),
    };
    std::optional<uint64_t> spills;
    if (facts.used) spills = uint64_t{facts.used->spill_store_bytes} + facts.used->spill_load_bytes;
    group.numbers.push_back(whole("numbers.spills", spills, "numbers.unit_bytes"));
    group.numbers.back().alarming = spills.value_or(0) > 0;
    return group;
}

NumberGroup occupancy(const Facts& facts) {
    NumberGroup group{"numbers.occupancy_group", {}};
    const auto& found = facts.occupancy;
    group.numbers.push_back(found ? real("numbers.occupancy", 100 * found->fraction(), "numbers.unit_percent")
                                  : real("numbers.occupancy", {}, "numbers.unit_percent"));
    group.numbers.push_back(plain("numbers.warps", found ? fmt::format("{} / {}", found->warps, found->max_warps) : "",
                                  found ? found->warps : 0));
    group.numbers.push_back(
        whole("numbers.active_blocks", found ? std::optional<uint64_t>(found->blocks) : std::nullopt));
    group.numbers.push_back(word("numbers.limiter", found ? limiter_key(found->limiter) : ""));
    if (found) group.bar = found->fraction();
    return group;
}

NumberGroup arithmetic(const Facts& facts) {
    NumberGroup group{"numbers.arithmetic", {}};
    for (const analysis::CounterRow& row : analysis::counter_rows()) {
        const auto fields = analysis::fields(row, facts.run ? facts.run->totals : analysis::Totals{});
        if (fields.size() > 1) continue;
        group.numbers.push_back(whole(counter_key(row), facts.run ? std::optional(fields[0].value) : std::nullopt));
    }
    std::optional<double> share, flop;
    const bool by_tensor_cores = facts.run && facts.run->totals.tensor_core_flop > 0;
    const bool of_bits = facts.operands == catalog::OperandType::b1; // no FMA does their arithmetic
    if (facts.run) {
        const analysis::Totals& totals = facts.run->totals;
        share = analysis::fma_percent(totals);
        flop = of_bits && facts.intensity && totals.instructions_executed
                   ? facts.intensity->flop / static_cast<double>(totals.instructions_executed)
                   : analysis::flop_per_instruction(totals);
    }
    group.numbers.push_back(by_tensor_cores ? word("numbers.fma_share", "numbers.by_tensor_cores")
                            : of_bits       ? word("numbers.fma_share", "numbers.of_bits")
                                            : real("numbers.fma_share", share, "numbers.unit_percent"));
    group.numbers.push_back(real("numbers.flop_per_instruction", flop));
    return group;
}

NumberGroup traffic(const Facts& facts) {
    NumberGroup group{"numbers.traffic", {}};
    const analysis::Intensity* found = facts.intensity && facts.intensity->flop > 0 ? &*facts.intensity : nullptr;
    const auto rounded = [](double value) { // 0: not known for this device
        return value > 0 ? std::optional<uint64_t>(static_cast<uint64_t>(value + 0.5)) : std::nullopt;
    };
    group.numbers = {
        whole("numbers.bytes", found ? rounded(found->global_bytes) : std::nullopt, "numbers.unit_bytes"),
        real("numbers.flop_per_byte", found ? std::optional<double>(found->flop_per_byte) : std::nullopt,
             "numbers.unit_flop_per_byte"),
        whole("numbers.required",
              found && facts.operands == catalog::OperandType::f32 ? rounded(found->required_gb_s) : std::nullopt,
              "numbers.unit_gb_s"),
        whole("numbers.available", found ? rounded(found->available_gb_s) : std::nullopt, "numbers.unit_gb_s"),
    };
    return group;
}

// "64x4 → 32x4 + 8x16": accesses of one kind in the program text, each count with its bytes, in the PTX and, where that differs,
// in the machine code.
std::string widths_of(const std::vector<analysis::AccessWidth>& widths, trace::Kind kind, trace::Space space) {
    std::map<int, uint32_t> ptx, machine; // bytes -> instructions
    for (const analysis::AccessWidth& row : widths) {
        if (row.kind != kind || row.space != space) continue;
        if (row.ptx) ptx[row.bytes] += row.ptx;
        if (row.machine) machine[row.bytes] += row.machine;
    }
    const auto text = [](const std::map<int, uint32_t>& counts) {
        std::string sum;
        for (const auto& [bytes, count] : counts) sum += fmt::format("{}{}×{}", sum.empty() ? "" : " + ", count, bytes);
        return sum.empty() ? std::string("0") : sum;
    };
    return ptx == machine ? text(ptx) : text(ptx) + " → " + text(machine);
}

// Which program is counted, and how wide accesses are before and after ptxas.
NumberGroup widths(const Facts& facts) {
    NumberGroup group{"numbers.widths", {}};
    group.numbers.push_back(
        word("numbers.basis", facts.run ? std::string("engine.") + trace::name(facts.engine) : std::string()));
    for (const analysis::CounterRow& row : analysis::counter_rows()) {
        const auto& [kind, space, unit] = row.which;
        if (!kind || space == trace::Space::none) continue;
        group.numbers.push_back(
            {counter_key(row), facts.widths ? widths_of(*facts.widths, *kind, space) : "", "numbers.unit_bytes"});
    }
    return group;
}

// Wavefronts of shared memory or sectors of global memory, by kind of access.
void append_transfers(std::vector<NumberGroup>& groups, const Facts& facts) {
    const analysis::Totals totals = facts.run ? facts.run->totals : analysis::Totals{};
    for (const analysis::CounterRow& row : analysis::counter_rows()) {
        const auto fields = analysis::fields(row, totals);
        if (fields.size() == 1 || (row.told == analysis::Told::if_any && analysis::is_zero(row, totals))) continue;
        NumberGroup group{counter_key(row), {}};
        group.space = row.sum == analysis::Sum::wavefronts ? "numbers.shared_memory" : "numbers.global_memory";
        for (const analysis::CounterField& field : fields)
            group.numbers.push_back(
                whole(field_key(row, field), facts.run ? std::optional(field.value) : std::nullopt));
        groups.push_back(std::move(group));
    }
}

// Of a prediction: how far it may be off, or that nobody knows.
Number error_number(const char* key, const session::PredictedSpeed* speed, double measure::Accuracy::*share) {
    if (!speed) return real(key, {}, "numbers.unit_percent");
    if (!speed->error.accuracy) return word(key, "predicted.unvalidated");
    Number number = real(key, 100 * (*speed->error.accuracy).*share, "numbers.unit_percent");
    number.alarming = !speed->error.validated();
    return number;
}

std::string scientific(double value) { return value == 0 ? "0" : fmt::format("{:.2e}", value); }

NumberGroup verification(const Facts& facts) {
    NumberGroup group{"numbers.verification", {}};
    const session::Verification* found = facts.run && facts.run->verification ? &*facts.run->verification : nullptr;
    group.numbers = {
        word("numbers.result", !found          ? ""
                               : found->passed ? "numbers.passed"
                                               : "numbers.failed"),
        plain("numbers.max_error", found ? scientific(found->max_abs_error) : "", found ? found->max_abs_error : 0),
        plain("numbers.max_relative", found ? scientific(found->max_rel_error) : "", found ? found->max_rel_error : 0),
        plain("numbers.tolerance", found ? scientific(found->tolerance) : "", found ? found->tolerance : 0),
        whole("numbers.rounding", found ? std::optional<uint64_t>(found->rounding) : std::nullopt,
              "numbers.unit_times"),
        whole("numbers.elements_checked", found ? std::optional(found->elements) : std::nullopt,
              "numbers.unit_elements"),
    };
    group.numbers[0].alarming = found && !found->passed;
    return group;
}

NumberGroup engine(const Facts& facts) {
    NumberGroup group{"numbers.engine", {}};
    std::optional<double> seconds, speed;
    if (facts.run) seconds = facts.run->wall_s;
    if (facts.run && facts.run->wall_s > 0)
        speed = static_cast<double>(facts.run->thread_instructions) / facts.run->wall_s / 1e6;
    group.numbers = {real("numbers.speed", speed, "numbers.unit_million_per_s"),
                     real("numbers.wall", seconds, "numbers.unit_s")};
    return group;
}

} // namespace

std::string counter_key(const analysis::CounterRow& row) { return std::string("numbers.") + row.name; }

std::string field_key(const analysis::CounterRow& row, const analysis::CounterField& field) {
    return *field.name ? std::string("numbers.") + field.name : counter_key(row);
}

std::string limiter_key(analysis::Limiter limiter) { return std::string("numbers.limiter_") + analysis::name(limiter); }

const char* counters_key(const session::Products& products) {
    return engine_of(products) == trace::Engine::machine ? "numbers.basis_line_sass" : "numbers.basis_line_ptx";
}

std::vector<NumberGroup> time_groups(const session::PredictedSpeed* speed, const std::string& note) {
    const auto known = [&](double value) { return speed ? std::optional(value) : std::nullopt; };
    const auto counted = [&](double value) {
        return speed ? std::optional(static_cast<uint64_t>(value + 0.5)) : std::nullopt;
    };
    const session::PredictedSpeed none;
    const session::PredictedSpeed& made = speed ? *speed : none;
    NumberGroup time{"numbers.time", {}};
    time.note = note;
    time.numbers = {
        real("numbers.time_ms", known(made.ms), "numbers.unit_ms"),
        real("numbers.time_gflops", made.gflops > 0 ? known(made.gflops) : std::nullopt, "numbers.unit_gflops"),
        error_number("numbers.time_median", speed, &measure::Accuracy::median),
        error_number("numbers.time_p90", speed, &measure::Accuracy::p90),
        whole("numbers.wave_cycles", counted(made.wave_cycles), "numbers.unit_cycles"),
        whole("numbers.resident", counted(made.resident)),
        real("numbers.from_memory", known(100 * made.from_memory), "numbers.unit_percent"),
    };
    std::vector<NumberGroup> groups{std::move(time)};
    const WaitRow lost = all_waits({&made.lost, 1});
    if (lost.reasons.empty()) return groups;
    NumberGroup& waits = groups.emplace_back(NumberGroup{"numbers.time_lost", {}});
    waits.note = note;
    for (size_t n = 0; n < std::min<size_t>(lost.reasons.size(), 3); ++n)
        waits.numbers.push_back(
            real(wait_key(lost.reasons[n].why), 100 * lost.reasons[n].share, "numbers.unit_percent"));
    return groups;
}

std::vector<NumberGroup> number_groups(const catalog::Kernel* kernel, const session::Subject& subject,
                                       const session::Products& products) {
    const Facts facts = collect(kernel, subject, products);
    std::vector<NumberGroup> groups{resources(facts), occupancy(facts), arithmetic(facts), traffic(facts)};
    groups.push_back(widths(facts));
    append_transfers(groups, facts);
    groups.push_back(verification(facts));
    groups.push_back(engine(facts));
    return groups;
}

} // namespace views
