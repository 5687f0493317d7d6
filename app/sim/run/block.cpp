#include "sim/run/block.h"

#include "sim/run/cluster.h"

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
      report(context, fuel), registers(run.program, run.launch, run.parameters), grid_order(run.releases),
      cluster_order(context, grid_order), unassigned_registers(context, report),
      unwritten_reads(context, report, copies),
      shared_races(context, report, unwritten_reads, mbarriers, cluster_races, product_reads),
      cluster_races(context, report, cluster_order, unwritten_reads),
      global_races(context, report, fuel, grid_order, cluster_order), product_reads(context, report),
      unfinished_reads(context, report, product_reads), segments(context),
      shared_space(context, recorder, report, shared_races, cluster_races, mbarriers),
      spaces(context, recorder, report, segments, global_races, shared_space),
      copies(context, recorder, report, segments, global_races, shared_races, shared_space, mbarriers),
      bulk_copies(context, recorder, report, segments, cluster_order, global_races, shared_races, cluster_races,
                  unfinished_reads, mbarriers),
      mbarriers(context, recorder, report, fuel, cluster_order, cluster_races, unfinished_reads, copies, bulk_copies),
      products(context, report, shared_races, product_reads), control(context, recorder, report),
      barriers(context, report, control, grid_order, unwritten_reads, unfinished_reads, mbarriers),
      cluster_barrier(context, report, control, cluster_order, cluster_races, unwritten_reads, mbarriers),
      register_pool(context, report, fuel, mbarriers), system_calls(context, report, segments, spaces),
      path_notes(context, recorder, segments), patterns_(run.program.patterns),
      paths_(context.warps.size() * most_paths) {}

// As the constructors and start() allocate it. Findings, and copies and arrivals that are pending, come on top: they are few, or bounded.
uint64_t Block::bytes(const Program& p, const Launch& l) {
    const uint64_t warps = (l.block.count() + trace::warp_size - 1) / trace::warp_size;
    const uint64_t shared = uint64_t{p.dynamic_shared_at} + l.dynamic_shared_bytes, words = (shared + 3) / 4;
    return sizeof(Block) + p.patterns * sizeof(Pattern) + warps * (sizeof(Warp) + most_paths * sizeof(Path)) +
           Recorder::bytes(p) + RegisterFiles::bytes(p, warps) + UnassignedRegisters::bytes(p, warps) +
           UnfinishedReads::bytes(p, warps) + Segments::bytes(p) + SharedSpace::bytes(p) + AddressSpaces::bytes(p, l) +
           SharedMemory::bytes(shared) + words * ClusterRaces::bytes_of_a_word(p);
}

void Block::start(base::Dim3 index, trace::Trace* trace, std::optional<uint64_t> steps) {
    context.index = index;
    context.number = base::index_of(index, context.run.launch.grid);
    recorder.reset(trace, steps);
    reset_parts();
    for (size_t n = 0; n < context.warps.size(); ++n) start_warp(context.warps[n], n);
    registers.reset(context.warps, context.run.launch, index, context.shared_bytes());
}

void Block::reset_parts() {
    mbarriers.reset(); // before the memory in which they lie
    context.reset();
    fuel.reset();
    report.reset();
    grid_order.reset(context.number);
    unassigned_registers.reset();
    unwritten_reads.reset();
    shared_races.reset();
    cluster_races.reset();
    product_reads.reset();
    unfinished_reads.reset();
    segments.reset();
    spaces.reset();
    copies.reset();
    bulk_copies.reset();
    products.reset();
    control.reset();
    barriers.reset();
    cluster_barrier.reset();
    register_pool.reset();
    path_notes.reset();
    patience_ = most_patience;
    turns_ = 0;
}

void Block::start_warp(Warp& w, size_t number) {
    w = Warp{};
    w.file[0] = registers.registers(number);
    w.file[1] = registers.constants();
    w.block = this;
    w.addresses = addresses_.data();
    w.patterns = patterns_.data();
    w.shapes = &context.effort.shapes;
    w.ranges = shared_space.ranges();
    w.records = recorder.records();
    w.observer = w.records ? nullptr : recorder.observer();
    w.listing = context.program.listing->instructions.data();
    w.shared = &context.view;
    w.index = static_cast<uint32_t>(number);
    w.local = spaces.local(w, 0);
    w.local_bytes = context.program.local_bytes;
    const uint64_t lanes = std::min<uint64_t>(32, context.run.launch.block.count() - number * 32);
    w.first_lanes = w.live = lanes == 32 ? ~0u : (1u << lanes) - 1;
    w.depth = 1;
    w.path = paths_.data() + number * most_paths;
    w.path[0] = {0, static_cast<uint32_t>(context.program.operations.size()), w.live};
}

