// A cubin's kernel to a Program: its code, its constant banks and what the listing says of it.
#include "sim/engine.h"
#include "sim/lanes/warp.h"
#include "sim/names.h"
#include "sim/sass/lowering.h"

#include "sass/module.h"
#include "sass/reader.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace sim {
namespace {

using base::Error;

constexpr int executed[] = {75, 80, 86, 89, 90, 120}; // architectures, each held to the PTX by tests

// Banks and variables lie in memory, each by itself, so that running off one is seen. Banks, too, for who reads them by an index.
class Memories {
public:
    explicit Memories(const sass::Module& m, Program& p) : program_(p) {
        for (size_t n = 0; n < m.externals.size(); ++n) addresses_[m.externals[n]] = address_of_external(n);
        for (const sass::Variable& v : m.variables)
            addresses_[v.name] = module_window + add(source_name(v.name), v.bytes, v.first, true);
    }
    const base::Sentence& why() const { return why_; } // the variables are too large to be kept; else empty

    ConstantBanks banks_of(const sass::Module& m) {
        ConstantBanks banks{.sm = m.sm, .parameters_at = m.parameters_at, .parameter_bytes = m.parameter_bytes};
        banks.externals = m.externals;
        for (const sass::Parameter& p : m.parameters) banks.parameters.push_back({p.offset, p.bytes});
        for (const sass::ConstantBank& bank : m.banks)
            if (bank.number != 0) {
                std::vector<std::byte>& contents = banks.others[bank.number] = bank.contents;
                for (const sass::Address& a : bank.addresses) {
                    fill_in(contents, a);
                    const auto variable = std::ranges::find(m.variables, a.symbol, &sass::Variable::name);
                    if (variable != m.variables.end())
                        banks.pointers[{bank.number, static_cast<int64_t>(a.offset)}] =
                            variable - m.variables.begin() + 1;
                }
                banks.places[bank.number] = add("c" + std::to_string(bank.number), contents.size(), contents, false);
            }
        return banks;
    }

private:
    Program& program_;
    std::map<std::string, uint64_t> addresses_; // of variables, and of functions of the driver
    base::Sentence why_;

    uint64_t add(const std::string& name, uint64_t bytes, const std::vector<std::byte>& first, bool writable) {
        constexpr uint64_t apart = 256;
        std::vector<std::byte>& all = program_.variables;
        const uint64_t at = (all.size() + apart - 1) / apart * apart;
        if (why_.empty()) why_ = too_large(name, at, bytes);
        if (!why_.empty()) return at;
        program_.file_variables.push_back({.name = name, .at = at, .bytes = bytes, .writable = writable});
        all.resize(at + bytes + apart);
        std::copy_n(first.begin(), std::min<size_t>(first.size(), bytes),
                    all.begin() + static_cast<std::ptrdiff_t>(at));
        return at;
    }

    static base::Sentence too_large(const std::string& name, uint64_t at, uint64_t bytes) {
        if (bytes > most_variable_bytes || at + bytes > most_variable_bytes)
            return base::say(
                "the cubin's variables take more than 1 GB, the most that the engine keeps: {} is one too many", name);
        return no_room_for_variables(at + bytes);
    }

