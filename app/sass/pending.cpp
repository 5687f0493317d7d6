#include "sass/pending.h"

#include <algorithm>

namespace sass {

bool Pending::any() const {
    return !writes.empty() || !reads.empty() ||
           std::any_of(ready.begin(), ready.end(), [](uint32_t cycle) { return cycle > 0; });
}

bool Pending::join(const Pending& other) {
    bool more = writes.add(other.writes);
    more |= reads.add(other.reads);
    for (size_t u = 0; u < unit_count; ++u) {
        more |= other.ready[u] > ready[u];
        ready[u] = std::max(ready[u], other.ready[u]);
    }
    if (writer == nobody) writer = other.writer;
    if (reader == nobody) reader = other.reader;
    return more;
}

void State::wait(unsigned scoreboard) {
    counted_[scoreboard] = 0;
    for (const uint16_t slot : slots_) {
        all_[slot].writes.done(scoreboard);
        all_[slot].reads.done(scoreboard);
    }
}

void State::cover_reads(Queue queue, unsigned scoreboard) {
    for (const uint16_t slot : slots_) all_[slot].reads.cover(queue, scoreboard);
}
void State::cover_writes(Queue queue, unsigned scoreboard) {
    for (const uint16_t slot : slots_) all_[slot].writes.cover(queue, scoreboard);
}

void State::read_all(Queue queue) {
    for (const uint16_t slot : slots_) all_[slot].reads.done(queue);
}

void State::write_predicate(uint8_t number) {
    for (const uint16_t slot : slots_) {
        all_[slot].writes.written(number);
        all_[slot].reads.written(number);
    }
}

State::Kept State::keep() const {
    const auto left = [&](uint32_t cycle) { return cycle > now ? cycle - now : 0; };
    Kept kept;
    for (const uint16_t slot : slots_) {
        Pending p = all_[slot];
        std::transform(p.ready.begin(), p.ready.end(), p.ready.begin(), left);
        if (p.any()) kept.registers.emplace_back(slot, p);
    }
    std::sort(kept.registers.begin(), kept.registers.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::transform(counted_.begin(), counted_.end(), kept.counted.begin(), left);
    return kept;
}

void State::restore(const Kept& kept) {
    for (const uint16_t slot : slots_) busy_[slot] = false;
    slots_.clear();
    now = 0;
    for (const auto& [slot, pending] : kept.registers) at(slot) = pending;
    counted_ = kept.counted;
}

bool State::Kept::join(const Kept& other) {
    bool more = false;
    std::vector<std::pair<uint16_t, Pending>> all;
    auto mine = registers.begin();
    for (const auto& one : other.registers) {
        while (mine != registers.end() && mine->first < one.first) all.push_back(*mine++);
        const bool both = mine != registers.end() && mine->first == one.first;
        more |= both ? mine->second.join(one.second) : true;
        all.push_back(both ? *mine++ : one);
    }
    all.insert(all.end(), mine, registers.end());
    registers = std::move(all);
    for (unsigned n = 0; n < scoreboard_count; ++n) {
        more |= other.counted[n] > counted[n];
        counted[n] = std::max(counted[n], other.counted[n]);
    }
    return more;
}

} // namespace sass
