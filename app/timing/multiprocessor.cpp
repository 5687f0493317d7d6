#include "timing/multiprocessor.h"

#include "timing/instruction_cache.h"
#include "timing/memory.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace timing {
namespace {

constexpr Cycle never = std::numeric_limits<Cycle>::max();
constexpr size_t schedulers = 4, scoreboards = 6;

struct Pending { // of a scoreboard
    Cycle done = 0;
    Wait why = Wait::short_scoreboard;
    uint32_t producer = Issue::nobody;
};

// What a scheduler sees of a warp at each of its turns, apart from the rest of the warp: all of a scheduler's lie in a few cache lines.
struct Slot {
    uint32_t warp = 0;
    Pipe pipe = Pipe::none;   // of the next instruction
    bool seen = false;        // by the scheduler, since it was ready
    bool held = false;        // likewise: its pipe or queue was taken
    uint32_t passed_over = 0; // how often it could have issued,
    Cycle eligible = never;   // and the last time of that
    Cycle ready = never;      // the earliest issue: never while it waits for others
    Cycle port_cycles = 0;    // since it was ready, in which operands of others kept the scheduler
};

// The memory unit's queue of one sub-core: when it takes those that were issued last.
class Queue {
public:
    explicit Queue(double entries) : taken_(static_cast<size_t>(entries)) {}
    void push(Cycle taken, bool global) {
        taken_[next_] = {taken, global};
        next_ = next_ + 1 == taken_.size() ? 0 : next_ + 1;
    }
    Cycle free() const { return taken_[next_].at; }          // a place,
    bool was_global() const { return taken_[next_].global; } // which an access to global or local memory had

private:
    struct Taken {
        Cycle at = 0;
        bool global = false;
    };
    std::vector<Taken> taken_;
    size_t next_ = 0;
};

struct Scheduler {
    explicit Scheduler(const Machine& m) : queue(m.queue_entries), code(m) {}
    std::vector<Slot> slots;
    uint32_t current = 0; // of `slots`, that issued last
    Cycle free = 0;       // the next issue,
    std::array<Cycle, 2> bank_free{};
    bool ports_taken = false; // by operands of those before, when the last issued
    Cycle port_from = 0;      // and from when on operands alone are why
    std::array<Cycle, static_cast<size_t>(Pipe::count)> pipe_free{};
    Cycle products_done = 0; // of warpgroups, which the tensor core takes one after the other
    Queue queue;
    InstructionCache::Buffer code;
    // When registers move to the unit of shared memory or back and take the cycle of an issue, and until when the last did.
    std::priority_queue<Cycle, std::vector<Cycle>, std::greater<>> moves;
    Cycle moved = 0;
    double owed = 0; // of a cycle
    // The reuse cache: one register of each operand place and bank.
    static constexpr uint64_t nothing = ~uint64_t{0};
    static uint64_t kept(uint32_t warp, uint16_t number) { return uint64_t{warp} << 16 | number; }
    std::array<std::array<uint64_t, 2>, 3> reuse{{{nothing, nothing}, {nothing, nothing}, {nothing, nothing}}};
    Cycle next_try = never;
};

struct Warp {
    uint32_t block = 0, group_number = 0; // the latter of the block's warpgroups
    const Step *next = nullptr, *end = nullptr;
    const uint32_t* event = nullptr; // of `next`, if the stream has them
    const Stream* stream = nullptr;
    Slot* slot = nullptr;
    Scheduler* scheduler = nullptr;
    // Of the next instruction: until when each holds it, one after the other.
    struct Hold {
        Cycle until = 0;
        Wait why = Wait::fixed_latency;
        uint32_t producer = Issue::nobody;
    };
    Cycle from = 0;      // behind the issue of the instruction before
    Hold stall, group;   // its stall count; its branch or others of its block
    Hold fetch;          // its code
    uint32_t line = ~0u; // of code, that it executes
    Hold ready;          // scoreboards, the latest
    Cycle drained = 0;   // when L2 has taken all that it stored
    std::array<std::vector<Pending>, scoreboards> pending;
    std::vector<Pending> copies;   // LDGSTS that no group holds yet
    std::vector<Pending> products; // HGMMA that nobody has waited for
    bool done() const { return next == end; }
};

class Simulator {
public:
    Simulator(const Setup& setup, std::span<const Stream* const> blocks)
        : setup_(setup), m_(setup.machine), memory_(setup.machine, setup.behind, setup.what_if) {
        run_.lost.resize(setup.code.ops.size());
        run_.block_cycles.resize(blocks.size());
        barriers_.resize(blocks.size());
        executed_.resize(blocks.size());
        watched_.resize(blocks.size());
        for (const double share : setup.watch.shares) marks_.push_back(times_of(share, *blocks.front()));
        for (const Stream* block : blocks) {
            std::vector<Phase>& phases = phases_.emplace_back(block->arrivals.size());
            for (size_t n = 0; n < phases.size(); ++n) phases[n].left = block->arrivals[n];
        }
        size_t place = 0;
        for (uint32_t b = 0; b < blocks.size(); ++b) {
            barriers_[b].groups.resize((blocks[b]->warps.size() + schedulers - 1) / schedulers);
            for (size_t n = 0; n < blocks[b]->warps.size(); ++n) {
                const std::vector<Step>& steps = blocks[b]->warps[n];
                Warp w;
                w.block = b;
                w.group_number = static_cast<uint32_t>(n / schedulers);
                w.stream = blocks[b];
                w.next = steps.data();
                w.end = std::find_if(w.next, steps.data() + steps.size(),
                                     [&](const Step& s) { return s.pc >= setup.code.ops.size(); });
                if (n < blocks[b]->events.size()) w.event = blocks[b]->events[n].data();
                w.scheduler = &schedulers_[place % schedulers];
                if (!w.done()) {
                    w.scheduler->slots.push_back({.warp = static_cast<uint32_t>(warps_.size())});
                    ++barriers_[b].alive;
                    ++barriers_[b].groups[w.group_number].expected;
                }
                ++place;
                warps_.push_back(std::move(w));
            }
        }
        for (Scheduler& s : schedulers_)
            for (Slot& slot : s.slots) {
                warps_[slot.warp].slot = &slot;
                go_on(slot.warp);
            }
        if (setup.record && !blocks.empty()) {
            size_t events = 0;
            for (const auto& warp : blocks[0]->events)
                for (const uint32_t event : warp) events = std::max<size_t>(events, event + 1);
            run_.issues.resize(events);
        }
    }

