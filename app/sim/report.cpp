// The sentences of findings.
#include "sim/cluster.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace sim {

using base::say;
using base::Sentence;

namespace {

Sentence verb(const Access& a) {
    return a.direction == Access::load ? say("reads") : a.direction == Access::store ? say("writes") : say("updates");
}

// As the source indexes it: of a matrix of bits a word.
Sentence element_name(const trace::Buffer& b, uint64_t byte) {
    const uint64_t element = byte / b.element_bytes(), leading = b.layout().leading_dimension();
    if (b.rows <= 1 || b.columns <= 0) return base::verbatim(fmt::format("{}[{}]", b.name, element));
    const std::string name = fmt::format("{}[{}][{}]", b.name, element / leading, element % leading);
    return b.layout().is_padding(element) ? say("{} (padding)", name) : base::verbatim(name);
}

Sentence size_of(const trace::Buffer& b) {
    if (b.rows <= 1 || b.columns <= 0) return say("{} has {} elements", b.name, b.bytes / b.element_bytes());
    const int64_t rows = b.layout().stored_rows(), columns = b.layout().stored_columns();
    const Sentence size = b.packing != base::Packing::none ? say("{} has {} x {} words", b.name, rows, columns)
                                                           : say("{} has {} x {} elements", b.name, rows, columns);
    return b.padding > 0 ? say("{}, rows padded to {}", size, b.layout().leading_dimension()) : size;
}

// Which of the arrays `address` lies in or is nearest to; -1: there is none near. `begin_of` gives an array's
// first address.
template <class Arrays, class Begin>
int64_t nearest(const Arrays& arrays, uint64_t address, Begin begin_of) {
    uint64_t distance = uint64_t{1} << 35;
    int64_t found = -1;
    for (size_t n = 0; n < arrays.size(); ++n) {
        const uint64_t begin = begin_of(arrays[n]), end = begin + arrays[n].bytes;
        const uint64_t d = address < begin ? begin - address : address < end ? 0 : address - end;
        if (d < distance) distance = d, found = static_cast<int64_t>(n);
    }
    return found;
}

int64_t nearest_buffer(std::span<const trace::Buffer> buffers, uint64_t address) {
    return nearest(buffers, address, [](const trace::Buffer& b) { return b.address; });
}

int64_t nearest_variable(const Program& program, uint64_t address) {
    return nearest(program.file_variables, address,
                   [](const Program::FileVariable& v) { return module_window + v.at; });
}

// PTX keeps an array's size but neither its shape nor, mostly, its type (`element_bytes` 1): what is said of
// it then is the access's. `offset` may be past the array's end.
Sentence element_text(const std::string& name, uint32_t element_bytes, uint32_t access_bytes, uint64_t offset) {
    const uint32_t size = element_bytes > 1 ? element_bytes : std::max<uint32_t>(access_bytes, 1);
    return size == 4 ? say("element {} of {}", offset / size, name)
                     : say("{}-byte element {} of {}", size, offset / size, name);
}

} // namespace

namespace {

// What else is involved, where it is both another access and an array.
int64_t with_array(int64_t place, int64_t number) {
    constexpr int64_t beyond_places = int64_t{1} << 40;
    return place + (number + 1) * beyond_places;
}

} // namespace

FindingKey Block::key(trace::FindingKind kind, const Operation& op, int64_t other) const {
    return {kind, place_of(program_.listing->instructions[op.pc], op.pc), other};
}

bool Block::known(trace::FindingKind kind, const Operation& op, int64_t other) {
    charge(run_.options.finding_cost);
    return findings_.count_known(key(kind, op, other));
}

trace::Finding Block::about(trace::FindingKind kind, const Warp& w, const Operation& op, uint32_t lanes,
                            Sentence text) const {
    trace::Finding f;
    f.kind = kind;
    f.source_line = program_.listing->instructions[op.pc].source_line;
    f.pc = op.pc;
    f.block = index_;
    f.warp = static_cast<int>(w.index);
    f.lanes = lanes;
    f.text = std::move(text);
    return f;
}

