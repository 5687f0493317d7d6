#include "analysis/register_life.h"

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
    enum class Fate : uint8_t { open, read, overwritten };
    std::vector<uint32_t> written(names_.size(), RegisterLife::never);
    std::vector<Fate> fate(names_.size(), Fate::open);
    uint32_t all = 0; // lanes of the warp
    for (const uint32_t event : events) all |= trace.events[event].active;
    for (const uint32_t event : events) {
        const trace::Event& executed = trace.events[event];
        if (executed.pc >= instructions_.size()) continue;
        const Uses& uses = instructions_[executed.pc];
        if (event <= now) {
            for (const uint32_t name : uses.writes) written[name] = event;
            continue;
        }
        for (const uint32_t name : uses.reads)
            if (fate[name] == Fate::open) fate[name] = Fate::read;
        if (uses.guarded || executed.active != all) continue;
        for (const uint32_t name : uses.writes)
            if (fate[name] == Fate::open) fate[name] = Fate::overwritten;
    }
    std::unordered_map<std::string_view, RegisterLife> lives;
    for (size_t name = 0; name < names_.size(); ++name)
        if (written[name] != RegisterLife::never) lives[names_[name]] = {written[name], fate[name] == Fate::read};
    return lives;
}

} // namespace analysis
