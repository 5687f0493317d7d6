#include "analysis/timeline.h"

#include "analysis/banks.h"
#include "analysis/loops.h"
#include "analysis/mapping.h"
#include "analysis/sectors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace analysis {
namespace {

using trace::Kind;
using trace::Space;

size_t warp_count(const trace::Trace& t) {
    size_t count = static_cast<size_t>(std::min<uint64_t>((t.block.count() + 31) / 32, 32));
    for (const trace::Event& e : t.events) count = std::max<size_t>(count, e.warp + size_t{1});
    return count;
}

// Calls f(event number, event, instruction) for the events whose instruction is known.
template <class F>
void each_event(const trace::Trace& t, F f) {
    if (!t.listing) return;
    for (uint32_t i = 0; i < t.events.size(); ++i)
        if (t.events[i].pc < t.listing->instructions.size()) f(i, t.events[i], t.listing->instructions[t.events[i].pc]);
}

// A barrier is complete when the last warp that has not exited has arrived as often as the others.
std::vector<uint32_t> barriers(const trace::Trace& t, size_t warps) {
    std::vector<uint32_t> result;
    std::vector<uint32_t> arrivals(warps, 0), exited(warps, 0), lanes;
    for (size_t w = 0; w < warps; ++w) lanes.push_back(launched_lanes(t, w));
    each_event(t, [&](uint32_t i, const trace::Event& e, const trace::Instruction& instruction) {
        if (instruction.kind == Kind::exit) exited[e.warp] |= e.active;
        if (instruction.kind == Kind::barrier) ++arrivals[e.warp];
        if (instruction.kind != Kind::exit && instruction.kind != Kind::barrier) return;
        bool any = false;
        uint32_t least = ~0u;
        for (size_t w = 0; w < warps; ++w) {
            if ((lanes[w] & ~exited[w]) == 0) continue;
            any = true;
            least = std::min(least, arrivals[w]);
        }
        if (any && least > result.size()) result.push_back(i);
    });
    return result;
}

// A branch to somewhere unknown is taken to fall through.
Loops loops_of(const trace::Listing& listing) {
    std::vector<Step> steps;
    for (const trace::Instruction& i : listing.instructions) {
        const bool branches = i.kind == Kind::branch && i.target >= 0 && i.target < std::ssize(listing.instructions);
        const bool leaves = branches || i.kind == Kind::exit;
        steps.push_back({leaves && i.guarded(), leaves, false, branches ? i.target : -1});
    }
    return loops(steps);
}

bool waits(Kind kind) { return kind == Kind::barrier || kind == Kind::wait; }

bool moves_or_computes(const trace::Instruction& i) {
    const bool loads = i.kind == Kind::load && (i.space == Space::shared || i.space == Space::global);
    return loads || i.kind == Kind::async_copy || i.kind == Kind::bulk_copy || i.kind == Kind::fma ||
           i.kind == Kind::matrix;
}

// What a warp, or the block, executes of a loop.
struct Loop {
    int64_t entry = -1; // the pc at which it is entered: executed once in each iteration
    uint64_t events = 0;
    bool waiting = false, working = false;
    void add(const trace::Event& e, const trace::Instruction& instruction) {
        if (events++ == 0) entry = e.pc;
        waiting = waiting || waits(instruction.kind);
        working = working || moves_or_computes(instruction);
    }
};

// Where a turn begins of the loop over k, by pc: of the outermost loop with the most events; or, where that goes from one tile of C to
// the next, of the loop within it that has most of its events and itself waits for the data that it works on. -1: there is no loop.
int64_t turn_of(std::span<const Loop> all, const Loops& found) {
    size_t chosen = all.size();
    for (size_t depth = 1;; ++depth) {
        size_t most = all.size();
        for (size_t head = 0; head < all.size(); ++head) {
            const auto& around = found.around[head]; // the loop itself among them
            const auto is_around = [&](size_t loop) {
                return std::find(around.begin(), around.end(), loop) != around.end();
            };
            if (around.size() != depth || !is_around(head) || all[head].events == 0) continue;
            if (depth > 1 && !is_around(chosen)) continue;
            if (most == all.size() || all[head].events > all[most].events) most = head;
        }
        if (most == all.size()) break;
        if (depth > 1 && !(2 * all[most].events > all[chosen].events && all[most].waiting && all[most].working)) break;
        chosen = most;
    }
    return chosen == all.size() ? -1 : all[chosen].entry;
}

// Where a warp's k-tiles begin: with each turn of its loop or, where several turns make a tile because its loops are one loop, with the
// turn behind one in which the warp has waited for others, which nobody does within a tile.
class TileStarts {
public:
    // `turn`: the pc at which one begins; -1: the warp is in no loop.
    TileStarts(int64_t turn, bool merged) : turn_(turn), merged_(merged) {}
    // For each event of the warp, in order.
    bool begins(uint32_t pc, Kind kind) {
        const bool starts = int64_t{pc} == turn_ && (waited_ || !merged_);
        if (starts) waited_ = false;
        waited_ = waited_ || waits(kind);
        return starts;
    }

private:
    int64_t turn_;
    bool merged_, waited_ = true;
};

std::vector<WarpSteps> steps_of(const trace::Trace& t, size_t warps) {
    std::vector<size_t> count(warps, 0);
    for (const trace::Event& e : t.events) ++count[e.warp];
    std::vector<WarpSteps> steps(warps);
    for (size_t w = 0; w < warps; ++w) steps[w].events.reserve(count[w]);
    for (uint32_t i = 0; i < t.events.size(); ++i) steps[t.events[i].warp].events.push_back(i);
    return steps;
}

// Of each warp whether it waits for others in some turns of its loop, but not in half of them: then those between are of one tile.
std::vector<bool> merged_loops(const trace::Trace& t, const std::vector<int64_t>& turns) {
    struct Turns {
        uint32_t waiting = 0, others = 0;
        bool waited = false, inside = false;
    };
    std::vector<Turns> of_warp(turns.size());
    each_event(t, [&](uint32_t, const trace::Event& e, const trace::Instruction& instruction) {
        Turns& warp = of_warp[e.warp];
        if (int64_t{e.pc} == turns[e.warp]) {
            if (warp.inside) ++(warp.waited ? warp.waiting : warp.others); // the last turn has nobody to wait for
            warp.inside = true, warp.waited = false;
        }
        warp.waited = warp.waited || waits(instruction.kind);
    });
    std::vector<bool> merged;
    for (const Turns& warp : of_warp) merged.push_back(warp.waiting > 0 && warp.others > warp.waiting);
    return merged;
}

// Fills in the k-tiles of the loops that each warp, and the block as a whole, spends most instructions in.
void find_tiles(const trace::Trace& t, size_t warps, Timeline& line) {
    if (!t.listing || t.listing->instructions.empty()) return;
    const Loops found = loops_of(*t.listing);
    const size_t count = found.around.size();
    std::vector<Loop> of_block(count), of_warps(count * warps);
    each_event(t, [&](uint32_t, const trace::Event& e, const trace::Instruction& instruction) {
        for (const uint32_t head : found.of(e.pc)) {
            of_block[head].add(e, instruction);
            of_warps[e.warp * count + head].add(e, instruction);
        }
    });
    std::vector<int64_t> turns; // [warp]: the pc at which one begins
    for (size_t w = 0; w < warps; ++w) turns.push_back(turn_of(std::span(of_warps).subspan(w * count, count), found));
    const int64_t entry = turn_of(of_block, found);
    const std::vector<bool> merged = merged_loops(t, turns);
    struct Warp {
        TileStarts own, of_block; // of the loop that it spends most instructions in, and that the block does
        uint32_t tiles = 0;
    };
    std::vector<Warp> of_warp;
    for (size_t w = 0; w < warps; ++w) of_warp.push_back({{turns[w], merged[w]}, {entry, merged[w]}});
    each_event(t, [&](uint32_t i, const trace::Event& e, const trace::Instruction& instruction) {
        Warp& warp = of_warp[e.warp];
        WarpSteps& steps = line.warps[e.warp];
        if (warp.own.begins(e.pc, instruction.kind)) steps.k_tiles.push_back(steps.before(i));
        if (warp.of_block.begins(e.pc, instruction.kind) && ++warp.tiles > line.k_tiles.size())
            line.k_tiles.push_back(i);
    });
}

size_t distinct_words(uint32_t active, const trace::Addresses& address) {
    std::array<uint64_t, trace::warp_size> words{};
    size_t count = 0;
    for (uint32_t rest = active; rest; rest &= rest - 1)
        words[count++] = address[static_cast<size_t>(std::countr_zero(rest))] / 4;
    std::sort(words.begin(), words.begin() + count);
    return static_cast<size_t>(std::unique(words.begin(), words.begin() + count) - words.begin());
}

// The event with the most excess; of several the one whose lanes begin at the most words, so that a broadcast is shown only where
// there is nothing else; of those the first.
class Worst {
public:
    explicit Worst(size_t instructions) : seen_(instructions, -1) {}
    void offer(uint32_t number, uint32_t pc, uint32_t active, int excess, const trace::Addresses& address) {
        // An instruction is likely to access as many words each time: its first access with that excess decides.
        if (excess < excess_ || seen_[pc] == excess) return;
        seen_[pc] = excess;
        const size_t words = distinct_words(active, address);
        if (excess == excess_ && words <= words_) return;
        event_ = number, excess_ = excess, words_ = words;
    }
    uint32_t event() const { return event_; } // no_access: none was offered

private:
    uint32_t event_ = trace::no_access;
    int excess_ = -1;
    size_t words_ = 0;
    std::vector<int> seen_; // by pc: the excess of the last access looked at
};

} // namespace

