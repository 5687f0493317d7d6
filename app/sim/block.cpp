#include "sim/block.h"

#include "sim/block_forms.h"
#include "sim/cluster.h"

#include "base/random.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

namespace sim {
namespace {

constexpr uint64_t fuel_step = 1 << 16;
constexpr uint32_t most_patience = 1 << 14, least_patience = 1 << 8;

// Warp instructions, of which `counted_more` says whether other things were charged as some.
base::Sentence warp_instructions(uint64_t instructions, bool counted_more) {
    constexpr uint64_t million = 1'000'000;
    const base::Sentence number = instructions >= 10 * million ? base::say("{} million", instructions / million)
                                                               : base::verbatim(std::to_string(instructions));
    return counted_more
               ? base::say("{} warp instructions (findings and checked accesses to global memory count as several)",
                           number)
               : base::say("{} warp instructions", number);
}

} // namespace

Run::Run(const Program& p, const Launch& l, Memory& m, const Options& o)
    : program(p), launch(l), options(o), memory(m), variables(p.variables), parameters(l.parameters),
      budget(o.instruction_budget), shadow(o.shadow_bytes) {
    for (const trace::Buffer& b : m.buffers()) segments.push_back({b.address, b.bytes, m.bytes(b.address).data()});
    add_segments_of_the_launch();
}

Run::Run(const Program& p, const Launch& l, const Memory& m, const Options& o, std::vector<Overlay>& overlays)
    : program(p), launch(l), options(o), memory(m), variables(p.variables), parameters(l.parameters),
      budget(o.instruction_budget), shadow(o.shadow_bytes) {
    for (const trace::Buffer& b : m.buffers()) overlays.emplace_back(m.bytes(b.address));
    for (size_t n = 0; n < overlays.size(); ++n)
        segments.push_back({.first = m.buffers()[n].address, .bytes = m.buffers()[n].bytes, .overlay = &overlays[n]});
    add_segments_of_the_launch();
}

void Run::start_clock() {
    constexpr double least = 600, slowest = 1e7; // seconds; warp instructions a second
    seconds = options.seconds.value_or(std::max(least, static_cast<double>(options.instruction_budget) / slowest));
    constexpr double for_ever = 1e9;
    deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                      std::chrono::duration<double>(std::min(seconds, for_ever)));
}

void Run::add_segments_of_the_launch() {
    start_clock();
    parameters.resize(std::max<size_t>(parameters.size(), program.parameter_bytes));
    for (const Program::FileVariable& v : program.file_variables)
        segments.push_back({module_window + v.at, v.bytes, variables.data() + v.at, v.writable});
    segments.push_back({parameter_window, parameters.size(), parameters.data(), false});
    watch_memory();
}

AlignedBytes::AlignedBytes(size_t bytes) : room_(std::make_unique<std::byte[]>(bytes + 64)) {
    const auto address = reinterpret_cast<uintptr_t>(room_.get());
    data_ = room_.get() + ((address + 63) / 64 * 64 - address);
}

Block::Block(Run& run, trace::Observer* observer, Cluster& cluster, uint32_t rank)
    : run_(run), program_(run.program), observer_(observer), cluster_(cluster), rank_(rank),
      counts_(program_.listing->instructions.size()), executed_(program_.operations.size() + 1),
      patterns_(program_.patterns), shared_ranges_(program_.accesses), copies_((run.launch.block.count() + 31) / 32),
      begun_(copies_.size()), local_(run.launch.block.count() * program_.local_bytes),
      registers_((run.launch.block.count() + 31) / 32 * program_.register_bytes), constants_(program_.constant_bytes),
      warps_((run.launch.block.count() + 31) / 32), paths_(warps_.size() * most_paths), reached_(program_.accesses),
      assigned_(warps_.size() * program_.tracked_registers.size()), reads_(warps_.size() * program_.watched_reads),
      held_reads_(warps_.size() * program_.watched_registers), told_reads_(warps_.size()) {
    find_specials_of_threads();
    set_shared_ranges();
    fill_constants(program_, run_.parameters, constants_.data());
}

