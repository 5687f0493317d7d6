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

constexpr uint32_t most_patience = 1 << 14, least_patience = 1 << 8; // branches

} // namespace

Block::Block(Run& run, trace::Observer* observer, Cluster& cluster, uint32_t rank)
    : context(run, cluster, rank), fuel(run, cluster.effort), recorder(run.program, run.options, observer),
      registers(run.program, run.launch, run.parameters), report(context, fuel), segments(context), grid_order(run.releases),
      cluster_order(context, grid_order), global_races(context, report, fuel, grid_order, cluster_order),
      patterns_(program_.patterns),
      shared_ranges_(program_.accesses), copies_(warps_.size()), begun_(copies_.size()),
      local_(run.launch.block.count() * program_.local_bytes), paths_(warps_.size() * most_paths),
      assigned_(warps_.size() * program_.tracked_registers.size()),
      reads_(warps_.size() * program_.watched_reads), held_reads_(warps_.size() * program_.watched_registers),
      told_reads_(warps_.size()) {
    set_shared_ranges();
}

// As the constructor and start() allocate it. Findings, and copies and arrivals that are pending, come on top: they are few, or bounded.
uint64_t Block::bytes(const Program& p, const Launch& l) {
    const uint64_t threads = l.block.count(), warps = (threads + 31) / 32;
    const uint64_t shared = uint64_t{p.dynamic_shared_at} + l.dynamic_shared_bytes, words = (shared + 3) / 4;
    const uint64_t of_program =
        Recorder::bytes(p) + Segments::bytes(p) + p.patterns * sizeof(Pattern) + p.accesses * sizeof(SharedRange);
    const uint64_t of_warps =
        RegisterFiles::bytes(p, warps) +
        warps * (sizeof(Warp) + most_paths * sizeof(Path) + p.tracked_registers.size() * sizeof(uint32_t) +
                 p.watched_reads * sizeof(Read) + p.watched_registers * sizeof(HeldRead));
    const uint64_t of_words = 3 * sizeof(Touch) + (p.cluster.count() > 1 ? sizeof(RemoteWord) : 0);
    const uint64_t of_shared = 2 * shared + words * of_words + ReadLog::most_entries * sizeof(ReadLog::Entry) +
                               ReadLog::most_runs * sizeof(Pattern::Run) +
                               ReadLog::most_shapes * sizeof(ReadLog::Lanes);
    return sizeof(Block) + of_program + of_warps + of_shared + threads * p.local_bytes;
}

// Of the block before.
void Block::forget() {
    for (auto& copies : copies_) copies.clear();
    copies_overlap_ = false;
    mbarriers_ = {};
    products_.assign(warps_.size(), {});
    std::fill(local_.begin(), local_.end(), std::byte{0});
    std::fill(assigned_.begin(), assigned_.end(), 0);
    unwritten_reads_.clear();
    std::fill(reads_.begin(), reads_.end(), Read{});
    std::fill(held_reads_.begin(), held_reads_.end(), HeldRead{});
    for (auto& reads : told_reads_) reads.clear();
    left_after_.clear();
    unknown_ran_ = ended_ = false;
    told_.clear();
    told_to_cluster_.clear();
    barriers_.fill({});
    arrivals_ = {};
    turns_ = 0;
    noted_.assign(run_.forms ? run_.forms->dependences().watches().size() : 0, {});
    patience_ = most_patience;
}

void Block::start(base::Dim3 index, trace::Trace* trace, std::optional<uint64_t> steps) {
    recorder.reset(trace, steps);
    fuel.reset();
    report.reset();
    segments.reset();
    index_ = index;
    number_ = base::index_of(index, run_.launch.grid);
    grid_order.reset(number_);
    const bool watched = cluster_.size() > 1 && run_.options.checks;
    for (const auto& [at, m] : mbarriers_.live) shared_.end_mbarrier(at);
    shared_.reset(program_.dynamic_shared_at + run_.launch.dynamic_shared_bytes, watched && program_.writes_to_cluster);
    remote_.reset(static_cast<uint32_t>(shared_.data.size()));
    view_ = shared_.view();
    view_.checked = run_.options.checks;
    forget();
    for (size_t n = 0; n < warps_.size(); ++n) start_warp(warps_[n], n);
    registers.reset(warps_, run_.launch, index_, static_cast<uint32_t>(shared_.data.size()));
}

void Block::start_warp(Warp& w, size_t number) {
    w = Warp{};
    w.file[0] = registers.registers(number);
    w.file[1] = registers.constants();
    w.block = this;
    w.addresses = addresses_.data();
    w.patterns = patterns_.data();
    w.shapes = &cluster_.effort.shapes;
    w.ranges = shared_ranges_.data();
    w.records = recorder.records();
    w.observer = w.records ? nullptr : recorder.observer();
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
    if (!run_.stop) (void)fuel.all_are_stuck(false);
}

Block::Turn Block::go_on(uint64_t turns) {
    fuel.left = std::exchange(cluster_.effort.fuel, 0);
    const trace::Schedule schedule = run_.options.schedule;
    const Turn turn = schedule.kind == trace::Schedule::Kind::shuffled     ? run_shuffled(schedule.number, turns)
                      : schedule.kind == trace::Schedule::Kind::warp_first ? run_in_order(schedule.number)
                                                                           : run_in_order(0);
    cluster_.effort.fuel = std::exchange(fuel.left, 0);
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
            const Pause pause = recorder.records() ? run_warp<Pace::recorded>(w) : run_warp<Pace::free>(w);
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
    base::Sentence why;
    if (fuel.refill(why)) return true;
    if (!why.empty())
        report.finding(trace::FindingKind::endless_loop, w, op, w.path[w.depth - 1].mask, std::move(why));
    return false;
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
        if ((recording && recorder.done()) || (fuel.left == 0 && !refuel(w, operations[first])))
            return nullptr;
        const uint32_t stop =
            recording ? first + 1 : first + static_cast<uint32_t>(std::min<uint64_t>(end - first, fuel.left));
        if (recording) recorder.begin_event();
        uint32_t pc = first;
        const Operation* op = nullptr;
        do {
            op = operations + pc++;
            active = mask;
            if (op->guard != no_row) active = guarded(w, *op, mask);
            if (active == ~0u) op->full(w, *op, active);
            else if (active) op->masked(w, *op, active);
        } while (op->flow == Flow::next && pc != stop);
        recorder.executed(first, pc, mask);
        fuel.left -= std::min<uint64_t>(fuel.left, pc - first);
        path.pc = pc;
        if (recording) recorder.event(w, *op, active);
        if (pace == Pace::single || op->flow != Flow::next || pc == end) return op;
    }
}

// Those of the lanes that the operation's guard lets execute it.
uint32_t Block::guarded(const Warp& w, const Operation& op, uint32_t lanes) {
    const uint32_t p = *row<uint32_t>(w, op.guard);
    if (op.tracked != 0) track_guard(w, op, lanes);
    const uint32_t active = lanes & (op.guard_negated ? ~p : p);
    recorder.guarded_off(number_of(op), lanes & ~active);
    return active;
}

void Block::unsupported(const Warp& w, const Operation& op, uint32_t active) {
    unknown_ran_ = true;
    report.finding(trace::FindingKind::unsupported, w, op, active, program_.reasons[op.detail.number]);
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