    Run run(const std::stop_token& stop) {
        for (uint32_t turn = 0;; ++turn) {
            if (turn % 4096 == 0 && stop.stop_requested()) break;
            Scheduler* first = nullptr;
            for (Scheduler& s : schedulers_)
                if (!first || s.next_try < first->next_try) first = &s;
            if (first->next_try == never) break;
            step(*first, first->next_try);
        }
        run_.stuck = std::any_of(warps_.begin(), warps_.end(), [](const Warp& w) { return !w.done(); });
        return std::move(run_);
    }

private:
    const Setup& setup_;
    const Machine& m_;
    Memory memory_;
    InstructionCache code_{m_};
    Run run_;
    std::vector<uint64_t> executed_, watched_; // instructions, by block
    std::vector<uint64_t> marks_;              // times that what is watched is executed
    std::vector<Warp> warps_;
    std::array<Scheduler, schedulers> schedulers_{Scheduler(m_), Scheduler(m_), Scheduler(m_), Scheduler(m_)};
    struct Barrier {
        struct One {
            uint32_t arrived = 0, expected = 0; // warps; expected 0: all of the block
            Cycle taken = 0;                    // the last of them
            std::vector<uint32_t> waiting;      // warps
        };
        std::array<One, 16> all;
        std::vector<One> groups; // of warps: `expected` are alive
        uint32_t alive = 0;      // warps
    };
    std::vector<Barrier> barriers_; // by block

    const Op& op_of(const Warp& w) const { return setup_.code.ops[w.next->pc]; }

    void step(Scheduler& s, Cycle now) {
        if (now < s.free) {
            s.next_try = s.free;
            return;
        }
        // The same warp while it can; else the youngest that is ready. But a place in the queue to memory goes to who has waited for it
        // longest: warps of a block come to their barriers at about the same time even where the queue is what they wait for.
        Cycle soonest = never, longest = never;
        uint32_t chosen = ~0u, queued = ~0u;
        for (uint32_t n = 0; n < s.slots.size(); ++n) {
            Slot& slot = s.slots[n];
            if (slot.ready > now) {
                soonest = std::min(soonest, slot.ready);
                slot.held = false;
                continue;
            }
            see(s, slot);
            const Cycle can = s.pipe_free[static_cast<size_t>(slot.pipe)];
            if (can > now) {
                soonest = std::min(soonest, can);
                slot.held = true;
                continue;
            }
            if (slot.held && slot.pipe == Pipe::memory && slot.ready < longest) longest = slot.ready, queued = n;
            ++slot.passed_over;
            slot.eligible = now;
            if (chosen != s.current) chosen = n; // the last is the youngest
        }
        if (chosen == ~0u) {
            s.next_try = soonest;
            return;
        }
        if (queued != ~0u && s.slots[chosen].pipe == Pipe::memory) chosen = queued;
        s.current = chosen;
        issue(s, s.slots[chosen], now);
        if (s.free > now + 1)
            for (Slot& slot : s.slots)
                if (slot.eligible == now) slot.port_cycles += s.free - now - 1;
        s.next_try = std::max(s.free, now + 1);
    }