// As the constructor and start() allocate it. Findings, and copies and arrivals that are pending, come on top: they are few, or bounded.
uint64_t Block::bytes(const Program& p, const Launch& l) {
    const uint64_t threads = l.block.count(), warps = (threads + 31) / 32;
    const uint64_t shared = uint64_t{p.dynamic_shared_at} + l.dynamic_shared_bytes, words = (shared + 3) / 4;
    const uint64_t of_program = p.listing->instructions.size() * sizeof(trace::InstructionCounts) +
                                (p.operations.size() + 1) * sizeof(Executed) + p.patterns * sizeof(Pattern) +
                                p.accesses * (sizeof(SharedRange) + sizeof(Reached)) + p.constant_bytes;
    const uint64_t of_warps =
        warps * (sizeof(Warp) + most_paths * sizeof(Path) + p.register_bytes +
                 p.specials.size() * 32 * sizeof(uint64_t) + p.tracked_registers.size() * sizeof(uint32_t) +
                 p.watched_reads * sizeof(Read) + p.watched_registers * sizeof(HeldRead));
    const uint64_t of_words = 3 * sizeof(Touch) + (p.cluster.count() > 1 ? sizeof(RemoteWord) : 0);
    const uint64_t of_shared = 2 * shared + words * of_words + ReadLog::most_entries * sizeof(ReadLog::Entry) +
                               ReadLog::most_runs * sizeof(Pattern::Run) +
                               ReadLog::most_shapes * sizeof(ReadLog::Lanes);
    return sizeof(Block) + of_program + of_warps + of_shared + threads * p.local_bytes;
}

void fill_constants(const Program& program, std::span<const std::byte> parameters, std::byte* to) {
    Warp w;
    w.file[1] = to;
    for (const Constant& c : program.constants) {
        uint64_t bits = c.bits;
        if (c.parameter) {
            bits = 0;
            std::memcpy(&bits, parameters.data() + c.offset, c.bytes);
            if (c.sign && c.bytes < 8)
                bits = static_cast<uint64_t>(static_cast<int64_t>(bits << (64 - 8 * c.bytes)) >> (64 - 8 * c.bytes));
        }
        if (c.width == 0) *row<uint32_t>(w, c.at) = static_cast<uint32_t>(bits);
        for (int i = 0; i < 32; ++i) {
            if (c.width == 2) row<uint16_t>(w, c.at)[i] = static_cast<uint16_t>(bits);
            if (c.width == 4) row<uint32_t>(w, c.at)[i] = static_cast<uint32_t>(bits);
            if (c.width >= 8) row<uint64_t>(w, c.at)[i] = bits;
        }
    }
}

uint64_t special_value(ptx::Special s, const Launch& l, base::Dim3 cluster, base::Dim3 index, base::Dim3 thread,
                       uint32_t lane, uint32_t warp, uint32_t shared) {
    using enum ptx::Special;
    const base::Dim3 b = l.block, g = l.grid, c = cluster;
    const base::Dim3 in_cluster{index.x % c.x, index.y % c.y, index.z % c.z};
    const uint32_t bit = 1u << lane;
    switch (s) {
    case tid_x: return thread.x;
    case tid_y: return thread.y;
    case tid_z: return thread.z;
    case ntid_x: return b.x;
    case ntid_y: return b.y;
    case ntid_z: return b.z;
    case ctaid_x: return index.x;
    case ctaid_y: return index.y;
    case ctaid_z: return index.z;
    case nctaid_x: return g.x;
    case nctaid_y: return g.y;
    case nctaid_z: return g.z;
    case laneid: return lane;
    case warpid: return warp;
    case nwarpid: return (b.count() + 31) / 32;
    case nsmid: return 1;
    case clusterid_x: return index.x / c.x;
    case clusterid_y: return index.y / c.y;
    case clusterid_z: return index.z / c.z;
    case nclusterid_x: return g.x / c.x;
    case nclusterid_y: return g.y / c.y;
    case nclusterid_z: return g.z / c.z;
    case cluster_ctaid_x: return in_cluster.x;
    case cluster_ctaid_y: return in_cluster.y;
    case cluster_ctaid_z: return in_cluster.z;
    case cluster_nctaid_x: return c.x;
    case cluster_nctaid_y: return c.y;
    case cluster_nctaid_z: return c.z;
    case cluster_ctarank: return base::index_of(in_cluster, c);
    case cluster_nctarank: return c.count();
    case lanemask_eq: return bit;
    case lanemask_lt: return bit - 1;
    case lanemask_le: return bit | (bit - 1);
    case lanemask_gt: return ~(bit | (bit - 1));
    case lanemask_ge: return ~(bit - 1);
    case dynamic_smem_size: return l.dynamic_shared_bytes;
    case total_smem_size:
    case aggr_smem_size: return shared;
    default: return 0;
    }
}