void Block::finish() {
    unwritten_reads.settle();
    if (!context.run.stop) (void)fuel.all_are_stuck(false);
}

Block::Turn Block::go_on(uint64_t turns) {
    fuel.left = std::exchange(context.effort.fuel, 0);
    const trace::Schedule schedule = context.run.options.schedule;
    const Turn turn = schedule.kind == trace::Schedule::Kind::shuffled     ? run_shuffled(schedule.number, turns)
                      : schedule.kind == trace::Schedule::Kind::warp_first ? run_in_order(schedule.number)
                                                                           : run_in_order(0);
    context.effort.fuel = std::exchange(fuel.left, 0);
    if (turn == Turn::waits && !context.any_live()) {
        context.ended = true;
        cluster_races.end();
    }
    return turn;
}

// Each warp runs to its next barrier, or until its patience ends, `first` before the others; then the barriers open.
Block::Turn Block::run_in_order(size_t first) {
    for (;;) {
        bool ran = false, spins = true;
        for (size_t n = 0; n < context.warps.size(); ++n) {
            Warp& w = context.warps[n > first ? n : n > 0 ? n - 1 : first];
            if (w.live == 0 || w.waiting >= 0) continue;
            ran = true;
            w.branches = 0;
            const Pause pause = recorder.records() ? run_warp<Pace::recorded>(w) : run_warp<Pace::free>(w);
            if (pause == Pause::stopped) return Turn::stopped;
            if (pause == Pause::turn) patience_ = least_patience;
            spins &= pause == Pause::turn || pause == Pause::poll;
            if (w.waiting >= 0 && w.waiting_threads > 0)
                barriers.open(false); // it may be the last of those that the barrier expects
        }
        if (!ran && !barriers.open(false)) return Turn::waits;
        if (ran && spins && context.cluster.takes_turns()) return Turn::spins;
    }
}

// The warps that neither wait at a barrier nor have ended.
uint32_t Block::ready() const {
    uint32_t ready = 0;
    for (const Warp& w : context.warps) ready |= w.live != 0 && w.waiting < 0 ? 1u << w.index : 0u;
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
    const base::RandomStream random(seed, context.number);
    uint32_t able = ready(), resting = 0;
    patience_ = least_patience;
    for (;; --turns) {
        if (able == 0) {
            if (!barriers.open(false)) return Turn::waits;
            able = ready();
        }
        if (turns == 0) return Turn::spins;
        if ((able & ~resting) == 0) {
            if (context.cluster.takes_turns()) return Turn::spins;
            resting = 0;
        }
        Warp& w = context.warps[draw(able & ~resting, random.bits(turns_++))];
        context.opened = false;
        const Pause pause = run_warp<Pace::single>(w);
        if (pause == Pause::stopped) return Turn::stopped;
        if (pause == Pause::poll) resting |= 1u << w.index;
        if (w.waiting >= 0 && w.waiting_threads > 0) barriers.open(false); // as in order
        if (pause != Pause::turn || context.opened) able = ready();
        if (mbarriers.progressed()) resting = 0;
    }
}

// More instructions from the run's budget. False: the run is over.
bool Block::refuel(const Warp& w, const Operation& op) {
    base::Sentence why;
    if (fuel.refill(why)) return true;
    if (!why.empty()) report.finding(trace::FindingKind::endless_loop, w, op, w.path[w.depth - 1].mask, std::move(why));
    return false;
}