    void fill_in(std::vector<std::byte>& contents, const sass::Address& a) const {
        const auto known = addresses_.find(a.symbol);
        if (known == addresses_.end() || a.offset + 8 > contents.size()) return;
        const uint64_t address = known->second + static_cast<uint64_t>(a.addend);
        std::memcpy(contents.data() + a.offset, &address, sizeof address);
    }
};

void set_variables(sass::Module& m, const VariableValues& values) {
    for (sass::Variable& v : m.variables)
        if (const auto value = values.find(v.name); value != values.end()) v.first = value->second;
    for (sass::ConstantBank& bank : m.banks)
        for (const sass::ConstantBank::Variable& v : bank.variables)
            if (const auto value = values.find(v.name); value != values.end() && v.offset <= bank.contents.size())
                std::copy_n(value->second.begin(), std::min(value->second.size(), bank.contents.size() - v.offset),
                            bank.contents.begin() + static_cast<std::ptrdiff_t>(v.offset));
}

bool makes_groups_of_bulk_copies(const sass::Module& m) {
    return std::any_of(m.instructions.begin(), m.instructions.end(),
                       [](const sass::Instruction& i) { return i.opcode == "UTMACMDFLUSH"; });
}

// Whether a function may call itself, by way of others or not. Functions lie one behind the other. A call by a register may be of any of them;
// an absolute one is of the driver's.
bool recurs(const sass::Module& m) {
    std::map<uint64_t, std::set<uint64_t>> callees; // of functions that call, by where they begin
    std::set<uint64_t> starts{0};
    const auto each_call = [&](auto f) {
        for (const sass::Instruction& i : m.instructions) {
            if (i.opcode != "CALL" || i.operands.back().kind != sass::OperandKind::label) continue;
            if (i.operands.back().base == sass::Operand::none)
                f(i.address, static_cast<uint64_t>(i.operands.back().value));
            else
                for (const uint64_t function : m.functions) f(i.address, function);
        }
    };
    each_call([&](uint64_t, uint64_t to) { starts.insert(to); });
    each_call([&](uint64_t from, uint64_t to) { callees[*std::prev(starts.upper_bound(from))].insert(to); });
    const auto calls_no_caller = [&](const auto& function) {
        return std::none_of(function.second.begin(), function.second.end(),
                            [&](uint64_t callee) { return callees.contains(callee); });
    };
    while (std::erase_if(callees, calls_no_caller) > 0) continue;
    return !callees.empty();
}

// Local memory of a thread: what ptxas says that the kernel and the functions that it calls take of it. How deep functions go that call
// themselves it does not know: they get as much as PTX has for its stack.
uint64_t local_bytes(const sass::Module& m) {
    const bool uses = std::any_of(m.instructions.begin(), m.instructions.end(),
                                  [](const sass::Instruction& i) { return i.space == trace::Space::local; });
    const uint64_t bytes = std::max(m.frame_bytes, m.stack_bytes);
    const bool known = bytes > 0 && !recurs(m);
    return (uses && !known ? std::max<uint64_t>(bytes, stack_bytes) : bytes) / 16 * 16 + 16;
}

// A cubin has no names of arrays in shared memory. ptxas places those that the PTX's code names as sim::prepare() does: in order of
// declaration, each aligned, before all others. Where the sizes differ there are others, and none gets its name.
void name_shared_arrays(Program& p, const Program& ptx) {
    const bool dynamic = std::any_of(ptx.shared_variables.begin(), ptx.shared_variables.end(),
                                     [](const Program::SharedVariable& v) { return v.bytes == 0; });
    // The static part ends where the dynamic one begins.
    if (p.static_shared == (dynamic ? ptx.dynamic_shared_at : ptx.static_shared))
        p.shared_variables = ptx.shared_variables;
}

// By line of the PTX.
std::map<int, MadeOf> lines_of(const Program* ptx, bool has_arrays) {
    std::map<int, MadeOf> lines;
    for (uint32_t n = 0; ptx && n < ptx->operations.size(); ++n) {
        const Operation& op = ptx->operations[n];
        MadeOf& line =
            lines.try_emplace(ptx->listing->instructions[op.pc].text_line, MadeOf{.meets_lanes = false}).first->second;
        line.strength = std::max(line.strength, op.strength);
        line.meets_lanes |= row_of(op.what).meets_lanes;
        if (op.address == no_row) continue;
        const bool same = line.bytes == 0 || line.shared_array == op.shared_array; // wherever its function was called
        line.shared_array = same && has_arrays ? op.shared_array : -1;
        line.bytes = uint32_t{op.bytes} * op.elements;
        line.is_used_in_time = op.watched == 0 || ptx->watched[op.watched].begins == Watched::none;
    }
    uint32_t meetings = 0;
    for (auto& [number, line] : lines) line.meetings = meetings, meetings += line.meets_lanes;
    return lines;
}

// Registers by their names, in Listing::names.
class Facts {
    using Kind = sass::OperandKind;

public:
    Facts(trace::Listing& listing, const trace::Listing* ptx) : listing_(listing) {
        if (!ptx) return;
        listing_.source_files = ptx->source_files;
        for (const trace::Instruction& i : ptx->instructions) origins_[i.text_line] = &i;
    }