namespace {

// Of threads, whatever block they are in.
bool differs_by_thread(ptx::Special s) {
    using enum ptx::Special;
    switch (s) {
    case tid_x:
    case tid_y:
    case tid_z:
    case laneid:
    case warpid:
    case lanemask_eq:
    case lanemask_lt:
    case lanemask_le:
    case lanemask_gt:
    case lanemask_ge: return true;
    default: return false;
    }
}

} // namespace

// The engine keeps no time: whoever looks at a clock finds it later than at the last look, so that loops that wait end.
void read_clock(Warp& w, const Operation& op, uint32_t active) {
    constexpr uint64_t between = 1024; // cycles
    w.clock += between;
    const uint64_t shown = op.detail.upper_half ? w.clock >> 32 : w.clock;
    for (uint32_t i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        if (op.width[0] == 8) row<uint64_t>(w, op.row[0])[i] = shown;
        else row<uint32_t>(w, op.row[0])[i] = static_cast<uint32_t>(shown);
    }
}

void Block::find_specials_of_threads() {
    for (const SpecialRow& s : program_.specials) {
        if (!differs_by_thread(s.special)) continue;
        SpecialOfThreads& found = specials_of_threads_.emplace_back(
            SpecialOfThreads{&s, std::vector<std::byte>(warps_.size() * 32 * s.width)});
        for (size_t n = 0; n < warps_.size() * 32; ++n) {
            const uint64_t v = special_value(s.special, run_.launch, {}, {}, base::position(n, run_.launch.block),
                                             n % 32, static_cast<uint32_t>(n / 32), 0);
            std::memcpy(found.values.data() + n * s.width, &v, s.width); // least significant byte first
        }
    }
}

void Block::fill_specials() {
    const auto shared = static_cast<uint32_t>(shared_.data.size());
    for (const SpecialOfThreads& s : specials_of_threads_) {
        const size_t bytes = size_t{32} * s.row->width;
        for (const Warp& w : warps_)
            std::memcpy(row<std::byte>(w, s.row->at), s.values.data() + w.index * bytes, bytes);
    }
    for (const SpecialRow& s : program_.specials) {
        if (differs_by_thread(s.special)) continue;
        const uint64_t v = special_value(s.special, run_.launch, program_.cluster, index_, {}, 0, 0, shared);
        for (const Warp& w : warps_) {
            if (s.width == 2) std::fill_n(row<uint16_t>(w, s.at), 32, static_cast<uint16_t>(v));
            if (s.width == 4) std::fill_n(row<uint32_t>(w, s.at), 32, static_cast<uint32_t>(v));
            if (s.width >= 8) std::fill_n(row<uint64_t>(w, s.at), 32, v);
        }
    }
}

// Of the block before.
void Block::forget() {
    for (auto& copies : copies_) copies.clear();
    copies_overlap_ = false;
    mbarriers_ = {};
    products_.assign(warps_.size(), {});
    std::fill(local_.begin(), local_.end(), std::byte{0});
    std::fill(reached_.begin(), reached_.end(), Reached{});
    std::fill(assigned_.begin(), assigned_.end(), 0);
    unwritten_reads_.clear();
    std::fill(reads_.begin(), reads_.end(), Read{});
    std::fill(held_reads_.begin(), held_reads_.end(), HeldRead{});
    for (auto& reads : told_reads_) reads.clear();
    left_after_.clear();
    unknown_ran_ = gave_up_ = ended_ = false;
    published_ = 0;
    counted_ = true;
    taken_.clear();
    taken_since_.clear();
    asked_.clear();
    awaited_.clear();
    told_.clear();
    told_to_cluster_.clear();
    barriers_.fill({});
    arrivals_ = {};
    charged_ = turns_ = 0;
    noted_.assign(run_.forms ? run_.forms->dependences().watches().size() : 0, {});
    patience_ = most_patience;
    std::memset(registers_.data(), 0, warps_.size() * program_.register_bytes);
}

