// What is not done yet of each register, at one place of the code: the state of find_hazards(). Internal to scoreboards.cpp.
#pragma once

#include "sass/latency.h"
#include "sass/registers.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sass {

constexpr unsigned scoreboard_count = 6;
constexpr uint32_t nobody = ~0u;

// Queues that do in order what is put into them: a scoreboard of a later one tells of those before it.
enum class Queue : uint8_t {
    none,
    operands,        // of memory instructions: when they are read
    shared_results,  // of instructions that shared memory and the shuffle network answer
    constants,       // that are loaded
    special_results, // of conversions and transcendental functions
    fp64_results,
};

// The predicate of an instruction, P0 to P6 or !P0 to !P6, while none writes it; else `always`.
struct Guard {
    static constexpr uint8_t always = 7;
    uint8_t number = always;
    bool negated = false;

    bool operator==(const Guard&) const = default;
    bool excludes(Guard o) const { return number != always && number == o.number && negated != o.negated; }
};

// Something that is pending until any one of some scoreboards has been waited for.
struct Clause {
    uint8_t scoreboards = 0; // a bit each
    Queue queue = Queue::none;
    Guard guard; // only threads with it have it pending

    static Clause of(Queue queue, Guard guard, uint8_t barrier, uint8_t other) {
        Clause c;
        c.guard = guard;
        c.queue = queue;
        for (const uint8_t b : {barrier, other})
            if (b < scoreboard_count) c.add(b);
        return c;
    }
    bool operator==(const Clause&) const = default;
    bool in(Queue q) const { return q != Queue::none && queue == q; }
    void add(unsigned scoreboard) { scoreboards = static_cast<uint8_t>(scoreboards | 1u << scoreboard); }
};

// All of them are pending, each on some path. Of more than it holds nothing is claimed.
class Clauses {
public:
    bool empty() const { return size_ == 0; }
    // Takes out those that threads with this guard have pending, and gives one of them.
    std::optional<Clause> take(Guard guard) {
        std::optional<Clause> taken;
        keep_if([&](Clause c) {
            if (c.guard.excludes(guard)) return true;
            if (!taken) taken = c;
            return false;
        });
        return taken;
    }
    bool add(Clause c) { // true: it is new
        if (size_ == all_.size()) return false;
        for (uint8_t n = 0; n < size_; ++n)
            if (all_[n] == c) return false;
        all_[size_++] = c;
        return true;
    }
    bool add(const Clauses& others) {
        bool fresh = false;
        for (uint8_t n = 0; n < others.size_; ++n) fresh |= add(others.all_[n]);
        return fresh;
    }
    // What it was counted for is done.
    void done(unsigned scoreboard) {
        keep_if([&](Clause c) { return (c.scoreboards >> scoreboard & 1) == 0; });
    }
    void done(Queue queue) {
        keep_if([&](Clause c) { return !c.in(queue); });
    }
    void cover(Queue queue, unsigned scoreboard) {
        change([&](Clause& c) {
            if (c.in(queue)) c.add(scoreboard);
        });
    }
    void written(uint8_t predicate) {
        change([&](Clause& c) {
            if (c.guard.number == predicate) c.guard = {};
        });
    }

private:
    std::array<Clause, 4> all_;
    uint8_t size_ = 0;

    template <class Change>
    void change(Change change_one) {
        Clauses all;
        for (uint8_t n = 0; n < size_; ++n) {
            change_one(all_[n]);
            all.add(all_[n]);
        }
        *this = all;
    }
    template <class Keep>
    void keep_if(Keep keep) {
        uint8_t kept = 0;
        for (uint8_t n = 0; n < size_; ++n)
            if (keep(all_[n])) all_[kept++] = all_[n];
        size_ = kept;
    }
};

struct Pending { // of one register
    Clauses writes, reads;
    std::array<uint32_t, unit_count> ready{};  // cycle from which each unit may read it
    uint32_t writer = nobody, reader = nobody; // the first found, by pc

    bool any() const;
    bool join(const Pending&); // true: it has become more
};

class State {
public:
    uint32_t now = 0; // cycles since a stretch without branches began

    Pending& at(uint16_t slot) {
        if (!busy_[slot]) all_[slot] = {}, busy_[slot] = true, slots_.push_back(slot);
        return all_[slot];
    }
    Pending* find(uint16_t slot) { return busy_[slot] ? &all_[slot] : nullptr; }

    // From a few cycles after its issue on an instruction is counted; a wait before does not see it.
    static constexpr uint32_t cycles_to_count = 2;
    void count(unsigned scoreboard) { counted_[scoreboard] = now + cycles_to_count; }
    bool has_counted(unsigned scoreboard) const { return counted_[scoreboard] <= now; }
    void wait(unsigned scoreboard);
    void cover_reads(Queue, unsigned scoreboard);
    void cover_writes(Queue, unsigned scoreboard);
    void read_all(Queue);                 // operands
    void write_predicate(uint8_t number); // what was guarded by it is not any more

    // At the end of a stretch, its clock at 0; only what is pending, by register.
    struct Kept {
        std::vector<std::pair<uint16_t, Pending>> registers;
        std::array<uint32_t, scoreboard_count> counted{};

        bool join(const Kept&); // true: it has become more
    };
    Kept keep() const;
    void restore(const Kept&);

private:
    std::array<Pending, register_count> all_;
    std::array<bool, register_count> busy_{};
    std::vector<uint16_t> slots_; // that are busy
    std::array<uint32_t, scoreboard_count> counted_{};
};

} // namespace sass
