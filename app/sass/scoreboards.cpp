#include "sass/scoreboards.h"

#include "sass/latency.h"
#include "sass/pending.h"
#include "sass/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace sass {
namespace {

// What one instruction waits for, reads, writes and leaves pending.
class Issue {
public:
    Issue(int sm, std::span<const Instruction> code, uint32_t pc, State& state, std::optional<Hazard>& found)
        : sm_(sm), code_(code), i_(code[pc]), pc_(pc), state_(state), found_(found), unit_(unit_of(i_)) {}

    void run() {
        wait();
        check_reads();
        check_writes();
        leave_reads();
        leave_writes();
        count();
        // 0 is written behind MEMBAR and the like: the next one waits until all is done.
        constexpr uint32_t all_done = 64;
        state_.now += i_.control.stall == 0 ? all_done : i_.control.stall;
    }

private:
    int sm_;
    std::span<const Instruction> code_;
    const Instruction& i_;
    uint32_t pc_;
    State& state_;
    std::optional<Hazard>& found_;
    Unit unit_;

    Guard guard() const { return i_.guard_uniform ? Guard{} : Guard{i_.guard, i_.guard_negated}; }
    static bool is_set(uint8_t barrier) { return barrier < scoreboard_count; }
    // How long it takes is not fixed.
    bool varies() const { return is_set(i_.control.write_barrier) || is_set(i_.control.read_barrier); }
    // From sm_90 on IMAD.WIDE reads its third operand, of 64 bits, two cycles later, and its low half is there two cycles earlier.
    bool wide() const { return sm_ >= 90 && i_.opcode == "IMAD" && i_.has("WIDE"); }
    static constexpr uint32_t cycles_of_a_half = 2;

    bool is_one_of(std::initializer_list<std::string_view> opcodes) const {
        return std::find(opcodes.begin(), opcodes.end(), i_.opcode) != opcodes.end();
    }
    Queue results() const {
        if (is_one_of({"SHFL", "MOVM"}) || (unit_ == Unit::memory && i_.space == trace::Space::shared))
            return Queue::shared_results;
        if (is_one_of({"LDC", "LDCU"})) return Queue::constants;
        if (is_one_of({"MUFU", "F2F", "I2F", "F2I", "FRND", "FCHK", "POPC", "FLO", "BREV"}))
            return Queue::special_results;
        return unit_ == Unit::fp64 ? Queue::fp64_results : Queue::none;
    }
    // The result may not be read before some scoreboard was waited for, this instruction's or one of its queue.
    bool needs_scoreboard() const {
        if (is_set(i_.control.write_barrier)) return true;
        if (is_one_of({"F2F"})) return false; // some formats take a fixed time
        const Queue queue = results();
        return (queue != Queue::none && queue != Queue::fp64_results) ||
               is_one_of({"LDG", "LD", "LDL", "ATOMG", "MATCH", "S2R"});
    }

    void find(uint32_t cause, base::Sentence text) {
        if (!found_) found_ = Hazard{i_.address, code_[cause == nobody ? pc_ : cause].address, std::move(text)};
    }
    std::string named(uint32_t pc) const {
        return pc == nobody ? "?" : fmt::format("{} ({:x})", code_[pc].opcode, code_[pc].address);
    }
    static base::Sentence guards(Clause c) {
        std::string names;
        for (unsigned n = 0; n < scoreboard_count; ++n)
            if (c.scoreboards >> n & 1) names += fmt::format("{}SB{}", names.empty() ? "" : "/", n);
        return names.empty() ? base::say("a scoreboard") : base::verbatim(names);
    }

    void wait() {
        for (unsigned n = 0; n < scoreboard_count; ++n)
            if (i_.control.wait_mask >> n & 1) {
                if (!state_.has_counted(n))
                    find(nobody,
                         base::say("{} waits for {} too early: an instruction is counted {} cycles after its issue",
                                   named(pc_), fmt::format("SB{}", n), State::cycles_to_count));
                state_.wait(n);
            }
        if (i_.kind == trace::Kind::barrier) state_.read_all(Queue::operands); // it stands in their queue
        if (i_.opcode != "DEPBAR") return;
        // Where it lets some be pending, nothing is claimed of any.
        for (const Operand& o : i_.operands) {
            if (o.kind == OperandKind::scoreboard && o.number < scoreboard_count) state_.wait(o.number);
            for (unsigned n = 0; o.kind == OperandKind::scoreboards && n < scoreboard_count; ++n)
                if (o.value >> n & 1) state_.wait(n);
        }
    }

    void check_read(uint16_t slot, Unit reader, uint32_t early) {
        Pending* p = state_.find(slot);
        if (!p) return;
        const uint32_t ready = p->ready[static_cast<size_t>(reader)], now = state_.now + early;
        if (const auto pending = p->writes.take(guard()))
            find(p->writer, base::say("{} reads {}, which {} writes, without waiting for {}", named(pc_),
                                      register_name(slot), named(p->writer), guards(*pending)));
        else if (ready > now)
            find(p->writer, base::say("{} reads {} {} cycles before {} has written it", named(pc_), register_name(slot),
                                      ready - now, named(p->writer)));
    }