void Block::start(base::Dim3 index, trace::Trace* trace, std::optional<uint64_t> steps) {
    trace_ = trace;
    stepping_ = steps.has_value();
    steps_left_ = steps.value_or(0);
    index_ = index;
    number_ = base::index_of(index, run_.launch.grid);
    const bool watched = cluster_.size() > 1 && run_.options.checks;
    for (const auto& [at, m] : mbarriers_.live) shared_.end_mbarrier(at);
    shared_.reset(program_.dynamic_shared_at + run_.launch.dynamic_shared_bytes, watched && program_.writes_to_cluster);
    remote_.reset(static_cast<uint32_t>(shared_.data.size()));
    view_ = shared_.view();
    view_.checked = run_.options.checks;
    forget();
    for (size_t n = 0; n < warps_.size(); ++n) start_warp(warps_[n], n);
    fill_specials();
}

void Block::start_warp(Warp& w, size_t number) {
    w = Warp{};
    w.file[0] = registers_.data() + number * program_.register_bytes;
    w.file[1] = constants_.data();
    w.block = this;
    w.addresses = addresses_.data();
    w.patterns = patterns_.data();
    w.shapes = &cluster_.effort.shapes;
    w.ranges = shared_ranges_.data();
    w.records = trace_ || stepping_;
    w.observer = w.records ? nullptr : observer_;
    w.listing = program_.listing->instructions.data();
    w.shared = &view_;
    w.index = static_cast<uint32_t>(number);
    const uint64_t lanes = std::min<uint64_t>(32, run_.launch.block.count() - number * 32);
    w.first_lanes = w.live = lanes == 32 ? ~0u : (1u << lanes) - 1;
    w.depth = 1;
    w.path = paths_.data() + number * most_paths;
    w.path[0] = {0, static_cast<uint32_t>(program_.operations.size()), w.live};
}

void Block::finish() {
    settle_unwritten_reads();
    if (!run_.stop) (void)all_are_stuck(false);
}

Block::Turn Block::go_on(uint64_t turns) {
    fuel_ = std::exchange(cluster_.effort.fuel, 0);
    const trace::Schedule schedule = run_.options.schedule;
    const Turn turn = schedule.kind == trace::Schedule::Kind::shuffled     ? run_shuffled(schedule.number, turns)
                      : schedule.kind == trace::Schedule::Kind::warp_first ? run_in_order(schedule.number)
                                                                           : run_in_order(0);
    cluster_.effort.fuel = std::exchange(fuel_, 0);
    if (turn == Turn::waits && std::all_of(warps_.begin(), warps_.end(), [](const Warp& w) { return w.live == 0; })) {
        ended_ = true;
        settle_remote(true);
    }
    return turn;
}

// Each warp runs to its next barrier, or until its patience ends, `first` before the others; then the barriers open.
Block::Turn Block::run_in_order(size_t first) {
    for (;;) {
        bool ran = false, spins = true;
        for (size_t n = 0; n < warps_.size(); ++n) {
            Warp& w = warps_[n > first ? n : n > 0 ? n - 1 : first];
            if (w.live == 0 || w.waiting >= 0) continue;
            ran = true;
            w.branches = 0;
            const Pause pause = trace_ || stepping_ ? run_warp<Pace::recorded>(w) : run_warp<Pace::free>(w);
            if (pause == Pause::stopped) return Turn::stopped;
            if (pause == Pause::turn) patience_ = least_patience;
            spins &= pause == Pause::turn || pause == Pause::poll;
            if (w.waiting >= 0 && w.waiting_threads > 0)
                release(false); // it may be the last of those that the barrier expects
        }
        if (!ran && !release(false)) return Turn::waits;
        if (ran && spins && cluster_.takes_turns()) return Turn::spins;
    }
}

// The warps that neither wait at a barrier nor have ended.
uint32_t Block::ready() const {
    uint32_t ready = 0;
    for (const Warp& w : warps_) ready |= w.live != 0 && w.waiting < 0 ? 1u << w.index : 0u;
    return ready;
}

namespace {

// One of the bits of `set`, drawn by the upper half of `bits`.
uint32_t draw(uint32_t set, uint64_t bits) {
    for (uint64_t skip = (bits >> 32) * static_cast<uint64_t>(__builtin_popcount(set)) >> 32; skip > 0; --skip)
        set &= set - 1;
    return static_cast<uint32_t>(__builtin_ctz(set));
}

} // namespace

