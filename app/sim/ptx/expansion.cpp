// Calls: a kernel's operations with those of the functions that it calls in their place, again at each call.
#include "sim/lanes/warp.h"
#include "sim/names.h"
#include "sim/ptx/ptx_row.h"

#include <algorithm>
#include <optional>

namespace sim {
namespace {

using ptx::Opcode;

constexpr size_t most_operations = 1 << 20; // after expanding calls
base::Sentence too_long() { return base::say("the kernel with its calls is longer than a million instructions"); }
constexpr size_t most_rows = 1 << 22; // of a gigabyte: a row's place, with the lanes behind it, must fit into 32 bits
constexpr size_t most_recursive_operations =
    1 << 16; // the same if a function calls itself: then it is expanded less deep
constexpr uint32_t most_recursive_local_bytes = 64u << 10; // likewise, of a thread

Strength strength_of(const ptx::Instruction& i) {
    using M = ptx::Modifier;
    const auto& m = i.modifiers;
    if (i.opcode != Opcode::unknown && row_of(i.opcode).what == What::atomic)
        return m.has(M::release) || m.has(M::acq_rel) ? Strength::publishes : Strength::atomic;
    if (m.has(M::release) || m.has(M::acq_rel)) return Strength::publishes;
    if (m.has(M::relaxed) || m.has(M::acquire)) return Strength::atomic;
    return m.has(M::volatile_) ? Strength::is_volatile : Strength::weak;
}

// Expands one function into the decoder's operations.
class Expansion {
public:
    Expansion(Decoder& d, Frame& frame) : d_(d), frame_(frame), function_(d.function(frame.function)) {}

    base::Sentence run() {
        if (function_.instructions.size() > most_operations)
            return too_long(); // before each gets a line in the listing
        d_.list(frame_.function);
        const uint32_t first_pc = d_.listed[frame_.function];
        for (size_t n = 0; n < function_.instructions.size(); ++n) {
            place_.push_back(static_cast<uint32_t>(operations().size()));
            if (operations().size() > most_operations) return too_long();
            if (d_.draft->registers.size() > most_rows || d_.program->constants.size() > most_rows)
                return base::say("the kernel with its calls has more than four million registers or constants");
            if (d_.recurses_too_far()) return base::say("the kernel's calls are nested too deep");
            instruction(function_.instructions[n], first_pc + static_cast<uint32_t>(n));
            if (!error_.empty()) return error_;
        }
        place_.push_back(static_cast<uint32_t>(operations().size()));
        for (const Fix& fix : fixes_) resolve(fix);
        return error_;
    }

private:
    struct Fix { // a branch whose target is known only at the end
        size_t operation;
        int32_t label;
    };
    Decoder& d_;
    Frame& frame_;
    const ptx::Function& function_;
    std::vector<uint32_t> place_; // of each instruction among the operations
    std::vector<Fix> fixes_;
    std::vector<size_t> returns_; // branches that leave the function
    base::Sentence error_;

    std::vector<Operation>& operations() { return d_.program->operations; }

    void unknown(Operation& op, base::Sentence why) {
        d_.program->reasons.push_back(std::move(why));
        op = Operation{.guard = op.guard, .guard_negated = op.guard_negated, .pc = op.pc};
        op.full = op.masked = no_operation;
        op.flow = Flow::unknown;
        op.what = What::unknown;
        op.detail.number = static_cast<uint32_t>(d_.program->reasons.size() - 1);
    }

    void instruction(const ptx::Instruction& i, uint32_t pc) {
        Operation op;
        op.pc = pc;
        op.strength = strength_of(i);
        Operands operands{d_, frame_, i, op};
        if (i.guard >= 0) {
            op.guard = operands.register_row(i.guard);
            op.guard_negated = i.guard_negated;
        }
        base::Sentence why = i.opcode == Opcode::unknown ? d_.module->unknown[static_cast<size_t>(i.unknown)].why
                                                         : decode_instruction(operands);
        if (why.empty()) why = control(i, op);
        op.reaches_cluster = i.modifiers.has(ptx::Modifier::shared_cluster) || op.space == Space::generic;
        if (!why.empty()) {
            unknown(op, std::move(why));
            operands.written = 0;
        } else if (!operands.wide.read.empty() || !operands.wide.written.empty()) {
            op.wide = static_cast<uint32_t>(d_.program->wide.size());
            d_.program->wide.push_back(std::move(operands.wide));
        }
        const size_t at = operations().size();
        append(op, effect_of(i, operands.written));
        if (op.flow == Flow::multiway && i.opcode == Opcode::call) call_one_of(i, op, at);
        else if (op.flow == Flow::next && i.opcode == Opcode::call && !system_call_kind(i)) call(i, at);
    }