Timeline timeline(const trace::Trace& t) {
    const size_t warps = warp_count(t);
    Timeline line{steps_of(t, warps), barriers(t, warps), {}};
    find_tiles(t, warps, line);
    return line;
}

uint32_t WarpSteps::before(uint32_t event) const {
    return static_cast<uint32_t>(std::lower_bound(events.begin(), events.end(), event) - events.begin());
}

uint32_t interesting_event(const trace::Trace& t, const Timeline& line) {
    const uint32_t tile = line.k_tiles.size() > 1 ? line.k_tiles[1] : 0;
    const uint32_t next_tile = line.k_tiles.size() > 2 ? line.k_tiles[2] : trace::no_access;
    const size_t instructions = t.listing ? t.listing->instructions.size() : 0;
    Worst shared(instructions), global(instructions);
    uint32_t shared_load = trace::no_access, access = trace::no_access;
    each_event(t, [&](uint32_t i, const trace::Event& e, const trace::Instruction& instruction) {
        if (e.access == trace::no_access || !e.active) return;
        const bool is_shared = instruction.space == Space::shared;
        if (!is_shared && instruction.space != Space::global) return;
        access = std::min(access, i);
        if (instruction.kind != Kind::load) return;
        if (is_shared) shared_load = std::min(shared_load, i);
        if (i < tile || i >= next_tile) return;
        const trace::Addresses& address = t.accesses[e.access];
        const uint32_t active = accessing_lanes(instruction, e.active);
        if (is_shared) {
            const WavefrontCount count = count_wavefronts(BankRule{}, instruction, active, address);
            shared.offer(i, e.pc, active, count.wavefronts - count.ideal, address);
        } else {
            const Sectors count = sectors(instruction.bytes, active, address);
            global.offer(i, e.pc, active, count.sectors - count.ideal, address);
        }
    });
    for (uint32_t event : {shared.event(), shared_load, global.event(), access})
        if (event != trace::no_access) return event;
    return 0;
}

} // namespace analysis