void Block::finding(trace::FindingKind kind, const Warp& w, const Operation& op, uint32_t lanes, Sentence text,
                    int64_t other, trace::Severity severity) {
    if (known(kind, op, other)) return;
    trace::Finding f = about(kind, w, op, lanes, std::move(text));
    f.severity = severity;
    findings_.add(key(kind, op, other), std::move(f));
}

Sentence Block::global_name(const Operation& op, uint64_t address) const {
    if (const int64_t n = nearest_variable(program_, address); n >= 0) {
        const Program::FileVariable& v = program_.file_variables[static_cast<size_t>(n)];
        const uint64_t begin = module_window + v.at;
        return address < begin ? say("{} bytes before {} begins", begin - address, v.name)
                               : element_text(v.name, v.element_bytes, op.bytes, address - begin);
    }
    const auto buffers = run_.memory.buffers();
    const int64_t number = nearest_buffer(buffers, address);
    if (number < 0) return say("address {:#x}, which is in no array", address);
    const trace::Buffer& b = buffers[static_cast<size_t>(number)];
    if (address < b.address) return say("{} bytes before {} begins", b.address - address, b.name);
    return element_name(b, address - b.address);
}

Sentence Block::shared_name(const Operation& op, uint64_t offset) const {
    if (const Block* other = other_block(offset))
        return say("{} of {}", shared_name(op, offset_of(offset)), other->block_name());
    int64_t number = shared_number(offset);
    if (number < 0 && offset >= shared_.data.size())
        number = static_cast<int64_t>(program_.shared_variables.size()) - 1; // past the last one
    if (number < 0) return say("byte {} of shared memory", offset);
    return element_of(op, static_cast<size_t>(number), offset);
}

Sentence Block::block_name() const { return say("block ({}, {}, {})", index_.x, index_.y, index_.z); }

const Block* Block::other_block(uint64_t shared_address) const {
    const uint32_t rank = rank_of(shared_address);
    return shared_address < rank_unit || rank >= cluster_.size() ? nullptr : &cluster_.block(rank);
}

// Also of an offset past the array's end.
Sentence Block::element_of(const Operation& op, size_t array, uint64_t offset) const {
    const auto& v = program_.shared_variables[array];
    const uint32_t bytes = op.bytes <= 4 ? op.bytes : std::min<uint32_t>(op.bytes, program_.shared_element_bytes);
    return element_text(v.name, v.element_bytes, bytes, offset - v.at);
}

std::string Block::statement(uint32_t pc) const {
    const std::string& text = program_.listing->instructions[pc].text;
    return text.substr(0, text.find(';'));
}

Sentence Block::beyond_shared(const Operation& op, uint64_t offset) const {
    constexpr uint64_t half = uint64_t{1} << 31, whole = uint64_t{1} << 32;
    const uint64_t before = offset < whole ? whole - offset : 0 - offset; // addresses of 32 and of 64 bits wrap
    if (before <= half) return say("{} bytes before the block's shared memory begins", before);
    return say("{}, past the end of the block's {} bytes of shared memory", shared_name(op, offset),
               shared_.data.size());
}

