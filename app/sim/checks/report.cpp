#include "sim/checks/report.h"

#include "sim/run/cluster.h"

#include <filesystem>
#include <utility>

namespace sim {

using base::say;
using base::Sentence;

Sentence verb(const Access& a) {
    return a.direction == Access::load ? say("reads") : a.direction == Access::store ? say("writes") : say("updates");
}

int64_t Report::place(uint32_t pc) const { return place_of(block_.program.listing->instructions[pc], pc); }

FindingKey Report::key(trace::FindingKind kind, const Operation& op, int64_t other) const {
    return {kind, place(op.pc), other};
}

bool Report::known(trace::FindingKind kind, const Operation& op, int64_t other) {
    return count_known(key(kind, op, other));
}

trace::Finding Report::about(trace::FindingKind kind, const Warp& w, const Operation& op, uint32_t lanes,
                             Sentence text) const {
    trace::Finding f;
    f.kind = kind;
    f.source_line = block_.program.listing->instructions[op.pc].source_line;
    f.pc = op.pc;
    f.block = block_.index;
    f.warp = static_cast<int>(w.index);
    f.lanes = lanes;
    f.text = std::move(text);
    return f;
}

void Report::finding(trace::FindingKind kind, const Warp& w, const Operation& op, uint32_t lanes, Sentence text,
                     int64_t other, trace::Severity severity) {
    if (known(kind, op, other)) return;
    trace::Finding f = about(kind, w, op, lanes, std::move(text));
    f.severity = severity;
    findings_.add(key(kind, op, other), std::move(f));
}

void Report::add(const FindingKey& key, trace::Finding finding) { findings_.add(key, std::move(finding)); }

bool Report::count_known(const FindingKey& key, trace::Severity severity) {
    fuel_.charge(block_.run.options.finding_cost);
    return findings_.count_known(key, severity);
}

void Report::check_alignment(const Warp& w, const Operation& op, const Access& a, Space space) {
    uint64_t low_bits = a.pattern ? a.low | a.high | a.pattern->ones : ~uint64_t{0};
    if ((low_bits & (a.bytes - 1)) == 0) return;
    uint32_t lanes = 0;
    for (int i = 0; i < 32; ++i) lanes |= (a.at[static_cast<size_t>(i)] & (a.bytes - 1)) ? 1u << i : 0u;
    lanes &= a.active;
    if (lanes) misaligned(w, op, a, lanes, space);
}

void Report::misaligned(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, Space space) {
    if (known(trace::FindingKind::misaligned, op)) return;
    const int lane = __builtin_ctz(lanes);
    const uint64_t at = a.at[static_cast<size_t>(lane)];
    finding(trace::FindingKind::misaligned, w, op, lanes,
            say("lane {} {} {} bytes at once from {} on, whose address {:#x} is not a multiple of {}", lane, verb(a),
                a.bytes, names.of(space, op, at), at, a.bytes));
}

void Report::out_of_bounds(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, Space space) {
    enum : int64_t { of_shared = -2, of_local = -3, of_variables = -1024 };
    const int lane = __builtin_ctz(lanes);
    const uint64_t at = a.at[static_cast<size_t>(lane)];
    const int64_t variable = space == Space::global ? names.nearest_variable(at) : -1;
    const int64_t array = space == Space::shared  ? of_shared
                          : space == Space::local ? of_local
                          : variable >= 0         ? of_variables - variable
                                                  : names.nearest_buffer(at);
    if (known(trace::FindingKind::out_of_bounds, op, array)) return;
    const Sentence what = space == Space::shared  ? names.beyond_shared(op, at)
                          : space == Space::local ? names.beyond_local(at)
                                                  : names.beyond_global(op, at, a.bytes);
    finding(trace::FindingKind::out_of_bounds, w, op, lanes, say("lane {} {} {}", lane, verb(a), what), array);
}

// Of shared memory that exists, but is not of the array that the address was made from.
void Report::beyond_array(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    const auto number = static_cast<size_t>(op.shared_array);
    const auto& array = block_.program.shared_variables[number];
    constexpr int64_t of_arrays = -16;
    const int64_t other = of_arrays - op.shared_array;
    if (known(trace::FindingKind::out_of_bounds, op, other)) return;
    const int lane = __builtin_ctz(lanes);
    const BlockContext* home = names.other_block(a.at[static_cast<size_t>(lane)]);
    const uint64_t at = offset_of(a.at[static_cast<size_t>(lane)]);
    Sentence what =
        at < array.at ? say("{} bytes before {} begins", array.at - at, array.name) : names.element(op, number, at);
    if (home) what = say("{} of {}", what, block_name(home->index));
    if (array.bytes > 0) what = base::list({what, say("{} has {} bytes", array.name, array.bytes)});
    const int64_t there = names.shared_array(at);
    if (there >= 0 && there != op.shared_array) what = say("{}, and that address holds {}", what, names.shared(op, at));
    finding(trace::FindingKind::out_of_bounds, w, op, lanes, say("lane {} {} {}", lane, verb(a), what), other);
}

void Report::overlap(const Warp& w, const Operation& op, uint32_t lanes, Space space, uint64_t at) {
    const auto kind = space == Space::shared ? trace::FindingKind::shared_race : trace::FindingKind::global_race;
    constexpr int64_t of_lanes = -2;
    if (known(kind, op, of_lanes)) return;
    finding(kind, w, op, lanes,
            say("{} of warp {} write different values to {} in one instruction; which one stays is not defined: {}",
                lanes_text(lanes), w.index, names.of(space, op, at), statement(op.pc)),
            of_lanes);
}

// Both accesses are named the same way whichever came first: the finding stands at the write, of two writes at the upper line.
void Report::race_between_blocks(trace::FindingKind kind, BlockAccess one, BlockAccess two, int64_t array,
                                 const Sentence& what, const Sentence& where) {
    if (one.writes != two.writes ? two.writes : place(two.pc) < place(one.pc)) std::swap(one, two);
    const FindingKey key{kind, place(one.pc), with_array(place(two.pc), array)};
    if (count_known(key)) return;
    const auto who = [](const BlockAccess& a) {
        return say("lane {} of warp {} of block ({}, {}, {})", __builtin_ctz(a.lanes), a.warp, a.block.x, a.block.y,
                   a.block.z);
    };
    trace::Finding f;
    f.kind = kind;
    f.source_line = block_.program.listing->instructions[one.pc].source_line;
    f.pc = one.pc;
    f.block = one.block;
    f.warp = static_cast<int>(one.warp);
    f.lanes = one.lanes;
    f.text = say("{} writes {}, which {} {} {} with nothing between that orders the blocks ({}; {} by {}; {} by {})",
                 who(one), what, who(two), two.writes ? say("writes") : say("reads"), place_text(two.pc), where,
                 statement(one.pc), lanes_text(one.lanes), statement(two.pc), lanes_text(two.lanes));
    f.other = other_access(two.pc, two.block, two.warp, two.lanes);
    findings_.add(key, std::move(f));
}

void Report::not_together(const Warp& w, const Operation& op, uint32_t active) {
    if (known(trace::FindingKind::divergent_barrier, op)) return;
    finding(trace::FindingKind::divergent_barrier, w, op, ~active,
            base::say("all 32 lanes must execute this instruction together; these do: {:08x}", active));
}

void Report::no_such_block(const Warp& w, const Operation& op, uint32_t lanes, uint32_t rank) {
    finding(trace::FindingKind::out_of_bounds, w, op, lanes,
            say("lane {} asks for block {} of a cluster of {}", __builtin_ctz(lanes), rank, block_.cluster.size()));
}

Sentence Report::place_text(uint32_t pc) const {
    const trace::Instruction& i = block_.program.listing->instructions[pc];
    if (i.source_line <= 0) return say("at pc {}", pc);
    const auto file = block_.program.listing->source_files.find(i.source_file);
    if (file == block_.program.listing->source_files.end()) return say("at line {}", i.source_line);
    return say("at line {} of {}", i.source_line, std::filesystem::path(file->second).filename().string());
}

trace::Finding::Other Report::other_access(uint32_t pc, base::Dim3 block, uint32_t warp, uint32_t lanes) const {
    return {block_.program.listing->instructions[pc].source_line, pc, block, static_cast<int>(warp), lanes};
}

std::string Report::statement(uint32_t pc) const {
    const std::string& text = block_.program.listing->instructions[pc].text;
    return text.substr(0, text.find(';'));
}

} // namespace sim