// One instruction of a warp drawn from those that can go on, and so forth. Who polls in vain rests until something has happened
// that it may wait for, or all others rest or wait, too: it takes no turns from those that it waits for.
Block::Turn Block::run_shuffled(uint64_t seed, uint64_t turns) {
    const base::RandomStream random(seed, number_);
    uint32_t able = ready(), resting = 0;
    patience_ = least_patience;
    for (;; --turns) {
        if (able == 0) {
            if (!release(false)) return Turn::waits;
            able = ready();
        }
        if (turns == 0) return Turn::spins;
        if ((able & ~resting) == 0) {
            if (cluster_.takes_turns()) return Turn::spins;
            resting = 0;
        }
        Warp& w = warps_[draw(able & ~resting, random.bits(turns_++))];
        opened_ = false;
        const Pause pause = run_warp<Pace::single>(w);
        if (pause == Pause::stopped) return Turn::stopped;
        if (pause == Pause::poll) resting |= 1u << w.index;
        if (w.waiting >= 0 && w.waiting_threads > 0) release(false); // as in order
        if (pause != Pause::turn || opened_) able = ready();
        if (mbarriers_.fruitless == 0) resting = 0;
    }
}

// More instructions from the run's budget. False: the run is over.
bool Block::refuel(const Warp& w, const Operation& op) {
    if (run_.stop.load(std::memory_order_relaxed)) return false;
    if (run_.options.stop.stop_requested()) {
        run_.stop = true;
        return false;
    }
    Effort& effort = cluster_.effort;
    effort.idle = effort.advanced ? 0 : effort.idle + fuel_step;
    effort.advanced = false;
    if (all_are_stuck(effort.idle > run_.options.idle_budget))
        return endless(
            w, op,
            base::say(
                "this loop counts as endless: the block executed {} without reaching anything new in global memory",
                warp_instructions(run_.options.idle_budget, charged_ > 0)));
    if (std::chrono::steady_clock::now() > run_.deadline)
        return endless(w, op,
                       base::say("the kernel was still running here after {:.3g} seconds, the most that a run may take",
                                 run_.seconds));
    uint64_t left = run_.budget.load();
    uint64_t step = 0;
    do step = std::min(left, fuel_step);
    while (step > 0 && !run_.budget.compare_exchange_weak(left, left - step));
    if (step == 0)
        return endless(w, op,
                       base::say("the kernel was still running here after {}, the most that a run may take",
                                 warp_instructions(run_.options.instruction_budget, charged_ > 0)));
    fuel_ = step;
    return true;
}

// A block that gets nowhere may wait for another, which may be one that the system has not let run for a while.
bool Block::all_are_stuck(bool this_one) {
    if (this_one != std::exchange(cluster_.effort.stuck, this_one)) run_.stuck += this_one ? 1 : -1;
    if (!this_one) return false;
    if (run_.stuck >= run_.workers) return true;
    std::this_thread::yield();
    return false;
}

// For what takes as long as so many instructions do: the budgets pay for it, so that a kernel full of findings ends as soon as others do.
void Block::charge(uint64_t instructions) {
    const uint64_t cost = std::min(fuel_, instructions);
    fuel_ -= cost;
    charged_ += cost;
}

bool Block::endless(const Warp& w, const Operation& op, base::Sentence why) {
    run_.stop = true;
    finding(trace::FindingKind::endless_loop, w, op, w.path[w.depth - 1].mask, std::move(why));
    return false;
}

void Block::record(const Warp& w, const Operation& op, uint32_t active) {
    if (stepping_) {
        if (steps_left_ > 0) --steps_left_;
        return;
    }
    if (!trace_ || trace_->truncated) return;
    const uint64_t bytes = trace_->events.size() * sizeof(trace::Event) +
                           trace_->accesses.size() * sizeof(trace::Addresses) + bulk_trace_bytes_;
    if (bytes > run_.options.trace_bytes) {
        trace_->truncated = true;
        return;
    }
    trace_->events.push_back({op.pc, active, last_access_, static_cast<uint16_t>(w.index)});
}

namespace {

// Mostly it is all or none, and counting bits is a call where the processor need not have an instruction for it.
uint64_t count(uint32_t lanes) {
    return lanes == ~0u ? trace::warp_size : lanes == 0 ? 0 : static_cast<uint64_t>(__builtin_popcount(lanes));
}

} // namespace

// The operations from `first` to before `end` were executed by `lanes`.
void Block::note_executed(uint32_t first, uint32_t end, uint32_t lanes) {
    const uint64_t threads = count(lanes);
    executed_[first].times += 1;
    executed_[first].threads += threads;
    executed_[end].times -= 1;
    executed_[end].threads -= threads;
}