    // The first time that the scheduler looks at a warp that is ready: it may have become so while operands were read.
    static void see(const Scheduler& s, Slot& slot) {
        if (slot.seen) return;
        slot.seen = true;
        const Cycle from = std::max(slot.ready, s.port_from);
        if (s.free > from) slot.port_cycles = s.free - from;
    }

    void issue(Scheduler& s, Slot& slot, Cycle now) {
        const uint32_t number = slot.warp;
        Warp& w = warps_[number];
        const Step& step = *w.next;
        const Op& op = setup_.code.ops[step.pc];
        account(w, step, op, now);
        const Cycle port = read_registers(s, number, op, now);
        s.port_from = now + 1;
        s.free = now + port;
        take_pipe(s, op, now);
        const uint32_t event = w.event ? *w.event++ : Issue::nobody;
        execute(s, w, step, op, event, now);
        w.from = now + 1;
        ++w.next;
        ++run_.instructions;
        ++executed_[w.block];
        if (step.pc == setup_.watch.pc) watch(w.block, now);
        w.stall = {now + std::max<Cycle>(op.stall, 1), Wait::fixed_latency};
        const bool taken = op.does == Does::branch && !w.done() && w.next->pc != step.pc + 1;
        w.group = {};
        if (taken) w.group = {now + static_cast<Cycle>(m_.branch_cycles), Wait::branch};
        if (op.does == Does::yield) w.group = {now + static_cast<Cycle>(m_.yield_cycles), Wait::branch};
        settle(w, step, event, now);
        const Cycle from = std::max(w.stall.until, w.group.until);
        if (!w.done()) w.fetch = {code_.fetch(w.next->pc, w.line, from, s.code), Wait::instruction};
        if (w.done()) end(w, now);
        else if (op.does == Does::barrier) arrive(w, number, step, op, event, now);
        else if (op.does == Does::group_arrive) meet(w, number, event, now);
        else go_on(number);
    }

    uint64_t times_of(double share, const Stream& block) const {
        uint64_t all = 0;
        for (const auto& steps : block.warps)
            all += static_cast<uint64_t>(
                std::count_if(steps.begin(), steps.end(), [&](const Step& s) { return s.pc == setup_.watch.pc; }));
        return std::max<uint64_t>(1, static_cast<uint64_t>(std::lround(share * static_cast<double>(all))));
    }
    void watch(uint32_t block, Cycle now) {
        const uint64_t times = ++watched_[block];
        if (run_.marks.size() == marks_.size() || times < marks_[run_.marks.size()]) return;
        run_.marks.push_back({now, executed_, run_.lost});
    }

    // What the next instruction waits for.
    void prepare(Warp& w) {
        w.ready = {std::max({w.stall.until, w.group.until, w.fetch.until}), Wait::fixed_latency};
        const Op& op = op_of(w);
        for (unsigned left = op.wait_mask; left != 0; left &= left - 1)
            wait_for(w, w.pending[static_cast<size_t>(std::countr_zero(left))], 0);
        if (op.does == Does::group_wait) wait_for(w, w.products, op.left);
        if (op.does == Does::wait_count && op.counted_scoreboard < scoreboards)
            wait_for(w, w.pending[op.counted_scoreboard], op.left);
        *w.slot = {.warp = w.slot->warp, .pipe = op.pipe, .ready = w.ready.until};
        w.scheduler->next_try = std::min(w.scheduler->next_try, w.ready.until);
    }

