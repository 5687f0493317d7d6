// Calls, and branches whose target stands in a register. A register may hold the address behind any call: those are where a return may lead.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

using ptx::Modifier;
using ptx::Modifiers;
using ptx::Opcode;
using ptx::Type;

// CALL.REL label: the caller has put the address to return to into registers of its own. CALL.REL label + register: of any of the functions.
void Lowering::call() {
    const Operand& to = i_->operands.back();
    if (i_->has("ABS")) return call_driver();
    if (!only({"REL", "NOINC"}) || to.kind != Kind::label) return cannot();
    guard_also(at(0));
    if (to.base != Operand::none) {
        const RowAt address =
            joined(register_row(general, to.base), register_row(general, static_cast<uint16_t>(to.base + 1)));
        if (module_.functions.empty() || to.value != 0) return cannot();
        branch_to_address(address, module_.functions);
        program_.operations.back().enters = 1;
        return table_branches_.push_back(static_cast<uint32_t>(program_.operations.size() - 1));
    }
    Operation& op = append(What::nothing, 0);
    op.full = op.masked = no_operation;
    op.flow = Flow::branch;
    op.target = static_cast<uint32_t>(to.value / sass::instruction_bytes); // until resolve()
    op.enters = op.guard == no_row ? 1 : 0;                                // else it is a branch: convergence.cpp
}

// CALL.ABS p, a: of one of the driver's functions, which comes back to the next instruction.
void Lowering::call_driver() {
    const Operand& to = i_->operands.back();
    if (!only({"ABS", "NOINC"}) || to.kind != Kind::register_) return cannot();
    guard_also(at(0));
    if (is_true(at(0))) count_here();
    const RowAt address = joined(plain(to), second_of(to, 1));
    const Guard own = guard_;
    for (size_t n = 0; n < banks_.externals.size(); ++n) {
        const std::string& name = banks_.externals[n];
        const bool prints = name == "vprintf";
        if (!prints && name != "__assertfail") return fail(base::say("the engine does not execute calls of {}", name));
        const RowAt is_it = new_register(0);
        Operation& op = append(What::compare, 1);
        op.row[0] = is_it, op.row[2] = address, op.row[3] = constant(address_of_external(n), 8);
        op.width[2] = op.width[3] = 8;
        choose(op, {.opcode = Opcode::setp,
                    .modifiers = Modifiers{}.add(Modifier::eq),
                    .type = Type::u64,
                    .source_type = Type::u64});
        narrow_guard(is_it, false);
        system_call(prints ? SystemCall::print : SystemCall::assertion_failed);
        guard_ = own;
    }
}

// Arguments and results are in registers from R4 on, those of 64 bits in pairs.
void Lowering::system_call(SystemCall::Kind kind) {
    constexpr uint16_t first = 4;
    const bool prints = kind == SystemCall::print;
    const auto pair = [&](uint16_t r) {
        return joined(register_row(general, r), register_row(general, static_cast<uint16_t>(r + 1)));
    };
    const RowAt text = pair(first), file = prints ? no_row : pair(first + 2);
    Operation& op = append(What::call, prints ? 1 : 0);
    op.row[1] = text, op.width[1] = 8;
    op.full = op.masked = prints ? print_text : no_operation;
    if (prints) op.row[0] = register_row(general, first), op.width[0] = 4;
    else op.flow = Flow::trap, op.row[2] = file, op.row[3] = register_row(general, first + 4), op.width[2] = 8;
    op.width[3] = 4;
    op.detail.number = static_cast<uint32_t>(program_.system_calls.size());
    program_.system_calls.push_back({.kind = kind, .arguments = {}, .returns = prints, .in_registers = true});
}

// RET.REL p, label + register: a branch to the one place where lanes return by that register. So those that part in a function meet there.
void Lowering::return_() {
    const Operand& to = i_->operands.back();
    if (!only({"REL", "NODEC"}) || to.kind != Kind::label || to.base == Operand::none) return cannot();
    guard_also(at(0));
    Operation& op = append(What::nothing, 0);
    op.full = op.masked = no_operation;
    op.flow = Flow::branch;
    returns_[{to.base, to.value}].push_back(static_cast<uint32_t>(program_.operations.size() - 1));
}

