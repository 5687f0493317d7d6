#include "sim/run/segments.h"

#include <iterator>

namespace sim {

const Segment* Segments::search(uint64_t low, uint64_t end) {
    const std::vector<Segment>& all = block_.run.segments;
    const auto above =
        std::upper_bound(all.begin(), all.end(), low, [](uint64_t at, const Segment& s) { return at < s.first; });
    if (above == all.begin() || !std::prev(above)->holds(low, end)) return nullptr;
    return last_ = &*std::prev(above);
}

std::byte* Segments::host(const Segment& s, uint64_t address, uint64_t bytes, bool writes) {
    const uint64_t at = address - s.first;
    if (!s.overlay) return s.data + at;
    const std::byte* p = writes ? nullptr : s.overlay->read(at, bytes);
    return p ? const_cast<std::byte*>(p) : s.overlay->own(at, bytes); // const: nothing is written through it
}

} // namespace sim