Sentence Block::beyond_local(uint64_t at) const {
    constexpr uint64_t half = uint64_t{1} << 63; // addresses below wrap
    if (at >= half)
        return say("{} bytes before the thread's {} bytes of local memory begin", 0 - at, program_.local_bytes);
    return say("byte {} of the thread's {} bytes of local memory", at, program_.local_bytes);
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

Sentence Block::memory_name(Space space, const Operation& op, uint64_t at) const {
    if (space == Space::shared) return shared_name(op, at);
    return space == Space::local ? say("byte {} of the thread's local memory", at) : global_name(op, at);
}

void Block::misaligned(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, Space space) {
    if (known(trace::FindingKind::misaligned, op)) return;
    const int lane = __builtin_ctz(lanes);
    const uint64_t at = a.at[static_cast<size_t>(lane)];
    finding(trace::FindingKind::misaligned, w, op, lanes,
            say("lane {} {} {} bytes at once from {} on, whose address {:#x} is not a multiple of {}", lane, verb(a),
                a.bytes, memory_name(space, op, at), at, a.bytes));
}

void Block::out_of_bounds(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, Space space) {
    const int lane = __builtin_ctz(lanes);
    const uint64_t at = a.at[static_cast<size_t>(lane)];
    const auto buffers = run_.memory.buffers();
    enum : int64_t { of_shared = -2, of_local = -3 };
    const int64_t variable = space == Space::global ? nearest_variable(program_, at) : -1;
    constexpr int64_t of_variables = -1024;
    const int64_t array = space == Space::shared  ? of_shared
                          : space == Space::local ? of_local
                          : variable >= 0         ? of_variables - variable
                                                  : nearest_buffer(buffers, at);
    if (known(trace::FindingKind::out_of_bounds, op, array)) return;
    Sentence what;
    if (space == Space::shared) what = beyond_shared(op, at);
    else if (space == Space::local) what = beyond_local(at);
    else what = global_name(op, at);
    if (variable >= 0) {
        const Program::FileVariable& v = program_.file_variables[static_cast<size_t>(variable)];
        if (at >= module_window + v.at)
            what = v.bytes >= at - module_window - v.at + a.bytes
                       ? say("{}, which is constant", what)
                       : base::list({what, say("{} has {} bytes", v.name, v.bytes)});
    }
    if (array >= 0) {
        const trace::Buffer& b = buffers[static_cast<size_t>(array)];
        if (at >= b.address)
            what = base::list(
                {a.bytes > b.element_bytes() ? say("{} bytes from {} on", a.bytes, what) : what, size_of(b)});
    }
    finding(trace::FindingKind::out_of_bounds, w, op, lanes, say("lane {} {} {}", lane, verb(a), what), array);
}

// Of shared memory that exists, but is not of the array that the address was made from.
void Block::beyond_array(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    const auto number = static_cast<size_t>(op.shared_array);
    const auto& array = program_.shared_variables[number];
    constexpr int64_t of_arrays = -16;
    const int64_t other = of_arrays - op.shared_array;
    if (known(trace::FindingKind::out_of_bounds, op, other)) return;
    const int lane = __builtin_ctz(lanes);
    const Block* home = other_block(a.at[static_cast<size_t>(lane)]);
    const uint64_t at = offset_of(a.at[static_cast<size_t>(lane)]);
    Sentence what =
        at < array.at ? say("{} bytes before {} begins", array.at - at, array.name) : element_of(op, number, at);
    if (home) what = say("{} of {}", what, home->block_name());
    if (array.bytes > 0) what = base::list({what, say("{} has {} bytes", array.name, array.bytes)});
    const int64_t there = shared_number(at);
    if (there >= 0 && there != op.shared_array) what = say("{}, and that address holds {}", what, shared_name(op, at));
    finding(trace::FindingKind::out_of_bounds, w, op, lanes, say("lane {} {} {}", lane, verb(a), what), other);
}

Sentence Block::place_text(uint32_t pc) const {
    const trace::Instruction& i = program_.listing->instructions[pc];
    if (i.source_line <= 0) return say("at pc {}", pc);
    const auto file = program_.listing->source_files.find(i.source_file);
    if (file == program_.listing->source_files.end()) return say("at line {}", i.source_line);
    return say("at line {} of {}", i.source_line, std::filesystem::path(file->second).filename().string());
}

trace::Finding::Other Block::other_access(uint32_t pc, base::Dim3 block, uint32_t warp, uint32_t lanes) const {
    return {program_.listing->instructions[pc].source_line, pc, block, static_cast<int>(warp), lanes};
}

void Block::race(const Warp& w, const Operation& op, const Access& a, const Conflict& c) {
    const uint32_t pc = pc_of(c.before), warp = warp_of(c.before), lane = lane_of(c.before);
    const int64_t one = place_of(program_.listing->instructions[op.pc], op.pc);
    const int64_t two = place_of(program_.listing->instructions[pc], pc);
    const FindingKey pair{trace::FindingKind::shared_race, std::min(one, two),
                          with_array(std::max(one, two), shared_number(c.at))}; // the same, whichever came first
    charge(run_.options.finding_cost);
    const bool inside = warp == w.index;
    // Lanes that are together now have executed everything in step so far: it works where warps do.
    const bool in_step = inside && w.path[w.depth - 1].mask >> lane & 1;
    const auto severity = in_step ? trace::Severity::warning : trace::Severity::error;
    if (findings_.count_known(pair, severity)) return;
    trace::Finding f = about(
        trace::FindingKind::shared_race, w, op, c.lanes,
        say("lane {} of warp {} {} {}, which lane {} of {} {} {} with no {} between (byte {} of shared memory; {} by {}; {} by {})",
            __builtin_ctz(c.lanes), w.index, verb(a), shared_name(op, c.at), lane,
            inside ? say("the same warp") : say("warp {}", warp), c.wrote ? say("wrote") : say("read"), place_text(pc),
            inside ? say("barrier or {}", base::verbatim("__syncwarp")) : say("barrier"), c.at, statement(op.pc),
            lanes_text(c.lanes), statement(pc), lanes_text(c.lanes_before)));
    f.severity = severity;
    f.other = other_access(pc, index_, warp, c.lanes_before);
    findings_.add(pair, std::move(f));
}

// Of two orders of execution the same: the finding stands at the read, the other access is the copy.
void Block::overtaken(const Warp& w, const ToldRead& t) {
    const Operation& op = *t.read.by;
    const int64_t copy = place_of(program_.listing->instructions[t.copy->pc], t.copy->pc);
    charge(run_.options.finding_cost);
    const FindingKey pair = key(trace::FindingKind::unfinished_read, op, copy);
    if (findings_.count_known(pair)) return;
    const auto lane = static_cast<uint32_t>(__builtin_ctz(t.overwritten));
    const uint64_t at = read_at(t.read, lane);
    const bool begins = t.by == t.copy, at_barrier = t.by->flow == Flow::barrier;
    const Sentence copy_name =
        say("the bulk copy {} by lane {} of warp {}", place_text(t.copy->pc), t.copy_lane, t.copy_warp);
    const Sentence when = begins ? say("{} begins, which", copy_name)
                          : at_barrier
                              ? say("the warp comes to the barrier {}; {}", place_text(t.by->pc), copy_name)
                              : say("the warp arrives at the mbarrier {}; {}", place_text(t.by->pc), copy_name);
    const Sentence fault = say(
        "lane {} of warp {} reads {}, and nothing has waited for the value when {} may overwrite it before it is read",
        lane, w.index, shared_name(op, at), when);
    const Sentence cure =
        say("use the value first, or put fence.proxy.async before the {}", begins       ? say("copy")
                                                                           : at_barrier ? say("barrier")
                                                                                        : say("arrival"));
    const Sentence evidence = say("byte {} of shared memory; {} by {}; {}", at, statement(op.pc),
                                  lanes_text(t.overwritten), statement(t.copy->pc));
    trace::Finding f =
        about(trace::FindingKind::unfinished_read, w, op, t.overwritten, say("{}: {} ({})", fault, cure, evidence));
    f.other = other_access(t.copy->pc, index_, t.copy_warp, 1u << t.copy_lane);
    findings_.add(pair, std::move(f));
}

void Block::overlap(const Warp& w, const Operation& op, uint32_t lanes, Space space, uint64_t at) {
    const auto kind = space == Space::shared ? trace::FindingKind::shared_race : trace::FindingKind::global_race;
    constexpr int64_t of_lanes = -2;
    if (known(kind, op, of_lanes)) return;
    finding(kind, w, op, lanes,
            say("{} of warp {} write different values to {} in one instruction; which one stays is not defined: {}",
                lanes_text(lanes), w.index, memory_name(space, op, at), statement(op.pc)),
            of_lanes);
}

// Both accesses are named the same way whichever came first: the finding stands at the write, of two writes at the upper line.
void Block::race_between_blocks(trace::FindingKind kind, BlockAccess one, BlockAccess two, int64_t array,
                                const Sentence& what, const Sentence& where) {
    const auto place = [&](const BlockAccess& a) { return place_of(program_.listing->instructions[a.pc], a.pc); };
    if (one.writes != two.writes ? two.writes : place(two) < place(one)) std::swap(one, two);
    const FindingKey key{kind, place(one), with_array(place(two), array)};
    charge(run_.options.finding_cost);
    if (findings_.count_known(key)) return;
    const auto who = [](const BlockAccess& a) {
        return say("lane {} of warp {} of block ({}, {}, {})", __builtin_ctz(a.lanes), a.warp, a.block.x, a.block.y,
                   a.block.z);
    };
    trace::Finding f;
    f.kind = kind;
    f.source_line = program_.listing->instructions[one.pc].source_line;
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

void Block::global_race(const Warp& w, const Operation& op, const GlobalConflict& c) {
    const bool writes = program_.listing->instructions[op.pc].kind != trace::Kind::load &&
                        program_.listing->instructions[op.pc].kind != trace::Kind::async_copy;
    const GlobalTouch before = c.before;
    const auto buffers = run_.memory.buffers();
    const int64_t variable = nearest_variable(program_, c.at);
    const int64_t array =
        variable >= 0 ? static_cast<int64_t>(buffers.size()) + variable : nearest_buffer(buffers, c.at);
    race_between_blocks(
        trace::FindingKind::global_race, {op.pc, w.index, c.lanes, index_, writes},
        {before.pc(), before.warp(), c.lanes_before, base::position(before.block(), run_.launch.grid), c.wrote}, array,
        global_name(op, c.at), say("address {:#x}", c.at));
}

void Block::cluster_race(const ClusterConflict& c) {
    const auto access = [&](const ClusterConflict::Side& s) {
        return BlockAccess{s.pc, s.warp, s.lanes, cluster_.block(s.rank).index_, s.writes};
    };
    race_between_blocks(trace::FindingKind::shared_race, access(c.one), access(c.two), shared_number(c.at),
                        say("{} of {}", shared_name(*c.by, c.at), block_name()),
                        say("byte {} of its shared memory", c.at));
}

namespace {

constexpr int64_t of_other_block = -5; // FindingKey::other

} // namespace

void Block::outlived(const RemoteTouch& touch, bool wrote, uint64_t at) {
    Block& by = cluster_.block(touch.rank);
    if (by.gave_up_ || gave_up_ || run_.stop) return;
    by.finding(
        trace::FindingKind::shared_race, by.warps_[touch.warp], *touch.by, 1u << touch.lane,
        say("lane {} {} {} of {}, which may have ended by then, and its shared memory with it: a barrier of the cluster before the end makes it wait",
            touch.lane, wrote ? say("writes") : say("reads"), shared_name(*touch.by, at), block_name()),
        of_other_block);
}

void Block::never_written(const RemoteTouch& touch, uint64_t at) {
    Block& by = cluster_.block(touch.rank);
    if (by.gave_up_) return;
    by.finding(
        trace::FindingKind::uninitialised_shared, by.warps_[touch.warp], *touch.by, 1u << touch.lane,
        say("lane {} reads {} of {}, which nothing has written", touch.lane, shared_name(*touch.by, at), block_name()),
        with_array(of_other_block, shared_number(at)));
}

void Block::copy_not_waited_for(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    const int lane = __builtin_ctz(lanes);
    finding(trace::FindingKind::unwaited_async_copy, w, op, lanes,
            say("lane {} {} {} before that block's wait for the asynchronous copy to it", lane, verb(a),
                shared_name(op, a.at[static_cast<size_t>(lane)])),
            of_other_block);
}

void Block::no_such_block(const Warp& w, const Operation& op, uint32_t lanes, uint32_t rank) {
    finding(trace::FindingKind::out_of_bounds, w, op, lanes,
            say("lane {} asks for block {} of a cluster of {}", __builtin_ctz(lanes), rank, cluster_.size()));
}

void Block::needs_cluster_space(const Warp& w, const Operation& op, uint32_t lanes, uint64_t at) {
    finding(
        trace::FindingKind::out_of_bounds, w, op, lanes,
        say("lane {} accesses {} by an instruction that reaches the own block's shared memory only: .shared::cluster or a generic address reaches the others",
            __builtin_ctz(lanes), shared_name(op, at)),
        of_other_block);
}

} // namespace sim
