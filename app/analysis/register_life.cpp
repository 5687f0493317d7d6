#include "analysis/register_life.h"

#include "analysis/mapping.h"

#include <algorithm>

namespace analysis {

RegisterUses::RegisterUses(const trace::Listing& listing) : names_(listing.names) {
    const auto numbers = [](std::initializer_list<const std::vector<int32_t>*> lists) {
        std::vector<uint32_t> all;
        for (const auto* list : lists)
            for (const int32_t number : *list)
                if (number != trace::Instruction::no_register) all.push_back(static_cast<uint32_t>(number));
        return all;
    };
    for (const trace::Instruction& i : listing.instructions) {
        Uses& uses = instructions_.emplace_back();
        uses.reads = numbers({&i.read, &i.address});
        uses.writes = numbers({&i.written});
        uses.guarded = i.guarded();
        if (i.guarded()) uses.reads.push_back(static_cast<uint32_t>(i.guard));
    }
}

namespace {

uint32_t lanes_of(const trace::Trace& trace, std::span<const uint32_t> events) { // of one warp
    return events.empty() ? 0 : launched_lanes(trace, trace.events[events.front()].warp);
}

struct Nearest { // executions of one instruction, by event; RegisterLife::never: none
    uint32_t before = RegisterLife::never, after = RegisterLife::never, whole_after = RegisterLife::never;
};

// [pc]: the last execution up to `now`, the next one, and the next by all lanes.
std::vector<Nearest> nearest(const trace::Trace& trace, std::span<const uint32_t> events,
                             std::span<const Executions> executions, uint32_t now) {
    constexpr uint32_t never = RegisterLife::never;
    std::vector<Nearest> all(executions.size());
    size_t before = 0, after = 0; // instructions that are still looked for
    for (size_t pc = 0; pc < executions.size(); ++pc) {
        const Executions& known = executions[pc];
        if (!known.ever()) continue;
        if (known.last <= now) all[pc].before = known.last;
        else if (known.first > now) all[pc].after = known.first;
        if (known.first > now && !known.partly) all[pc].whole_after = known.first;
        before += known.first <= now && known.last > now;
        after += known.last > now && (all[pc].after == never || (known.whole && all[pc].whole_after == never));
    }
    const uint32_t lanes = lanes_of(trace, events);
    const auto middle = std::upper_bound(events.begin(), events.end(), now);
    for (auto at = middle; before > 0 && at != events.begin();) {
        const uint32_t pc = trace.events[*--at].pc;
        if (pc >= all.size() || all[pc].before != never) continue;
        all[pc].before = *at;
        --before;
    }
    for (auto at = middle; after > 0 && at != events.end(); ++at) {
        const trace::Event& executed = trace.events[*at];
        if (executed.pc >= all.size()) continue;
        const Executions& known = executions[executed.pc];
        Nearest& found = all[executed.pc];
        const auto sought = [&] { return found.after == never || (known.whole && found.whole_after == never); };
        if (!sought()) continue;
        found.after = std::min(found.after, *at);
        if (executed.active == lanes) found.whole_after = std::min(found.whole_after, *at);
        after -= !sought();
    }
    return all;
}

} // namespace

std::vector<Executions> executions(const trace::Trace& trace, std::span<const uint32_t> events) {
    std::vector<Executions> all(trace.listing ? trace.listing->instructions.size() : 0);
    const uint32_t lanes = lanes_of(trace, events);
    for (const uint32_t event : events) {
        const trace::Event& executed = trace.events[event];
        if (executed.pc >= all.size()) continue;
        Executions& known = all[executed.pc];
        if (!known.ever()) known.first = event;
        known.last = event;
        (executed.active == lanes ? known.whole : known.partly) = true;
    }
    return all;
}

std::unordered_map<std::string_view, RegisterLife> RegisterUses::at(const trace::Trace& trace,
                                                                    std::span<const uint32_t> events,
                                                                    std::span<const Executions> executions,
                                                                    uint32_t now) const {
    std::vector<RegisterLife> life(names_.size());
    std::vector<uint32_t> overwritten(names_.size(), RegisterLife::never); // the next event that does so in all lanes
    const std::vector<Nearest> found = nearest(trace, events, executions, now);
    for (size_t pc = 0; pc < std::min(found.size(), instructions_.size()); ++pc) {
        const Uses& uses = instructions_[pc];
        for (const uint32_t name : uses.writes) {
            uint32_t& written = life[name].written;
            if (found[pc].before != RegisterLife::never &&
                (written == RegisterLife::never || written < found[pc].before))
                written = found[pc].before;
            if (!uses.guarded) overwritten[name] = std::min(overwritten[name], found[pc].whole_after);
        }
        for (const uint32_t name : uses.reads) life[name].read = std::min(life[name].read, found[pc].after);
    }
    std::unordered_map<std::string_view, RegisterLife> lives;
    for (size_t name = 0; name < names_.size(); ++name) {
        RegisterLife& one = life[name];
        if (one.written == RegisterLife::never) continue;
        if (one.read > overwritten[name])
            one.read = RegisterLife::never; // what reads and overwrites at once reads first
        lives[names_[name]] = one;
    }
    return lives;
}

} // namespace analysis