    trace::Instruction of(const sass::Instruction& i, const trace::MachineInstruction& known) {
        trace::Instruction out;
        out.text = known.text;
        out.mnemonic = mnemonic(i);
        out.kind = i.kind;
        out.space = i.space;
        out.bytes = out.register_bytes = i.bytes;
        out.source_line = out.own_line = out.kernel_line = known.source_line;
        if (const auto origin = origins_.find(known.ptx_line); origin != origins_.end()) {
            const trace::Instruction& from = *origin->second;
            out.source_line = from.source_line, out.own_line = from.own_line, out.kernel_line = from.kernel_line;
            out.source_file = from.source_file;
        }
        out.text_line = static_cast<int>(listing_.instructions.size()) + 1;
        out.target = known.target;
        if (i.opcode == "FFMA" || i.opcode == "DFMA") out.role = trace::Role::fma;
        if (i.opcode.starts_with("MOV") || i.has("MOV")) out.role = trace::Role::move;
        if (i.opcode == "CALL") out.role = trace::Role::call;
        if (i.opcode == "BRX") out.role = trace::Role::indirect_branch;
        if (i.opcode == "LDGDEPBAR") out.role = trace::Role::commit;
        if (i.opcode == "LDSM" || i.opcode == "STSM") out.role = trace::Role::matrix_rows, out.bytes = matrix_row_bytes;
        if (i.opcode.starts_with('F')) out.unit = trace::Unit::fp32;
        if (i.opcode.starts_with('D') && i.opcode != "DEPBAR") out.unit = trace::Unit::fp64;
        if (i.kind == trace::Kind::matrix) out.unit = trace::Unit::tensor_core;
        if (i.has("BYPASS")) out.cache = trace::Cache::past_l1;
        if (i.guarded()) out.guard = name(i.guard_uniform ? "UP" : "P", i.guard);
        for (const sass::Operand& o : i.operands) take(o, out);
        if (i.opcode == "DEPBAR" && i.has("LE") && i.operands.size() > 1) out.groups_left = i.operands[1].value;
        return out;
    }

private:
    trace::Listing& listing_;
    std::map<std::string, int32_t> numbers_;
    std::map<int, const trace::Instruction*> origins_; // by line of the PTX

    static std::string mnemonic(const sass::Instruction& i) {
        std::string text(i.opcode);
        for (const std::string_view m : i.modifiers) text.append(".").append(m);
        return text;
    }
    int32_t name(const char* prefix, uint16_t number) {
        const std::string text = prefix + std::to_string(number);
        const auto [it, fresh] = numbers_.try_emplace(text, static_cast<int32_t>(listing_.names.size()));
        if (fresh) listing_.names.push_back(text);
        return it->second;
    }
    void take(const sass::Operand& o, trace::Instruction& out) {
        std::vector<int32_t>& to = o.written ? out.written : out.read;
        const auto registers = [&](std::vector<int32_t>& list, const char* prefix, uint16_t first, uint32_t count) {
            for (uint32_t n = 0; n < count && first != sass::Operand::none && first != sass::zero_register; ++n)
                list.push_back(name(prefix, static_cast<uint16_t>(first + n)));
        };
        switch (o.kind) {
        case Kind::register_: registers(to, "R", o.number, o.registers); break;
        case Kind::uniform_register: registers(to, "UR", o.number, o.registers); break;
        case Kind::predicate:
        case Kind::uniform_predicate:
            if (o.number != sass::true_predicate) to.push_back(name(o.kind == Kind::predicate ? "P" : "UP", o.number));
            break;
        case Kind::memory:
            if (out.address.empty()) out.displacement = o.value;
            registers(out.address, "R", o.base, o.registers);
            registers(out.address, "UR", o.uniform, 1);
            break;
        default: break;
        }
    }
};

} // namespace

