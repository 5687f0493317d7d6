#include "sim/run/overlay.h"

#include <algorithm>
#include <cstring>

namespace sim {

Overlay::Overlay(std::span<const std::byte> original)
    : original_(original), copied_((original.size() + page - 1) / page) {}

const std::byte* Overlay::read(uint64_t at, uint64_t count) const {
    if (!any_ || count == 0) return original_.data() + at;
    const bool first = copied_[at / page];
    for (uint64_t n = at / page + 1; n <= (at + count - 1) / page; ++n)
        if (copied_[n] != first) return nullptr;
    return (first ? copy_.get() : original_.data()) + at;
}

std::byte* Overlay::own(uint64_t at, uint64_t count) {
    if (!any_) copy_ = std::make_unique_for_overwrite<std::byte[]>(original_.size());
    any_ = true;
    for (uint64_t n = at / page; count > 0 && n <= (at + count - 1) / page; ++n) {
        if (copied_[n]) continue;
        std::memcpy(copy_.get() + n * page, original_.data() + n * page, std::min(page, original_.size() - n * page));
        copied_[n] = true;
    }
    return copy_.get() + at;
}

} // namespace sim
