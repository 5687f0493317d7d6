#include "analysis/register_life.h"

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

std::unordered_map<std::string_view, RegisterLife>
RegisterUses::at(const trace::Trace& trace, std::span<const uint32_t> events, uint32_t now) const {
    std::vector<RegisterLife> life(names_.size());
    std::vector<bool> decided(names_.size()); // read, or overwritten before that
    const uint64_t before = events.empty() ? 0 : uint64_t{trace.events[events.front()].warp} * trace::warp_size;
    const uint64_t lanes =
        std::min<uint64_t>(trace.block.count() - std::min(before, trace.block.count()), trace::warp_size);
    const auto all = static_cast<uint32_t>((uint64_t{1} << lanes) - 1); // that the warp has
    for (const uint32_t event : events) {
        const trace::Event& executed = trace.events[event];
        if (executed.pc >= instructions_.size()) continue;
        const Uses& uses = instructions_[executed.pc];
        if (event <= now) {
            for (const uint32_t name : uses.writes) life[name].written = event;
            continue;
        }
        for (const uint32_t name : uses.reads)
            if (!decided[name]) life[name].read = event, decided[name] = true;
        if (uses.guarded || executed.active != all) continue;
        for (const uint32_t name : uses.writes) decided[name] = true;
    }
    std::unordered_map<std::string_view, RegisterLife> lives;
    for (size_t name = 0; name < names_.size(); ++name)
        if (life[name].written != RegisterLife::never) lives[names_[name]] = life[name];
    return lives;
}

} // namespace analysis