    void append(const Operation& op, const Effect& effect = {}) {
        operations().push_back(op);
        d_.program->effects.push_back(effect);
    }

    base::Sentence control(const ptx::Instruction& i, Operation& op) {
        const bool callee = frame_.caller != nullptr;
        const size_t at = operations().size();
        switch (i.opcode) {
        case Opcode::bra:
            op.flow = Flow::branch;
            fixes_.push_back({at, i.operands[0].index});
            return {};
        case Opcode::brx_idx: return multiway(i, op);
        case Opcode::exit: op.flow = Flow::exit; return {};
        case Opcode::trap: op.flow = Flow::trap; return {};
        case Opcode::ret:
            op.flow = callee ? Flow::branch : Flow::exit;
            if (callee) returns_.push_back(at);
            return {};
        case Opcode::call:
            if (i.operands[1].kind == ptx::OperandKind::reg) return call_through_register(i, op);
            if (system_call_kind(i)) return system_call(i, op);
            if (base::Sentence why = callable(i, i.operands[1].index); !why.empty()) return why;
            if (too_deep(i.operands[1].index)) leave_out(i.operands[1].index, op);
            return {};
        default: return {};
        }
    }

    base::Sentence multiway(const ptx::Instruction& i, Operation& op) {
        Operands operands{d_, frame_, i, op};
        operands.read(0, i.operands[0], 4);
        if (!operands.error.empty()) return operands.error;
        const auto& targets = function_.labels[static_cast<size_t>(i.operands[1].index)].targets;
        if (targets.empty()) return base::say("the list of branch targets is missing");
        op.flow = Flow::multiway;
        op.detail.number = new_table();
        for (int32_t label : targets)
            d_.program->tables.back().push_back(static_cast<uint32_t>(label)); // labels until resolve()
        fixes_.push_back({operations().size(), 0});
        return {};
    }

    uint32_t new_table() {
        d_.program->tables.emplace_back();
        d_.program->callees.emplace_back();
        return static_cast<uint32_t>(d_.program->tables.size() - 1);
    }

    std::optional<SystemCall::Kind> system_call_kind(const ptx::Instruction& i) const {
        const int32_t callee = i.operands[1].index;
        if (i.operands[1].kind != ptx::OperandKind::function || callee < 0 || d_.function(callee).defined)
            return std::nullopt;
        if (d_.function(callee).name == "vprintf") return SystemCall::print;
        if (d_.function(callee).name == "__assertfail") return SystemCall::assertion_failed;
        return std::nullopt;
    }

    base::Sentence system_call(const ptx::Instruction& i, Operation& op) {
        SystemCall call{.kind = *system_call_kind(i), .arguments = {}};
        const auto variables = [](const ptx::Operand& list) {
            return std::all_of(list.elements.begin(), list.elements.end(),
                               [](const auto& o) { return o.kind == ptx::OperandKind::variable; });
        };
        const size_t arguments = call.kind == SystemCall::print ? 2 : 5;
        if (i.operands.size() < 3 || i.operands[2].elements.size() != arguments || !variables(i.operands[0]) ||
            !variables(i.operands[2]))
            return base::say("{} is called with the wrong arguments", d_.function(i.operands[1].index).name);
        if (base::Sentence why = too_small(i, call.kind); !why.empty()) return why;
        for (const ptx::Operand& o : i.operands[2].elements) call.arguments.push_back(slot_of(o.index));
        call.returns = !i.operands[0].elements.empty();
        if (call.returns) call.result = slot_of(i.operands[0].elements[0].index);
        op.full = op.masked = call.kind == SystemCall::print ? print_text : no_operation;
        if (call.kind != SystemCall::print) op.flow = Flow::trap;
        op.detail.number = static_cast<uint32_t>(d_.program->system_calls.size());
        d_.program->system_calls.push_back(std::move(call));
        return {};
    }

