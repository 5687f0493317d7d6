#include "sim/global_shadow.h"

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

ShadowPage* GlobalShadow::page(int number, uint64_t index) {
    std::atomic<ShadowPage*>& slot = pages_[static_cast<size_t>(number)][index];
    if (ShadowPage* page = slot.load(std::memory_order_acquire)) return page;
    if (left_.fetch_sub(1) <= 0) {
        left_ = 0;
        full_ = true;
        return nullptr;
    }
    auto fresh = std::make_unique<ShadowPage>();
    ShadowPage* there = nullptr;
    if (slot.compare_exchange_strong(there, fresh.get())) return fresh.release();
    ++left_;
    return there;
}

void Publications::publish(uint64_t block, uint32_t count, uint64_t word) {
    const std::lock_guard lock(mutex_);
    any_ = true;
    if (++size_ > most_entries) return;
    entries_[{block, word}].push_back({count, now()});
}

bool Publications::known(uint64_t block, uint32_t count, const Taken& taken) {
    if (count >= GlobalTouch::most_published) return true; // it is not counted further
    const std::lock_guard lock(mutex_);
    if (size_ > most_entries) return true;
    for (auto it = entries_.lower_bound({block, 0}); it != entries_.end() && it->first.first == block; ++it) {
        const auto took = taken.find(it->first.second);
        if (took == taken.end()) continue;
        for (const Entry& e : it->second)
            if (e.count > count && e.time < took->second) return true;
    }
    return false;
}

} // namespace sim