    void check_reads() {
        if (i_.guard != true_predicate)
            check_read(static_cast<uint16_t>((i_.guard_uniform ? first_uniform_predicate : first_predicate) + i_.guard),
                       Unit::guard, 0);
        const bool computes = unit_ == Unit::integer || unit_ == Unit::fma || unit_ == Unit::uniform;
        for (const Operand& o : i_.operands) {
            if (o.written) continue;
            const uint32_t early = wide() && o.registers == 2 ? cycles_of_a_half : 0;
            for_each_register(o, [&](uint16_t slot) {
                check_read(slot, is_predicate(slot) && !computes ? Unit::guard : unit_, early);
            });
        }
    }

    void check_writes() {
        for (const Operand& o : i_.operands)
            if (o.written) for_each_register(o, [&](uint16_t slot) { check_write(slot); });
    }
    void check_write(uint16_t slot) {
        Pending* p = state_.find(slot);
        if (!p) return;
        // What its own queue still reads or writes comes first. A shuffle stands in that of memory instructions: ptxas lets one write the
        // registers that a store before it reads.
        if (unit_ == Unit::memory || i_.opcode == "SHFL") p->reads.done(Queue::operands);
        p->writes.done(results());
        p->reads.done(results());
        if (const auto pending = p->writes.take(guard()))
            find(p->writer, base::say("{} overwrites {}, which {} writes, without waiting for {}", named(pc_),
                                      register_name(slot), named(p->writer), guards(*pending)));
        else if (const auto read = p->reads.take(guard()))
            find(p->reader, base::say("{} overwrites {}, which {} reads, without waiting for {}", named(pc_),
                                      register_name(slot), named(p->reader), guards(*read)));
    }

    // Registers alone: predicates and uniform registers are read at the issue.
    void leave_reads() {
        const bool memory = unit_ == Unit::memory;
        if (!varies() || (!memory && !is_set(i_.control.read_barrier))) return;
        const Clause clause = Clause::of(memory ? Queue::operands : results(), guard(), i_.control.read_barrier,
                                         i_.control.write_barrier);
        for (const Operand& o : i_.operands) {
            if (o.written) continue;
            for_each_register(o, [&](uint16_t slot) {
                if (slot >= first_uniform) return;
                Pending& p = state_.at(slot);
                p.reads.add(clause);
                p.reader = pc_;
            });
        }
    }

    void leave_writes() {
        for (const Operand& o : i_.operands) {
            if (!o.written) continue;
            bool low = wide() && o.registers == 2;
            for_each_register(o, [&](uint16_t slot) { leave_write(slot, std::exchange(low, false)); });
        }
    }
    void leave_write(uint16_t slot, bool low_half) {
        Pending& p = state_.at(slot);
        p.writer = pc_;
        if (slot >= first_predicate && slot < first_uniform_predicate)
            state_.write_predicate(static_cast<uint8_t>(slot - first_predicate));
        const bool waits = needs_scoreboard();
        if (waits) p.writes.add(Clause::of(results(), guard(), i_.control.write_barrier, trace::Control::none));
        Unit result = unit_;
        if (is_predicate(slot))
            result = unit_ == Unit::integer   ? Unit::predicate
                     : unit_ == Unit::uniform ? Unit::uniform_predicate
                                              : Unit::special;
        for (size_t reader = 0; reader < unit_count; ++reader) {
            uint32_t cycles = waits || varies() ? 0 : latency(sm_, result, static_cast<Unit>(reader));
            if (low_half) cycles -= std::min(cycles, cycles_of_a_half);
            const uint32_t ready = cycles ? state_.now + cycles : 0;
            p.ready[reader] = i_.guarded() ? std::max(p.ready[reader], ready) : ready;
        }
    }

    void count() {
        const uint8_t w = i_.control.write_barrier, r = i_.control.read_barrier;
        if (is_set(w)) state_.count(w);
        if (is_set(r)) state_.count(r);
        if (unit_ == Unit::memory && is_set(r)) state_.cover_reads(Queue::operands, r);
        if (unit_ == Unit::memory && is_set(w)) state_.cover_reads(Queue::operands, w);
        if (results() != Queue::none && is_set(w)) state_.cover_writes(results(), w);
    }
};

// Where a path goes on. A function's callers are told apart: a path is in `context`, the list of instructions that it returns to.
class Paths {
public:
    Paths(int sm, std::span<const Instruction> code, std::span<const JumpTable> tables)
        : sm_(sm), code_(code), begins_(code.size() + 1, false) {
        for (const JumpTable& table : tables)
            for (const uint64_t target : table.targets) jumps_[table.address].push_back(index(target));
        for (uint32_t pc = 0; pc < code.size(); ++pc) {
            const Instruction& i = code[pc];
            for (const uint32_t target : targets(i)) begins_[std::min<size_t>(target, code.size())] = true;
            if (i.kind == trace::Kind::branch || i.kind == trace::Kind::exit) begins_[pc + 1] = true;
        }
    }

