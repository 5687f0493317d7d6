// The sentences of findings.
#include "sim/block.h"

#include <fmt/format.h>

namespace sim {
namespace {

const char* verb(const Access& a) {
    return a.direction == Access::load ? "reads" : a.direction == Access::store ? "writes" : "updates";
}

std::string element_name(const trace::Buffer& b, uint64_t byte) {
    const uint64_t element = byte / std::max(1u, b.element_bytes);
    if (b.rows > 1 && b.columns > 0) return fmt::format("{}[{}][{}]", b.name, element / b.columns, element % b.columns);
    return fmt::format("{}[{}]", b.name, element);
}

} // namespace

void Block::finding(trace::FindingKind kind, const Warp& w, const Operation& op, uint32_t lanes, std::string text, int64_t other,
                    trace::Severity severity) {
    if (findings_.count_known(kind, op.pc, other)) return;
    trace::Finding f;
    f.kind = kind;
    f.severity = severity;
    f.source_line = program_.listing->instructions[op.pc].source_line;
    f.pc = op.pc;
    f.block = index_;
    f.warp = static_cast<int>(w.index);
    f.lanes = lanes;
    f.text = std::move(text);
    findings_.add(std::move(f), other);
}

std::string Block::global_name(uint64_t address) const {
    if (const trace::Buffer* b = run_.memory.find(address, 1)) return element_name(*b, address - b->address);
    // The nearest buffer tells what was meant.
    const trace::Buffer* nearest = nullptr;
    uint64_t distance = ~uint64_t{0};
    for (const trace::Buffer& b : run_.memory.buffers()) {
        const uint64_t end = b.address + b.bytes;
        const uint64_t d = address >= end ? address - end : b.address - address;
        if (d < distance) distance = d, nearest = &b;
    }
    constexpr uint64_t near = uint64_t{1} << 35;
    if (!nearest || distance > near) return fmt::format("address {:#x}, which is in no buffer", address);
    const uint64_t size = std::max(1u, nearest->element_bytes);
    if (address < nearest->address) return fmt::format("{} bytes before {}", nearest->address - address, nearest->name);
    return fmt::format("{}, {} bytes past the end of {} ({} elements)", element_name(*nearest, address - nearest->address),
                       address - (nearest->address + nearest->bytes) + 1, nearest->name, nearest->bytes / size);
}

std::string Block::shared_name(uint64_t offset) const {
    for (const auto& v : program_.shared_variables)
        if (offset >= v.at && offset - v.at < v.bytes) return fmt::format("{} + {} bytes", v.name, offset - v.at);
    if (offset >= program_.dynamic_shared_at && offset < shared_.data.size()) return fmt::format("dynamic shared memory + {} bytes", offset - program_.dynamic_shared_at);
    return fmt::format("byte {} of shared memory", offset);
}

void Block::out_of_bounds(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, const char* where) {
    if (findings_.count_known(trace::FindingKind::out_of_bounds, op.pc)) return;
    const int lane = __builtin_ctz(lanes);
    const uint64_t at = a.at[static_cast<size_t>(lane)];
    const bool shared = where[0] == 's';
    std::string what = shared ? fmt::format("byte {} of the block's {} bytes of shared memory", at, shared_.data.size())
                       : where[0] == 'l' ? fmt::format("byte {} of the thread's {} bytes of local memory", at, program_.local_bytes)
                                         : global_name(at);
    finding(trace::FindingKind::out_of_bounds, w, op, lanes,
            fmt::format("lane {} {} {} bytes at {}", lane, verb(a), a.bytes, what));
}

void Block::race(const Warp& w, const Operation& op, const Access& a, int lane, uint32_t word, Touch before, bool before_wrote) {
    const uint32_t other = touch_pc(before);
    if (findings_.count_known(trace::FindingKind::shared_race, op.pc, other)) return;
    const trace::Instruction& first = program_.listing->instructions[other];
    finding(trace::FindingKind::shared_race, w, op, 1u << lane,
            fmt::format("lane {} of warp {} {} {}, which warp {} {} at line {} ({}) with no barrier between", lane, w.index, verb(a),
                        shared_name(uint64_t{word} * 4), touch_tag(before) & 31, before_wrote ? "wrote" : "read", first.source_line, first.text),
            other);
}

} // namespace sim