    // The variables of the call must hold what the runtime's function reads and writes there (CUDA's device_functions: vprintf(format,
    // arguments), __assertfail(message, file, line, function, size of a character)). Empty, or which one does not.
    base::Sentence too_small(const ptx::Instruction& i, SystemCall::Kind kind) const {
        static constexpr uint64_t printed[] = {8, 8}, asserted[] = {8, 8, 4, 8, 8}, result = 4;
        const std::string& name = d_.function(i.operands[1].index).name;
        const auto& arguments = i.operands[2].elements;
        for (size_t n = 0; n < arguments.size(); ++n) {
            const uint64_t wanted = kind == SystemCall::print ? printed[n] : asserted[n],
                           given = d_.variable(arguments[n].index).bytes;
            if (given < wanted)
                return base::say("argument {} of {} has {} bytes, and the function reads {}", n + 1, name, given,
                                 wanted);
        }
        for (const ptx::Operand& o : i.operands[0].elements)
            if (d_.variable(o.index).bytes < result)
                return base::say("the result of {} has {} bytes, and the function writes {}", name,
                                 d_.variable(o.index).bytes, result);
        return {};
    }

    // Whether the call, which can be expanded, is left out: it is one too many of a function in itself.
    bool too_deep(int32_t callee) {
        uint32_t activations = 0;
        for (const Frame* frame = &frame_; frame; frame = frame->caller)
            activations += frame->function == callee ? 1 : 0;
        if (activations == 0) return false;
        Recursion& recursion = d_.recursions[callee];
        if (activations > recursion.deepest) return true;
        ++recursion.expanded;
        return false;
    }

    // What stands in the place of a call that is left out: it ends its lanes.
    void leave_out(int32_t callee, Operation& op) {
        op.flow = Flow::trap;
        op.full = op.masked = no_operation;
        op.detail.number = static_cast<uint32_t>(d_.program->system_calls.size());
        d_.program->system_calls.push_back(
            {.kind = SystemCall::too_deep, .arguments = {}, .depth = d_.recursions[callee].deepest});
    }

    // Checks that the call can be expanded.
    base::Sentence callable(const ptx::Instruction& i, int32_t callee) {
        if (callee < 0) return base::say("the called function is not in the file");
        const ptx::Function& f = d_.function(callee);
        if (f.name == "malloc" || f.name == "free")
            return base::say("{} is not executed: there is no heap for new and delete; let the kernel have "
                             "a pointer to memory of the host's",
                             f.name);
        if (!f.defined)
            return base::say("{} has no body in the file; put its definition into it, or include it",
                             source_name(f.name));
        if (f.entry) return base::say("{} is a kernel and cannot be called", f.name);
        int depth = 0;
        for (const Frame* frame = &frame_; frame; frame = frame->caller) ++depth;
        constexpr int deepest = 256;
        if (depth > deepest) return base::say("calls are nested more than 256 deep");
        const auto& results = i.operands[0].elements;
        const auto& arguments = i.operands[2].elements;
        if (results.size() != f.results.size() || arguments.size() != f.parameters.size())
            return base::say("{} is called with the wrong number of arguments", f.name);
        for (const auto* list : {&results, &arguments})
            for (const ptx::Operand& o : *list)
                if (o.kind != ptx::OperandKind::variable) return base::say("an argument is not a .param variable");
        for (size_t n = 0; n < results.size(); ++n)
            if (d_.variable(results[n].index).bytes < d_.variable(f.results[n]).bytes)
                return base::say("a result is larger than its variable");
        for (size_t n = 0; n < arguments.size(); ++n)
            if (d_.variable(arguments[n].index).bytes < d_.variable(f.parameters[n]).bytes)
                return base::say("a parameter is larger than its argument");
        return {};
    }

    uint32_t slot_of(int32_t variable) {
        auto it = frame_.memory.find(variable);
        return it != frame_.memory.end() ? it->second : d_.local_slot(frame_, variable);
    }

    // Appends the function's operations; those that return from it lead to nowhere yet.
    std::vector<size_t> body(const ptx::Instruction& i, int32_t callee) {
        Frame inner{.function = callee, .caller = &frame_};
        const ptx::Function& f = d_.function(callee);
        for (size_t n = 0; n < f.results.size(); ++n)
            inner.memory[f.results[n]] = slot_of(i.operands[0].elements[n].index);
        for (size_t n = 0; n < f.parameters.size(); ++n)
            inner.memory[f.parameters[n]] = slot_of(i.operands[2].elements[n].index);
        Expansion expansion(d_, inner);
        error_ = expansion.run();
        return std::move(expansion.returns_);
    }

    void return_here(const std::vector<size_t>& returns) {
        for (const size_t at : returns) operations()[at].target = static_cast<uint32_t>(operations().size());
    }