    // Until at most `left` of them are pending.
    static void wait_for(Warp& w, std::vector<Pending>& pending, size_t left) {
        if (pending.size() <= left) return;
        if (left > 0)
            std::sort(pending.begin(), pending.end(),
                      [](const Pending& a, const Pending& b) { return a.done < b.done; });
        const size_t over = pending.size() - left;
        for (size_t n = 0; n < over; ++n)
            if (pending[n].done > w.ready.until) w.ready = {pending[n].done, pending[n].why, pending[n].producer};
        pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(over));
    }

    static bool is_global(const Op& op) {
        return op.does == Does::global || op.does == Does::store || op.does == Does::copy_async;
    }
    // An access to global memory that waits for one to shared memory counts as that does.
    static Wait throttle(const Op& op, const Queue& queue) {
        if (op.pipe != Pipe::memory) return Wait::math_pipe;
        return is_global(op) && queue.was_global() ? Wait::global_queue : Wait::memory_queue;
    }

    // Where the cycles since the instruction before went.
    void account(const Warp& w, const Step& step, const Op& op, Cycle now) {
        Lost& lost = run_.lost[step.pc];
        ++lost[Wait::selected];
        Cycle at = w.from;
        const bool kept = setup_.record && w.block == 0 && w.event;
        if (!kept && w.stall.until >= now) { // mostly; nothing else was waited for
            lost[w.stall.why] += now - at;
            return;
        }
        Issue record{.cycle = now, .waited = static_cast<uint32_t>(now - at)};
        record.first_part = static_cast<uint32_t>(run_.parts.size());
        const auto spend = [&](const Warp::Hold& hold) {
            const Cycle until = std::min(hold.until, now);
            if (until <= at) return;
            lost[hold.why] += until - at;
            if (until - at > record.why_cycles) {
                record.why = hold.why, record.producer = hold.producer;
                record.why_cycles = static_cast<uint32_t>(until - at);
            }
            if (kept)
                run_.parts.push_back({static_cast<uint32_t>(until - at), hold.producer, hold.why}), ++record.parts;
            at = until;
        };
        spend(w.stall);
        spend(w.group);
        spend(w.fetch);
        spend(w.ready);
        // Then it was ready: issues of other warps while it could have, their operands, and until its pipe took it.
        spend({at + w.slot->passed_over - 1, Wait::not_selected});
        spend({at + w.slot->port_cycles, Wait::register_port});
        spend({now, throttle(op, w.scheduler->queue)});
        if (kept) run_.issues[*w.event] = record;
    }

    // Cycles that the instruction keeps the scheduler, because a bank gives one register a cycle.
    Cycle read_registers(Scheduler& s, uint32_t warp, const Op& op, Cycle now) {
        std::array<Cycle, 2> fetched{};
        for (uint8_t n = 0; n < op.read_count; ++n) {
            const Op::Read& r = op.reads[n];
            const size_t bank = r.number & 1;
            uint64_t& kept = s.reuse[r.place][bank];
            const uint64_t wanted = Scheduler::kept(warp, r.number);
            const bool missed = kept != wanted || !setup_.what_if.reuse_cache;
            fetched[bank] += missed ? (r.count + 1u) / 2 : 0;
            fetched[1 - bank] += missed ? r.count / 2u : 0;
            kept = r.reuse ? wanted : Scheduler::nothing;
        }
        s.ports_taken = std::max(s.bank_free[0], s.bank_free[1]) > now;
        if (!setup_.what_if.register_banks) return 1;
        Cycle until = now + 1 + moving(s, now);
        for (size_t bank = 0; bank < fetched.size(); ++bank) {
            s.bank_free[bank] = std::max(s.bank_free[bank], now) + fetched[bank];
            until = std::max(until,
                             s.bank_free[bank] - std::min<Cycle>(s.bank_free[bank], static_cast<Cycle>(m_.read_ahead)));
        }
        return until - now;
    }

    static void move(Scheduler& s, Cycle from, double cycles) {
        for (s.owed += cycles; s.owed >= 1; --s.owed) s.moves.push(from);
    }
    // Cycles from `now` on that the moves take which have begun by now.
    static Cycle moving(Scheduler& s, Cycle now) {
        for (; !s.moves.empty() && s.moves.top() <= now; s.moves.pop()) s.moved = std::max(s.moved, s.moves.top()) + 1;
        return s.moved - std::min(s.moved, now);
    }

    void take_pipe(Scheduler& s, const Op& op, Cycle now) {
        if (op.pipe != Pipe::none) s.pipe_free[static_cast<size_t>(op.pipe)] = now + op.interval;
    }