// Executes the lanes of the top path up to the next operation that is not straight-line code, or to where the path
// or the turn ends; gives that operation (nullptr: the run is over) and the lanes that executed it.
template <Block::Pace pace>
const Operation* Block::run_straight(Warp& w, uint32_t& active) {
    constexpr bool recording = pace != Pace::free;
    Path& path = w.path[w.depth - 1];
    const Operation* const operations = context.program.operations.data();
    const auto size = static_cast<uint32_t>(context.program.operations.size());
    const uint32_t end = w.depth > 1 && path.reconverge > path.pc ? path.reconverge : size, mask = path.mask;
    for (;;) {
        const uint32_t first = path.pc;
        if ((recording && recorder.done()) || (fuel.left == 0 && !refuel(w, operations[first]))) return nullptr;
        const uint32_t stop =
            recording ? first + 1 : first + static_cast<uint32_t>(std::min<uint64_t>(end - first, fuel.left));
        uint32_t pc = first;
        const Operation* op = nullptr;
        do {
            op = operations + pc++;
            active = mask;
            if (op->guard != no_row) active = guarded(w, *op, mask);
            if (active == ~0u) op->full(w, *op, active);
            else if (active) op->masked(w, *op, active);
        } while (op->flow == Flow::next && pc != stop);
        fuel.left -= std::min<uint64_t>(fuel.left, pc - first);
        recorder.executed(first, pc, mask);
        path.pc = pc;
        if (recorder.tells()) recorder.tell(w, first, w.suspended ? pc - 1 : pc);
        if (recording && !w.suspended) recorder.event(w, *op, active);
        if (pace == Pace::single || op->flow != Flow::next || pc == end) return op;
    }
}

// Those of the lanes that the operation's guard lets execute it.
uint32_t Block::guarded(const Warp& w, const Operation& op, uint32_t lanes) {
    const uint32_t p = *row<uint32_t>(w, op.guard);
    if (op.tracked != 0) unassigned_registers.check_guard(w, op, lanes);
    const uint32_t active = lanes & (op.guard_negated ? ~p : p);
    recorder.guarded_off(context.number_of(op), lanes & ~active);
    return active;
}

void Block::unsupported(const Warp& w, const Operation& op, uint32_t active) {
    unassigned_registers.give_up();
    report.finding(trace::FindingKind::unsupported, w, op, active, context.program.reasons[op.detail.number]);
}

bool Block::exit_lanes(Warp& w, uint32_t active) {
    const bool done = control.exit(w, active);
    mbarriers.note_progress();
    if (w.live == 0) {
        copies.abandon(w);
        products.abandon(w);
        bulk_copies.abandon(w);
    }
    return done;
}

template <Block::Pace pace>
Block::Pause Block::run_warp(Warp& w) {
    for (const Operation* op = nullptr;;) {
        if (pace == Pace::single && op) return Pause::turn;
        Path& path = w.path[w.depth - 1];
        if (w.depth > 1 && path.ends()) {
            --w.depth;
            continue;
        }
        if (path.pc >= context.program.operations.size()) { // ran off the end: as if it returned
            if (exit_lanes(w, path.mask)) return Pause::exited;
            continue;
        }
        uint32_t active = 0;
        op = run_straight<pace>(w, active);
        if (!op) return Pause::stopped;
        if (op->flow == Flow::branch) {
            control.branch(w, *op, active, path.mask);
            if (++w.branches < patience_) continue;
            w.branches = 0;
            control.turn_to_other_lanes(w);
            return Pause::turn;
        }
        if (op->flow == Flow::multiway) control.multiway(w, *op, active);
        else if (active == 0) continue;
        else if (op->flow == Flow::barrier) barriers.arrive(w, *op, active);
        else if (op->flow == Flow::cluster && cluster_barrier.meet(w, *op, active)) return Pause::barrier;
        else if (op->flow == Flow::unknown) unsupported(w, *op, active);
        else if (op->flow == Flow::trap) system_calls.end_lanes(w, *op, active);
        if (op->flow == Flow::poll && std::exchange(w.polling, false)) {
            if (std::exchange(w.suspended, false)) recorder.not_executed(--path.pc, path.mask, active);
            control.turn_to_other_lanes(w);
            return Pause::poll;
        }
        if (w.waiting >= 0) return Pause::barrier;
        if (op->flow == Flow::exit) control.note_exit(w.path[w.depth - 1], *op);
        if ((op->flow == Flow::exit || op->flow == Flow::trap) && exit_lanes(w, active)) return Pause::exited;
    }
}

} // namespace sim
