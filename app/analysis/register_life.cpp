#include "analysis/register_life.h"

#include "analysis/registers.h"

#include <cctype>

namespace analysis {
namespace {

// Calls `f` with each "%f12" of `text`.
template <class F>
void each_register(std::string_view text, F&& f) {
    for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
        size_t end = at + 1;
        while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
        f(text.substr(at, end - at));
    }
}

// Is the first operand of the instruction what it writes?
bool writes_first(const trace::Instruction& instruction, std::string_view mnemonic) {
    using trace::Kind;
    switch (instruction.kind) {
    case Kind::store:
    case Kind::async_copy:
    case Kind::bulk_copy:
    case Kind::barrier:
    case Kind::branch:
    case Kind::wait:
    case Kind::exit: return false;
    default: return !mnemonic.starts_with("red.") && !mnemonic.starts_with("st.") && !mnemonic.starts_with("prefetch");
    }
}

} // namespace

RegisterUses::RegisterUses(const trace::Listing& listing) {
    std::unordered_map<std::string_view, uint32_t> numbers; // views into the listing
    const auto number = [&](std::string_view name) {
        const auto [at, added] = numbers.try_emplace(name, static_cast<uint32_t>(names_.size()));
        if (added) names_.emplace_back(name);
        return at->second;
    };
    for (const trace::Instruction& instruction : listing.instructions) {
        Uses& uses = instructions_.emplace_back();
        const Operands parts = operands(instruction.text);
        const bool writes = writes_first(instruction, parts.mnemonic);
        for (size_t i = 0; i < parts.values.size(); ++i)
            for (const std::string_view value : parts.values[i])
                each_register(value, [&](std::string_view name) {
                    const bool address = value.find('[') != std::string_view::npos;
                    (writes && i == 0 && !address ? uses.writes : uses.reads).push_back(number(name));
                });
        const size_t guard = instruction.text.find('@');
        uses.guarded = guard != std::string::npos && guard < instruction.text.find(parts.mnemonic);
        if (uses.guarded)
            each_register(std::string_view(instruction.text).substr(guard, instruction.text.find(' ', guard) - guard),
                          [&](std::string_view name) { uses.reads.push_back(number(name)); });
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