void Lowering::branch_to_address(RowAt address, std::vector<uint64_t> known) {
    Operation& op = append(What::nothing, 0);
    op.full = op.masked = no_operation;
    op.flow = Flow::multiway;
    op.row[0] = address, op.width[0] = 8;
    op.detail.number = static_cast<uint32_t>(program_.tables.size());
    program_.tables.emplace_back(); // until resolve()
    program_.callees.push_back(std::move(known));
}

// BRX: to an entry of its jump table, which the register holds as an address relative to the next instruction.
void Lowering::branch_by_table() {
    const Operand& to = i_->operands.back();
    const auto table = std::find_if(module_.jump_tables.begin(), module_.jump_tables.end(),
                                    [&](const sass::JumpTable& t) { return t.address == i_->address; });
    if (table == module_.jump_tables.end() || table->targets.empty() || !i_->modifiers.empty()) return cannot();
    const int64_t from = to.value + static_cast<int64_t>(i_->address) + sass::instruction_bytes;
    const bool is_uniform = to.uniform != Operand::none;
    const File file = is_uniform ? uniform : general;
    const uint16_t first = is_uniform ? to.uniform : to.base;
    const RowAt distance = joined(register_row(file, first), register_row(file, static_cast<uint16_t>(first + 1)));
    const RowAt target = new_register(8);
    compute(What::add, Opcode::add, Type::u64, {}, {target, 8},
            {{distance, 8}, {constant(static_cast<uint64_t>(from), 8), 8}});
    branch_to_address(target, table->targets);
    table_branches_.push_back(static_cast<uint32_t>(program_.operations.size() - 1));
}

// LEPC d, address; LEPC d: of the next instruction.
void Lowering::load_address() {
    const int64_t to =
        i_->operands.size() > 1 ? at(1).value : static_cast<int64_t>(i_->address) + sass::instruction_bytes;
    split(constant(static_cast<uint64_t>(to), 8), written(at(0)), written(at(0), 1));
}

// BMOV d, barrier; BMOV barrier, a: saved around calls. Where lanes meet is known without (convergence.cpp).
void Lowering::save_barrier() {
    if (at(0).kind != Kind::register_) return do_nothing();
    compute(What::move, Opcode::mov, Type::b32, {}, {written(at(0)), 4}, {{constant(0, 4), 4}});
}

void Lowering::trap() { // BPT.TRAP
    if (!only({"TRAP"})) return cannot();
    Operation& op = append(What::nothing, 0);
    op.full = op.masked = no_operation;
    op.flow = Flow::trap;
}

// Lanes return to behind any of the calls.
void Lowering::resolve_returns() {
    std::vector<uint64_t> behind_calls;
    for (uint32_t pc = 0; pc < steps_.size(); ++pc)
        if (steps_[pc].kind == Step::calls || steps_[pc].kind == Step::calls_any)
            behind_calls.push_back(uint64_t{pc + 1} * sass::instruction_bytes);
    guard_ = {};
    for (const auto& [from, branches] : returns_) {
        const auto& [base, offset] = from;
        pc_ = program_.operations[branches[0]].pc;
        for (const uint32_t n : branches)
            program_.operations[n].target = static_cast<uint32_t>(program_.operations.size());
        const RowAt address =
            joined(register_row(general, base), register_row(general, static_cast<uint16_t>(base + 1)));
        const RowAt target = offset == 0 ? address : new_register(8);
        if (offset != 0)
            compute(What::add, Opcode::add, Type::u64, {}, {target, 8},
                    {{address, 8}, {constant(static_cast<uint64_t>(offset), 8), 8}});
        branch_to_address(target, behind_calls);
        program_.operations.back().enters = -1;
        fill_table(static_cast<uint32_t>(program_.operations.size() - 1));
    }
    for (const uint32_t n : table_branches_) fill_table(n);
}

// Of the addresses to which it may lead: a table is of operations, and its last entry for an address that is none of them.
void Lowering::fill_table(uint32_t n) {
    const uint32_t number = program_.operations[n].detail.number;
    for (const uint64_t address : program_.callees[number])
        program_.tables[number].push_back(
            first_[std::min<size_t>(address / sass::instruction_bytes, first_.size() - 1)]);
    program_.operations[n].target = n + 1;
    program_.tables[number].push_back(static_cast<uint32_t>(program_.operations.size()));
    pc_ = program_.operations[n].pc;
    guard_ = {};
    Operation& stray = append(What::nothing, 0);
    stray.full = stray.masked = no_operation;
    stray.flow = Flow::trap;
    stray.detail.number = 1; // SystemCall::no_function
}

} // namespace sim