trace::Counts Block::counts() const {
    trace::Counts counts = counts_;
    uint64_t times = 0, threads = 0;
    for (size_t n = 0; n < program_.operations.size(); ++n) {
        times += executed_[n].times;
        threads += executed_[n].threads;
        counts[program_.operations[n].pc].executed += times;
        counts[program_.operations[n].pc].threads += threads - executed_[n].guarded_off;
    }
    return counts;
}

// Executes the lanes of the top path up to the next operation that is not straight-line code, or to where the path
// or the turn ends; gives that operation (nullptr: the run is over) and the lanes that executed it.
template <Block::Pace pace>
const Operation* Block::run_straight(Warp& w, uint32_t& active) {
    constexpr bool recording = pace != Pace::free;
    Path& path = w.path[w.depth - 1];
    const Operation* const operations = program_.operations.data();
    const auto size = static_cast<uint32_t>(program_.operations.size());
    const uint32_t end = w.depth > 1 && path.reconverge > path.pc ? path.reconverge : size, mask = path.mask;
    for (;;) {
        const uint32_t first = path.pc;
        if ((recording && stepping_ && steps_left_ == 0) || (fuel_ == 0 && !refuel(w, operations[first])))
            return nullptr;
        const uint32_t stop =
            recording ? first + 1 : first + static_cast<uint32_t>(std::min<uint64_t>(end - first, fuel_));
        if (recording) last_access_ = trace::no_access;
        uint32_t pc = first;
        const Operation* op = nullptr;
        do {
            op = operations + pc++;
            active = mask;
            if (op->guard != no_row) active = guarded(w, *op, mask);
            if (active == ~0u) op->full(w, *op, active);
            else if (active) op->masked(w, *op, active);
        } while (op->flow == Flow::next && pc != stop);
        note_executed(first, pc, mask);
        fuel_ -= std::min<uint64_t>(fuel_, pc - first);
        path.pc = pc;
        if (recording) record(w, *op, active);
        if (pace == Pace::single || op->flow != Flow::next || pc == end) return op;
    }
}

// Those of the lanes that the operation's guard lets execute it.
uint32_t Block::guarded(const Warp& w, const Operation& op, uint32_t lanes) {
    const uint32_t p = *row<uint32_t>(w, op.guard);
    if (op.tracked != 0) track_guard(w, op, lanes);
    const uint32_t active = lanes & (op.guard_negated ? ~p : p);
    executed_[number_of(op)].guarded_off += count(lanes & ~active);
    return active;
}

void Block::unsupported(const Warp& w, const Operation& op, uint32_t active) {
    unknown_ran_ = true;
    finding(trace::FindingKind::unsupported, w, op, active, program_.reasons[op.detail.number]);
}

template <Block::Pace pace>
Block::Pause Block::run_warp(Warp& w) {
    for (const Operation* op = nullptr;;) {
        if (pace == Pace::single && op) return Pause::turn;
        Path& path = w.path[w.depth - 1];
        if (w.depth > 1 && path.pc == path.reconverge) {
            --w.depth;
            continue;
        }
        if (path.pc >= program_.operations.size()) { // ran off the end: as if it returned
            if (exit_lanes(w, path.mask)) return Pause::exited;
            continue;
        }
        uint32_t active = 0;
        op = run_straight<pace>(w, active);
        if (!op) return Pause::stopped;
        if (op->flow == Flow::branch) {
            branch(w, *op, active, path.mask);
            if (++w.branches < patience_) continue;
            w.branches = 0;
            turn_to_other_lanes(w);
            return Pause::turn;
        }
        if (op->flow == Flow::multiway) multiway(w, *op, active);
        else if (active == 0) continue;
        else if (op->flow == Flow::barrier) arrive(w, *op, active);
        else if (op->flow == Flow::cluster && meet_cluster(w, *op, active)) return Pause::barrier;
        else if (op->flow == Flow::unknown) unsupported(w, *op, active);
        else if (op->flow == Flow::trap) give_up(w, *op, active);
        if (op->flow == Flow::poll && std::exchange(w.polling, false)) {
            turn_to_other_lanes(w);
            return Pause::poll;
        }
        if (w.waiting >= 0) return Pause::barrier;
        if (op->flow == Flow::exit) note_exit(w.path[w.depth - 1], *op);
        if ((op->flow == Flow::exit || op->flow == Flow::trap) && exit_lanes(w, active)) return Pause::exited;
    }
}

} // namespace sim
