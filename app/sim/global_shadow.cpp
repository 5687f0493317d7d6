#include "sim/global_shadow.h"

#include <set>
#include <utility>

namespace sim {

GlobalShadow::~GlobalShadow() {
    for (auto& pages : pages_)
        for (auto& page : pages) delete page.load();
}

int GlobalShadow::watch(uint64_t bytes) {
    constexpr uint64_t page_bytes = ShadowPage::words * 4;
    pages_.emplace_back((bytes + page_bytes - 1) / page_bytes);
    return static_cast<int>(pages_.size()) - 1;
}

bool GlobalShadow::take_room(size_t bytes) {
    const auto needed = static_cast<int64_t>(bytes);
    if (left_.fetch_sub(needed) >= needed) return true;
    left_ = 0;
    full_ = true;
    return false;
}

bool GlobalShadow::hold_readers(ShadowPage& page) {
    if (!page.readers && take_room(sizeof *page.readers)) page.readers = std::make_unique<ShadowPage::Readers>();
    return page.readers != nullptr;
}

bool GlobalShadow::hold_strong(ShadowPage& page) {
    if (!page.strong && take_room(sizeof *page.strong)) page.strong = std::make_unique<ShadowPage::Strong>();
    return page.strong != nullptr;
}

ShadowPage* GlobalShadow::make_page(std::atomic<ShadowPage*>& slot) {
    if (!take_room(sizeof(ShadowPage))) return nullptr;
    auto fresh = std::make_unique<ShadowPage>();
    ShadowPage* there = nullptr;
    if (slot.compare_exchange_strong(there, fresh.get())) return fresh.release();
    left_ += sizeof(ShadowPage);
    return there;
}

void Publications::publish(uint64_t block, uint32_t count, uint64_t word, Taken& taken) {
    const std::lock_guard lock(mutex_);
    any_ = true;
    if (full()) return;
    auto& there = by_word_[word];
    if (taken.empty() && !there.empty() && entries_[there.back()].block == block &&
        entries_[there.back()].count == count)
        return; // it says no more
    const auto last = last_.try_emplace(block, none).first;
    taken_ += taken.size();
    entries_.push_back({block, count, now(), std::exchange(taken, {}), last->second});
    last->second = static_cast<uint32_t>(entries_.size() - 1);
    there.push_back(last->second);
    by_block_[{block, word}].push_back(last->second);
}

bool Publications::told_directly(uint64_t block, uint32_t count, const Taken& taken) const {
    for (auto it = by_block_.lower_bound({block, 0}); it != by_block_.end() && it->first.first == block; ++it) {
        const auto took = taken.find(it->first.second);
        if (took == taken.end()) continue;
        for (const uint32_t e : it->second)
            if (entries_[e].count > count && entries_[e].time < took->second) return true;
    }
    return false;
}

bool Publications::seen(uint64_t block, uint32_t count, uint64_t word, const Taken& taken) {
    const auto took = taken.find(word);
    if (took == taken.end()) return false;
    const std::lock_guard lock(mutex_);
    const auto there = by_block_.find({block, word});
    if (there == by_block_.end()) return false;
    for (const uint32_t e : there->second)
        if (entries_[e].count >= count && entries_[e].time < took->second) return true;
    return false;
}

// Follows what was taken back to who published it, and on to what that one had taken.
bool Publications::known(uint64_t block, uint32_t count, const Taken& taken) {
    if (count >= GlobalTouch::most_published) return true; // it is not counted further
    const std::lock_guard lock(mutex_);
    if (full() || told_directly(block, count, taken)) return true;
    std::map<uint64_t, size_t> seen; // so many entries of the word
    std::set<uint32_t> read;         // entries whose `taken` was
    std::vector<std::pair<uint64_t, uint64_t>> left(taken.begin(), taken.end());
    for (size_t steps = 0; !left.empty();) {
        const auto [word, time] = left.back();
        left.pop_back();
        const auto there = by_word_.find(word);
        if (there == by_word_.end()) continue;
        for (size_t& n = seen[word]; n < there->second.size() && entries_[there->second[n]].time < time; ++n) {
            const uint32_t number = there->second[n];
            if (entries_[number].block == block && entries_[number].count > count) return true;
            for (uint32_t e = number; e != none && read.insert(e).second; e = entries_[e].before) {
                if (++steps > most_steps) return true;
                left.insert(left.end(), entries_[e].taken.begin(), entries_[e].taken.end());
            }
        }
    }
    return false;
}

} // namespace sim
