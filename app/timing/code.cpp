#include "timing/code.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace timing {
namespace {

using trace::Kind;
using trace::Space;

constexpr int64_t warp_threads = 32;

constexpr struct {
    std::string_view opcode;
    Pipe pipe;
} pipes[] = {
#define PIPE(opcode, pipe) {opcode, Pipe::pipe},
#include "timing/pipe_table.inc"
#undef PIPE
};

Pipe pipe_of(const sass::Instruction& i) {
    for (const auto& row : pipes)
        if (row.opcode == i.opcode) return row.pipe;
    switch (i.kind) {
    case Kind::load:
    case Kind::store:
    case Kind::atomic:
    case Kind::async_copy: return Pipe::memory;
    case Kind::matrix: return Pipe::tensor;
    case Kind::branch:
    case Kind::exit:
    case Kind::barrier:
    case Kind::wait: return Pipe::none;
    default: return i.traits & sass::uniform ? Pipe::uniform : Pipe::alu;
    }
}

Does does_of(const sass::Instruction& i) {
    if (i.opcode == "LDGDEPBAR") return Does::commit;
    if (i.opcode == "DEPBAR" && i.has("LE")) return Does::wait_count;
    if (i.opcode == "SHFL") return Does::shuffle;
    if (i.opcode == "LDC") return Does::constant;
    if (i.opcode == "BAR") return Does::barrier;
    switch (i.kind) {
    case Kind::exit: return Does::exit;
    case Kind::branch: return Does::branch;
    case Kind::async_copy: return Does::copy_async;
    case Kind::bulk_copy: return Does::bulk_copy;
    case Kind::load: return i.space == Space::shared ? Does::shared : Does::global;
    case Kind::store: return i.space == Space::shared ? Does::shared : Does::store;
    case Kind::atomic: return i.space == Space::shared ? Does::shared : Does::global;
    default: return Does::compute;
    }
}

uint8_t interval_of(Pipe pipe, const sass::Instruction& i, const Machine& m) {
    switch (pipe) {
    case Pipe::fma:
    case Pipe::fma_heavy: return static_cast<uint8_t>(m.fma_interval * (i.has("WIDE") || i.has("HI") ? 2 : 1));
    case Pipe::alu: return static_cast<uint8_t>(m.alu_interval);
    case Pipe::fp64: return static_cast<uint8_t>(m.fp64_interval);
    case Pipe::special: return static_cast<uint8_t>(m.special_interval);
    case Pipe::uniform: return static_cast<uint8_t>(m.uniform_interval);
    default: return 1;
    }
}

void take_reads(const sass::Instruction& i, Op& op) {
    uint8_t place = 0;
    for (const sass::Operand& o : i.operands) {
        if (o.written || o.kind == sass::OperandKind::predicate || o.kind == sass::OperandKind::uniform_predicate)
            continue;
        if (place == op.reads.size()) break;
        const uint16_t number = o.kind == sass::OperandKind::memory ? o.base : o.number;
        const bool reads = o.kind == sass::OperandKind::register_ || o.kind == sass::OperandKind::memory;
        if (reads && number != sass::zero_register && number != sass::Operand::none)
            op.reads[op.read_count++] = {place, o.reuse, number};
        ++place;
    }
}

void take_barrier(const sass::Instruction& i, Op& op) {
    op.arrives_only = i.has("ARV");
    std::vector<int64_t> numbers;
    for (const sass::Operand& o : i.operands)
        if (o.kind == sass::OperandKind::integer) numbers.push_back(o.value);
    if (!numbers.empty()) op.barrier = static_cast<uint8_t>(numbers[0] & 15);
    if (numbers.size() > 1) op.barrier_warps = static_cast<uint16_t>(numbers[1] / warp_threads);
}

Op op_of(const sass::Instruction& i, const Machine& m) {
    Op op;
    op.pipe = pipe_of(i);
    op.does = does_of(i);
    op.interval = interval_of(op.pipe, i, m);
    op.stall = i.control.stall;
    op.yield = i.control.yield;
    op.write_barrier = i.control.write_barrier;
    op.read_barrier = i.control.read_barrier;
    op.wait_mask = i.control.wait_mask;
    op.is_load = i.kind == Kind::load;
    op.latency = static_cast<uint16_t>(op.pipe == Pipe::memory ? m.special_register_latency : m.special_latency);
    take_reads(i, op);
    if (op.does == Does::barrier) take_barrier(i, op);
    if (op.does == Does::wait_count)
        for (const sass::Operand& o : i.operands) {
            if (o.kind == sass::OperandKind::scoreboard) op.counted_scoreboard = static_cast<uint8_t>(o.number);
            if (o.kind == sass::OperandKind::integer) op.left = static_cast<uint8_t>(o.value);
        }
    return op;
}

} // namespace

Code code_of(std::span<const sass::Instruction> instructions, const Machine& m) {
    Code code;
    code.ops.reserve(instructions.size());
    for (const sass::Instruction& i : instructions) code.ops.push_back(op_of(i, m));
    return code;
}

} // namespace timing
