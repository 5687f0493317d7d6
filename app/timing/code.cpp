#include "timing/code.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

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
    if (i.opcode == "HGMMA" || i.opcode == "BGMMA" || i.opcode == "QGMMA") return Does::group_product;
    if (i.opcode == "WARPGROUP" && i.has("ARRIVE")) return Does::group_arrive;
    if (i.opcode == "WARPGROUP" && i.has("DEPBAR")) return Does::group_wait;
    if (i.opcode == "SYNCS" && i.has("PHASECHK")) return Does::poll;
    if (i.opcode == "YIELD") return Does::yield;
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
    case Kind::atomic:
        if (i.space == Space::shared) return Does::shared;
        return i.opcode.starts_with("RED") ? Does::store : Does::global;
    default: return Does::compute;
    }
}

// L2 answers atomic operations, copies that ask for it, and loads that other multiprocessors' stores must be seen by.
bool is_past_l1(const sass::Instruction& i) {
    return i.kind == Kind::atomic || i.has("BYPASS") || (i.has("STRONG") && (i.has("GPU") || i.has("SYS")));
}

uint8_t registers_of(const sass::Instruction& i) { return static_cast<uint8_t>(std::max(1, i.bytes / 4)); }

// Of 64x128x16 the 128.
double columns_of(const sass::Instruction& i) {
    for (const std::string_view word : i.modifiers)
        if (word.starts_with("64x")) return std::atof(std::string(word.substr(3)).c_str());
    return 64;
}

// Of a product by its shape: 16816 is 16 x 8 x 16.
double product_interval(const sass::Instruction& i, const Machine& m) {
    if (i.opcode == "DMMA") {
        for (const auto& [shape, depths] : {std::pair{"16x8x16", 4}, {"16x8x8", 2}})
            if (i.has(shape)) return depths * m.fp64_product_interval;
        return m.fp64_product_interval;
    }
    if (i.opcode == "HGMMA" || i.opcode == "BGMMA" || i.opcode == "QGMMA") // 64xNx16: a sub-core's part of N columns
        return columns_of(i) / 2;
    const bool tf32 = i.has("TF32");
    return i.has("1684") || i.has("168128") || (i.has("1688") && !tf32) ? m.short_product_interval : m.product_interval;
}

bool reads_register(const sass::Operand& o) {
    const uint16_t number = o.kind == sass::OperandKind::memory ? o.base : o.number;
    const bool reads = o.kind == sass::OperandKind::register_ || o.kind == sass::OperandKind::memory;
    return reads && !o.written && number != sass::zero_register && number != sass::Operand::none;
}

// Addresses and data go to the unit one register after another: of LDS one, of LDG, whose address has 64 bits, two, of STS.128 five.
int registers_sent(const sass::Instruction& i) {
    int count = 0;
    for (const sass::Operand& o : i.operands)
        if (reads_register(o)) count += o.registers;
    return std::max(count, 1);
}

double interval_of(Pipe pipe, const sass::Instruction& i, const Machine& m) {
    switch (pipe) {
    case Pipe::fma:
        if (i.opcode == "IMAD" || i.opcode == "IDP")
            return m.integer_multiply_interval * (i.has("WIDE") || i.has("HI") ? 2 : 1);
        return m.fma_interval;
    case Pipe::alu: return m.alu_interval;
    case Pipe::fp64: return m.fp64_interval;
    case Pipe::special: return m.special_interval;
    case Pipe::uniform: return m.uniform_interval;
    case Pipe::tensor: return product_interval(i, m);
    case Pipe::memory: return m.access_interval * registers_sent(i);
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
        if (reads_register(o)) op.reads[op.read_count++] = {place, o.reuse, number, o.registers};
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

// Of D, A, B, C; where A lies in shared memory, one descriptor stands for both.
bool a_in_registers(const sass::Instruction& i) {
    return i.operands.size() > 1 && i.operands[1].kind == sass::OperandKind::register_;
}

double latency_of(const Op& op, const sass::Instruction& i, const Machine& m) {
    if (i.opcode == "DMMA") return op.interval + m.fp64_product_latency;
    if (op.does == Does::group_product)
        return op.interval + (a_in_registers(i) ? m.register_product_latency : m.group_product_latency);
    return op.pipe == Pipe::memory ? m.special_register_latency : m.special_latency;
}

Op op_of(const sass::Instruction& i, const Machine& m) {
    Op op;
    op.pipe = pipe_of(i);
    op.does = does_of(i);
    op.interval = static_cast<uint16_t>(interval_of(op.pipe, i, m));
    if (op.does == Does::group_product) op.pipe = Pipe::none; // a queue takes it
    op.past_l1 = is_past_l1(i);
    op.local = i.space == Space::local;
    op.registers = registers_of(i);
    op.sent = static_cast<uint8_t>(registers_sent(i));
    op.stall = i.control.stall;
    op.write_barrier = i.control.write_barrier;
    op.read_barrier = i.control.read_barrier;
    op.wait_mask = i.control.wait_mask;
    op.latency = static_cast<uint16_t>(latency_of(op, i, m));
    // The products of a warpgroup pass over their accumulators in their own time, which the interval holds.
    if (op.does != Does::group_product) take_reads(i, op);
    if (op.does == Does::barrier) take_barrier(i, op);
    if (op.does == Does::wait_count || op.does == Does::group_wait)
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
