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

std::string size_of(const trace::Buffer& b) {
    if (b.rows > 1 && b.columns > 0) return fmt::format("{} has {} x {} elements", b.name, b.rows, b.columns);
    return fmt::format("{} has {} elements", b.name, b.bytes / std::max(1u, b.element_bytes));
}

// The buffer that `address` lies in or is nearest to, and how far it is from it; -1: there is none near.
int64_t nearest_buffer(std::span<const trace::Buffer> buffers, uint64_t address) {
    uint64_t distance = uint64_t{1} << 35;
    int64_t nearest = -1;
    for (size_t n = 0; n < buffers.size(); ++n) {
        const uint64_t end = buffers[n].address + buffers[n].bytes;
        const uint64_t d = address < buffers[n].address ? buffers[n].address - address : address < end ? 0 : address - end;
        if (d < distance) distance = d, nearest = static_cast<int64_t>(n);
    }
    return nearest;
}

} // namespace

FindingKey Block::key(trace::FindingKind kind, const Operation& op, int64_t other) const {
    return {kind, place_of_pc(program_.listing->instructions[op.pc].source_line, op.pc), other};
}

bool Block::known(trace::FindingKind kind, const Operation& op, int64_t other) {
    charge();
    return findings_.count_known(key(kind, op, other));
}

void Block::finding(trace::FindingKind kind, const Warp& w, const Operation& op, uint32_t lanes, std::string text, int64_t other,
                    trace::Severity severity) {
    charge();
    if (findings_.count_known(key(kind, op, other))) return;
    trace::Finding f;
    f.kind = kind;
    f.severity = severity;
    f.source_line = program_.listing->instructions[op.pc].source_line;
    f.pc = op.pc;
    f.block = index_;
    f.warp = static_cast<int>(w.index);
    f.lanes = lanes;
    f.text = std::move(text);
    findings_.add(key(kind, op, other), std::move(f));
}

std::string Block::global_name(uint64_t address) const {
    const auto buffers = run_.memory.buffers();
    const int64_t number = nearest_buffer(buffers, address);
    if (number < 0) return fmt::format("address {:#x}, which is in no array", address);
    const trace::Buffer& b = buffers[static_cast<size_t>(number)];
    if (address < b.address) return fmt::format("{} bytes before {} begins", b.address - address, b.name);
    return element_name(b, address - b.address);
}

// PTX keeps an array's size but neither its shape nor, mostly, its type: what is said of the type is the access's.
std::string Block::shared_name(const Operation& op, uint64_t offset) const {
    int64_t number = shared_number(offset);
    if (number < 0 && offset >= shared_.data.size()) number = static_cast<int64_t>(program_.shared_variables.size()) - 1; // past the last one
    if (number < 0) return fmt::format("byte {} of shared memory", offset);
    const auto& v = program_.shared_variables[static_cast<size_t>(number)];
    uint32_t size = v.element_bytes;
    if (size <= 1) size = op.bytes > 0 && op.bytes <= 4 ? op.bytes : std::min<uint32_t>(std::max<uint32_t>(op.bytes, 1), program_.shared_element_bytes);
    return fmt::format("{}element {} of {}", size == 4 ? "" : fmt::format("{}-byte ", size), (offset - v.at) / size, v.name);
}

std::string Block::beyond_shared(const Operation& op, uint64_t offset) const {
    constexpr uint64_t half = uint64_t{1} << 31, whole = uint64_t{1} << 32;
    const uint64_t before = offset < whole ? whole - offset : 0 - offset; // addresses of 32 and of 64 bits wrap
    if (before <= half) return fmt::format("{} bytes before the block's shared memory begins", before);
    return fmt::format("{}, past the end of the block's {} bytes of shared memory", shared_name(op, offset), shared_.data.size());
}

int64_t Block::shared_number(uint64_t offset) const {
    int64_t found = -1;
    for (size_t n = 0; n < program_.shared_variables.size(); ++n) {
        const auto& v = program_.shared_variables[n];
        const uint64_t end = v.bytes > 0 ? uint64_t{v.at} + v.bytes : shared_.data.size(); // 0: dynamic
        if (offset >= v.at && offset < end) found = static_cast<int64_t>(n);
    }
    return found;
}

std::string Block::memory_name(Space space, const Operation& op, uint64_t at) const {
    if (space == Space::shared) return shared_name(op, at);
    return space == Space::local ? fmt::format("byte {} of the thread's local memory", at) : global_name(at);
}

void Block::misaligned(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, Space space) {
    if (known(trace::FindingKind::misaligned, op)) return;
    const int lane = __builtin_ctz(lanes);
    const uint64_t at = a.at[static_cast<size_t>(lane)];
    finding(trace::FindingKind::misaligned, w, op, lanes,
            fmt::format("lane {} {} {} bytes at once from {} on, whose address {:#x} is not a multiple of {}", lane, verb(a), a.bytes, memory_name(space, op, at), at, a.bytes));
}

void Block::out_of_bounds(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, Space space) {
    const int lane = __builtin_ctz(lanes);
    const uint64_t at = a.at[static_cast<size_t>(lane)];
    const auto buffers = run_.memory.buffers();
    enum : int64_t { of_shared = -2, of_local = -3 };
    const int64_t array = space == Space::shared ? of_shared : space == Space::local ? of_local : nearest_buffer(buffers, at);
    if (known(trace::FindingKind::out_of_bounds, op, array)) return;
    std::string what;
    if (space == Space::shared) what = beyond_shared(op, at);
    else if (space == Space::local) what = fmt::format("byte {} of the thread's {} bytes of local memory", at, program_.local_bytes);
    else what = global_name(at);
    if (array >= 0) {
        const trace::Buffer& b = buffers[static_cast<size_t>(array)];
        if (at >= b.address) what = (a.bytes > b.element_bytes ? fmt::format("{} bytes from {} on", a.bytes, what) : what) + "; " + size_of(b);
    }
    finding(trace::FindingKind::out_of_bounds, w, op, lanes, fmt::format("lane {} {} {}", lane, verb(a), what), array);
}

void Block::race(const Warp& w, const Operation& op, const Access& a, const Conflict& c) {
    const trace::Instruction& first = program_.listing->instructions[touch_pc(c.before)];
    const int64_t other = place_of_pc(first.source_line, touch_pc(c.before));
    if (known(trace::FindingKind::shared_race, op, other)) return;
    finding(trace::FindingKind::shared_race, w, op, c.lanes,
            fmt::format("lane {} of warp {} {} {}, which warp {} {} at {} with no barrier between", __builtin_ctz(c.lanes), w.index, verb(a),
                        shared_name(op, uint64_t{c.word} * 4), touch_tag(c.before) & 31, c.wrote ? "wrote" : "read",
                        first.source_line > 0 ? fmt::format("line {}", first.source_line) : first.text),
            other);
}

} // namespace sim