    std::vector<Hazard> run() {
        if (code_.empty()) return {};
        reach({0, 0}, {});
        uint64_t steps = 0;
        while (!open_.empty() && steps < most_steps) {
            const Place place = open_.back();
            open_.pop_back();
            steps += walk(place, nullptr);
        }
        std::map<uint64_t, Hazard> found;
        const auto places = entries_; // all is known: nothing is added any more
        for (const auto& [place, entry] : places) walk(place, &found);
        std::vector<Hazard> all;
        for (auto& [address, hazard] : found) all.push_back(std::move(hazard));
        return all;
    }

private:
    using Context = uint32_t;
    using Place = std::pair<Context, uint32_t>; // and pc
    // A damaged file is not looked at for ever. The longest kernel of the corpus takes a hundredth of it.
    static constexpr uint64_t most_steps = 20'000'000;
    static constexpr size_t most_contexts = 1000;

    int sm_;
    std::span<const Instruction> code_;
    std::vector<bool> begins_; // a stretch
    std::map<uint64_t, std::vector<uint32_t>> jumps_;
    std::vector<std::pair<Context, uint32_t>> contexts_{{0, 0}}; // that of the caller, and the pc that is returned to
    std::map<std::pair<Context, uint32_t>, Context> known_contexts_;
    std::map<Place, State::Kept> entries_;
    std::vector<Place> open_;
    State state_;

    static uint32_t index(uint64_t address) {
        return static_cast<uint32_t>(std::min<uint64_t>(address / instruction_bytes, ~0u));
    }
    std::vector<uint32_t> targets(const Instruction& i) const {
        if (i.traits & indirect) {
            const auto found = jumps_.find(i.address);
            return found == jumps_.end() ? std::vector<uint32_t>{} : found->second;
        }
        std::vector<uint32_t> all;
        if (i.kind == trace::Kind::branch || i.opcode == "WARPSYNC")
            for (const Operand& o : i.operands)
                if (o.kind == OperandKind::label && o.base == Operand::none && i.opcode != "RET" && o.value >= 0)
                    all.push_back(index(static_cast<uint64_t>(o.value)));
        return all;
    }

    void reach(Place place, const State::Kept& kept) {
        if (place.second >= code_.size()) return;
        const auto [it, fresh] = entries_.try_emplace(place, kept);
        if (fresh || it->second.join(kept)) open_.push_back(place);
    }

    std::optional<Context> called(Context caller, uint32_t back_to) {
        const auto [it, fresh] = known_contexts_.try_emplace({caller, back_to}, static_cast<Context>(contexts_.size()));
        if (!fresh) return it->second;
        if (contexts_.size() >= most_contexts) {
            known_contexts_.erase(it);
            return std::nullopt;
        }
        contexts_.emplace_back(caller, back_to);
        return it->second;
    }

    // From `place` to the end of its stretch; how many instructions that are. Without `found` it tells those that come next.
    uint64_t walk(Place place, std::map<uint64_t, Hazard>* found) {
        state_.restore(entries_.at(place));
        const auto [context, first] = place;
        uint32_t pc = first;
        for (;; ++pc) {
            std::optional<Hazard> hazard;
            Issue(sm_, code_, pc, state_, hazard).run();
            if (hazard && found) found->try_emplace(hazard->address, *hazard);
            if (pc + 1 >= code_.size() || begins_[pc + 1] || code_[pc].opcode == "WARPSYNC") break;
        }
        if (!found) go_on(context, pc);
        return pc + 1 - first;
    }

    void go_on(Context context, uint32_t pc) {
        const Instruction& i = code_[pc];
        const bool calls = i.opcode == "CALL", returns = i.opcode == "RET";
        bool conditional = i.guarded();
        for (const Operand& o : i.operands)
            conditional |= (o.kind == OperandKind::predicate || o.kind == OperandKind::uniform_predicate) &&
                           (o.number != true_predicate || o.negated);
        const State::Kept kept = state_.keep();
        const std::vector<uint32_t> to = targets(i);
        if (calls && to.empty()) { // of an unknown function: all is done when it returns
            reach({context, pc + 1}, {});
        } else if (calls) {
            if (const auto callee = called(context, pc + 1)) reach({*callee, to[0]}, kept);
        } else if (returns) {
            if (context != 0) reach({contexts_[context].first, contexts_[context].second}, kept);
        } else {
            for (const uint32_t target : to) reach({context, target}, kept);
        }
        if (conditional || (!calls && !(i.traits & ends))) reach({context, pc + 1}, kept);
    }
};

} // namespace

std::vector<Hazard> find_hazards(int sm, std::span<const Instruction> code, std::span<const JumpTable> tables) {
    return Paths(sm, code, tables).run();
}

} // namespace sass