    // The functions that a call through a register may reach: those listed, or all whose addresses are known, that take and give as much.
    std::vector<int32_t> candidates(const ptx::Instruction& i) const {
        const ptx::Operand& list = i.operands.back();
        const auto& listed = list.kind == ptx::OperandKind::label
                                 ? function_.labels[static_cast<size_t>(list.index)].functions
                                 : d_.callable;
        const auto same = [&](const std::vector<ptx::Operand>& given, const std::vector<int32_t>& taken) {
            return std::equal(
                given.begin(), given.end(), taken.begin(), taken.end(), [&](const ptx::Operand& o, int32_t v) {
                    return o.kind == ptx::OperandKind::variable && d_.variable(o.index).bytes == d_.variable(v).bytes;
                });
        };
        std::vector<int32_t> found;
        for (const int32_t n : listed.empty() ? d_.callable : listed) {
            const ptx::Function& f = d_.function(n);
            if (f.defined && !f.entry && same(i.operands[0].elements, f.results) &&
                same(i.operands[2].elements, f.parameters))
                found.push_back(n);
        }
        return found;
    }

    base::Sentence call_through_register(const ptx::Instruction& i, Operation& op) {
        Operands operands{d_, frame_, i, op};
        operands.read(0, i.operands[1], 8);
        if (!operands.error.empty()) return operands.error;
        op.flow = Flow::multiway;
        op.detail.number = new_table();
        return {};
    }

    // The bodies of all candidates, one after the other; the last entry of the table is for addresses where no function is.
    void call_one_of(const ptx::Instruction& i, const Operation& op, size_t at) {
        std::vector<uint32_t> table;
        std::vector<uint64_t> addresses;
        std::vector<size_t> returns;
        base::Sentence refused;
        const auto here = [&] { return static_cast<uint32_t>(operations().size()); };
        for (const int32_t callee : candidates(i)) {
            if (base::Sentence why = callable(i, callee); !why.empty()) {
                refused = std::move(why);
                continue;
            }
            table.push_back(here());
            addresses.push_back(d_.function_address(callee));
            if (too_deep(callee)) {
                Operation last{.pc = op.pc};
                leave_out(callee, last);
                append(last);
                continue;
            }
            const std::vector<size_t> more = body(i, callee);
            if (!error_.empty()) return;
            returns.insert(returns.end(), more.begin(), more.end());
            returns.push_back(here());
            append(Operation{.full = no_operation, .masked = no_operation, .flow = Flow::branch, .pc = op.pc});
        }
        table.push_back(here());
        Operation other{.full = no_operation,
                        .masked = no_operation,
                        .flow = Flow::trap,
                        .pc = op.pc,
                        .detail = {1}}; // SystemCall::no_function
        if (!refused.empty()) unknown(other, std::move(refused));
        append(other);
        return_here(returns);
        operations()[at].target = here();
        d_.program->tables[operations()[at].detail.number] = std::move(table);
        d_.program->callees[operations()[at].detail.number] = std::move(addresses);
    }

    void call(const ptx::Instruction& i, size_t at) {
        return_here(body(i, i.operands[1].index));
        if (operations()[at].guard == no_row) return;
        // A guarded call: the other lanes jump over it.
        operations()[at].flow = Flow::branch;
        operations()[at].guard_negated = !operations()[at].guard_negated;
        operations()[at].target = static_cast<uint32_t>(operations().size());
    }

    uint32_t place_of(int32_t label) {
        const int32_t target = function_.labels[static_cast<size_t>(label)].target;
        if (target >= 0) return place_[static_cast<size_t>(target)];
        error_ = base::say("the label {} is used but not defined", function_.labels[static_cast<size_t>(label)].name);
        return 0;
    }

    void resolve(const Fix& fix) {
        Operation& op = operations()[fix.operation];
        if (op.flow == Flow::multiway) {
            for (uint32_t& t : d_.program->tables[op.detail.number]) t = place_of(static_cast<int32_t>(t));
            op.target = static_cast<uint32_t>(fix.operation + 1);
        } else {
            op.target = place_of(fix.label);
        }
    }
};

} // namespace

base::Sentence Decoder::expand(Frame& frame) {
    return Expansion(*this, frame).run();
} // of a kernel, which returns by exit

bool Decoder::recurses_too_far() const {
    const bool large =
        program->operations.size() > most_recursive_operations || program->local_bytes > most_recursive_local_bytes;
    return large &&
           std::any_of(recursions.begin(), recursions.end(), [](const auto& r) { return r.second.expanded > 0; });
}

} // namespace sim