    static const Access* access_of(const Stream& stream, const Step& step) {
        if (step.access >= stream.accesses.size()) return nullptr; // it has none, too
        const Access& a = stream.accesses[step.access];
        const size_t lines = stream.lines.size();
        return a.lines <= lines && a.first_line <= lines - a.lines ? &a : nullptr;
    }

    void execute(Scheduler& s, Warp& w, const Step& step, const Op& op, uint32_t event, Cycle now) {
        const Access* a = access_of(*w.stream, step);
        const Line* lines = a ? w.stream->lines.data() + a->first_line : nullptr;
        const auto wavefronts = [&]() -> uint32_t {
            if (!a) return 1;
            return std::max<uint32_t>(1, setup_.what_if.bank_conflicts ? a->wavefronts : a->ideal);
        };
        Memory::Served served{now, now + op.latency};
        Wait why = Wait::short_scoreboard;
        switch (op.does) {
        case Does::shared:
            served = memory_.shared(now, wavefronts(), op.registers);
            if (s.ports_taken) served.done += static_cast<Cycle>(m_.shared_port_wait);
            if (op.sent > 1) move(s, served.begun, op.sent - 1);
            else if (op.registers > 2)
                move(s, served.done, wavefronts() <= op.registers / 2u ? m_.fast_arrival : m_.slow_arrival);
            break;
        case Does::global:
            if (!a) served = memory_.other(now, m_.l1_latency);
            else if (op.local) served = memory_.load(now, *a, lines, op.registers, op.past_l1);
            else served = memory_.load_in_order(now, *a, lines, op.registers, op.past_l1);
            why = Wait::long_scoreboard;
            break;
        case Does::store:
            if (a) served = memory_.store(now, *a, lines);
            else served = memory_.other(now, m_.operand_latency);
            w.drained = std::max(w.drained, served.done);
            why = Wait::long_scoreboard;
            break;
        case Does::copy_async:
            if (a) served = memory_.load(now, *a, lines, op.registers, op.past_l1);
            why = Wait::long_scoreboard;
            w.copies.push_back({served.done, why, event});
            break;
        case Does::commit: {
            // Groups end in the order of their commits, an empty one not before what is copied.
            std::vector<Pending>& groups = w.pending[op.write_barrier < scoreboards ? op.write_barrier : 0];
            Pending group{now, Wait::long_scoreboard, event};
            for (const std::vector<Pending>* before : {&w.copies, &groups})
                for (const Pending& one : *before)
                    if (one.done > group.done) group = one;
            w.copies.clear();
            groups.push_back(group);
            return;
        }
        case Does::group_product:
            served.done = std::max(s.products_done, now) + op.latency;
            s.products_done = std::max(s.products_done, now) + op.interval;
            memory_.feed_products(s.products_done + static_cast<Cycle>(m_.product_reads_beyond));
            w.products.push_back({served.done, Wait::products, event});
            break;
        case Does::shuffle: served = memory_.other(now, m_.shuffle_latency); break;
        case Does::poll:
            served = memory_.other(now, m_.poll_latency);
            why = Wait::mbarrier;
            break;
        case Does::constant: served = memory_.other(now, m_.constant_latency); break;
        default: break;
        }
        if (op.pipe == Pipe::memory) {
            s.queue.push(served.begun + 1, is_global(op));
            Cycle& free = s.pipe_free[static_cast<size_t>(Pipe::memory)];
            free = std::max(free, s.queue.free());
        }
        if (op.write_barrier < scoreboards) w.pending[op.write_barrier].push_back({served.done, why, event});
        // Whatever is accessed, its operands are read in the queue to the memory unit.
        if (op.read_barrier < scoreboards)
            w.pending[op.read_barrier].push_back(
                {op.does == Does::store ? served.done : served.begun + static_cast<Cycle>(m_.operand_latency),
                 Wait::short_scoreboard, event});
    }

    void arrive(Warp& w, uint32_t number, const Step& step, const Op& op, uint32_t event, Cycle now) {
        Barrier& block = barriers_[w.block];
        uint8_t barrier = op.barrier;
        uint16_t expected = op.barrier_warps;
        for (const Effect& e : w.stream->effects_of(step))
            if (e.what == Effect::meets) barrier = e.barrier, expected = e.warps;
        Barrier::One& one = block.all[barrier % block.all.size()];
        ++one.arrived;
        one.taken = std::max(one.taken, now) + static_cast<Cycle>(m_.barrier_arrival);
        if (op.arrives_only) go_on(number);
        else one.waiting.push_back(number), w.slot->ready = never;
        one.expected = expected;
        release(block, one, now, event);
    }