base::Result<std::shared_ptr<const Program>> prepare_machine_code(std::span<const std::byte> cubin,
                                                                  const std::string& entry, const Program* ptx,
                                                                  const VariableValues& values) {
    auto module = sass::read_module(cubin, entry);
    if (!module) return module.error();
    return prepare_machine_code(cubin, std::move(*module), ptx, values);
}

base::Result<std::shared_ptr<const Program>> prepare_machine_code(std::span<const std::byte> cubin, sass::Module module,
                                                                  const Program* ptx, const VariableValues& values) {
    set_variables(module, values);
    const auto known = sass::read(cubin, module);
    if (!known) return known.error();
    if (std::find(std::begin(executed), std::end(executed), module.sm) == std::end(executed))
        return Error{base::Failure::missing, base::say("machine code of sm_{} is not executed yet", module.sm), {}, {}};
    const Lanes lanes = best_lanes();
    auto draft = std::make_shared<Draft>();
    auto listing = std::make_shared<trace::Listing>();
    listing->engine = trace::Engine::machine;
    Program& p = draft->program;
    Memories memories(module, p);
    ConstantBanks banks = memories.banks_of(module);
    if (!memories.why().empty()) return Error{base::Failure::check_failed, memories.why(), {}, {}};
    p.vectors = lanes.vectors;
    p.machine_listing = *known;
    p.parameters = banks.parameters;
    p.parameter_bytes = banks.parameter_bytes;
    p.parameters_at = banks.parameters_at;
    p.joins_pending = true;
    draft->loads_ahead = true;
    draft->all_assigned = ptx && ptx->tracked_registers.empty();
    const uint64_t local = local_bytes(module);
    if (local > most_local_bytes) return Error{base::Failure::check_failed, too_much_local_memory(), {}, {}};
    p.local_bytes = static_cast<uint32_t>(local);
    p.registers = module.registers;
    const auto system_shared = static_cast<uint64_t>(shared_base(module.sm));
    p.static_shared = static_cast<uint32_t>(std::max(module.shared_bytes, system_shared) - system_shared);
    p.dynamic_shared_at = (p.static_shared + 15) / 16 * 16;
    if (ptx) name_shared_arrays(p, *ptx);
    p.cluster = {std::max(module.cluster[0], 1u), std::max(module.cluster[1], 1u), std::max(module.cluster[2], 1u)};
    Lowering lowering(*draft, lanes, std::move(banks), makes_groups_of_bulk_copies(module), module);
    const std::map<int, MadeOf> made_of = lines_of(ptx, !p.shared_variables.empty());
    uint32_t meetings = 0; // before the last line that is known
    Facts facts(*listing, ptx ? ptx->listing.get() : nullptr);
    for (uint32_t n = 0; n < module.instructions.size(); ++n) {
        listing->instructions.push_back(facts.of(module.instructions[n], (*known)->instructions[n]));
        listing->text += (*known)->instructions[n].text + "\n";
        const auto line = made_of.find((*known)->instructions[n].ptx_line);
        lowering.lower(module.instructions[n], n, line == made_of.end() ? MadeOf{} : line->second);
        if (line != made_of.end()) meetings = line->second.meetings;
        if (ptx) p.meetings.push_back(meetings);
    }
    lowering.resolve();
    draft->listing = std::move(listing);
    return finish(std::move(draft), Rows::reused);
}

} // namespace sim
