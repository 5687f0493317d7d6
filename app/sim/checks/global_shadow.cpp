#include "sim/checks/global_shadow.h"

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

} // namespace sim