    void release(const Barrier& block, Barrier::One& one, Cycle now, uint32_t by) {
        if (one.arrived == 0 || one.arrived < (one.expected == 0 ? block.alive : one.expected)) return;
        let_go(one, {std::max(now, one.taken) + static_cast<Cycle>(m_.barrier_latency), Wait::barrier, by});
    }

    void let_go(Barrier::One& one, const Warp::Hold& until) {
        one.arrived = 0;
        for (const uint32_t n : std::exchange(one.waiting, {})) {
            warps_[n].group = until;
            go_on(n);
        }
    }

    // A product reads what it multiplies once for four sub-cores: it begins when all of them have come.
    void meet(Warp& w, uint32_t number, uint32_t event, Cycle now) {
        Barrier::One& group = barriers_[w.block].groups[w.group_number];
        ++group.arrived;
        group.waiting.push_back(number), w.slot->ready = never;
        release_group(group, now, event);
    }

    void release_group(Barrier::One& group, Cycle now, uint32_t by) {
        if (group.arrived > 0 && group.arrived >= group.expected) let_go(group, {now, Wait::products, by});
    }

    struct Phase {         // of an mbarrier
        uint32_t left = 0; // arrivals
        Cycle over = 0;
        uint32_t by = Issue::nobody;
        std::vector<uint32_t> waiting; // warps
    };
    std::vector<std::vector<Phase>> phases_; // by block

    // Arrivals and copies of an instruction that was issued.
    void settle(Warp& w, const Step& step, uint32_t event, Cycle now) {
        for (const Effect& e : w.stream->effects_of(step)) {
            const Line* lines = w.stream->lines.data() + e.moved.first_line;
            Cycle at = now;
            if (e.what == Effect::stores) memory_.store(now, e.moved, lines);
            if (e.what == Effect::copies) at = memory_.copy(now, e.moved, lines).done;
            if (e.what == Effect::arrives_after_copies)
                for (const Pending& c : w.copies) at = std::max(at, c.done);
            if (e.what == Effect::goes_on || e.phase == Effect::no_phase) continue; // or it meets others
            Phase& p = phases_[w.block][e.phase];
            if (at >= p.over) p.over = at, p.by = event;
            if (--p.left > 0) continue;
            for (const uint32_t n : std::exchange(p.waiting, {})) go_on(n);
        }
    }

    // Whether the next instruction waits for a phase that is not over; if it is, until when.
    bool waits_for_phase(Warp& w, uint32_t number) {
        for (const Effect& e : w.stream->effects_of(*w.next)) {
            if (e.what != Effect::goes_on) continue;
            Phase& p = phases_[w.block][e.phase];
            if (p.left > 0) {
                p.waiting.push_back(number);
                return true;
            }
            const Cycle over = p.over + static_cast<Cycle>(m_.mbarrier_latency);
            if (over > w.group.until) w.group = {over, Wait::mbarrier, p.by};
        }
        return false;
    }
    void go_on(uint32_t number) {
        if (waits_for_phase(warps_[number], number)) warps_[number].slot->ready = never;
        else prepare(warps_[number]);
    }

    void end(Warp& w, Cycle now) {
        const Cycle over = std::max(now + 1, w.drained); // until then its place is not free
        run_.block_cycles[w.block] = std::max(run_.block_cycles[w.block], over);
        run_.cycles = std::max(run_.cycles, over);
        Barrier& block = barriers_[w.block];
        --block.alive;
        w.slot->ready = never;
        for (Barrier::One& one : block.all) release(block, one, now, Issue::nobody);
        Barrier::One& group = block.groups[w.group_number];
        --group.expected;
        release_group(group, now, Issue::nobody);
    }
};

} // namespace

const char* name(Wait w) {
    static constexpr std::array names = {
        "selected",     "wait",        "short_scoreboard", "long_scoreboard", "barrier",          "math_pipe_throttle",
        "mio_throttle", "lg_throttle", "dispatch_stall",   "not_selected",    "branch_resolving", "no_instruction",
        "mbarrier",     "wgmma"};
    static_assert(names.size() == static_cast<size_t>(Wait::count));
    return names[static_cast<size_t>(w)];
}

Run simulate(const Setup& setup, std::span<const Stream* const> blocks, const std::stop_token& stop) {
    return Simulator(setup, blocks).run(stop);
}

} // namespace timing
