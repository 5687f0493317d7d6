#include "analysis/sectors.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace analysis {
namespace {

// `asked`: bytes that all lanes want, those wanted twice counted twice.
int ideal(int touched, uint64_t asked) {
    return static_cast<int>(
        std::min<uint64_t>(static_cast<uint64_t>(touched), (asked + sector_bytes - 1) / sector_bytes));
}

} // namespace

Sectors sectors(int bytes, uint32_t active, const trace::Addresses& address) {
    const auto width = static_cast<uint64_t>(std::max(bytes, 1));
    std::array<uint64_t, trace::warp_size> start;
    size_t lanes = 0;
    bool ascending = true;
    for (uint32_t rest = active; rest; rest &= rest - 1) {
        start[lanes] = address[static_cast<unsigned>(std::countr_zero(rest))];
        ascending = ascending && (lanes == 0 || start[lanes - 1] <= start[lanes]);
        ++lanes;
    }
    if (!ascending) std::sort(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(lanes));

    // Sweep upwards: `end` is the end of the bytes counted so far, `next` the first sector not counted yet.
    Sectors result;
    uint64_t end = 0, next = 0;
    for (size_t i = 0; i < lanes; ++i) {
        const uint64_t from = std::max(start[i], end);
        const uint64_t room = std::numeric_limits<uint64_t>::max() - start[i]; // an access cannot wrap around
        const uint64_t to = start[i] + std::min(width, room);
        if (from >= to) continue;
        result.bytes_used += static_cast<int>(to - from);
        const uint64_t first = std::max(from / sector_bytes, next), last = (to - 1) / sector_bytes;
        if (last >= first) result.sectors += static_cast<int>(last - first + 1);
        next = last + 1;
        end = to;
    }
    result.ideal = ideal(result.sectors, lanes * width);
    return result;
}

Sectors sectors_past_l1(uint32_t active, const trace::Addresses& address) {
    constexpr int bytes = 16;
    Sectors result;
    for (int lane = 0; lane < trace::warp_size; lane += 2) {
        const Sectors pair = sectors(bytes, active & 3u << lane, address);
        result.sectors += pair.sectors;
        result.bytes_used += pair.bytes_used;
    }
    result.ideal = ideal(result.sectors, uint64_t{bytes} * static_cast<uint64_t>(std::popcount(active)));
    return result;
}

Sectors sectors_of(const trace::Instruction& instruction, uint32_t active, const trace::Addresses& address) {
    const bool past_l1 = instruction.kind == trace::Kind::async_copy && instruction.cache == trace::Cache::past_l1;
    return past_l1 ? sectors_past_l1(active, address) : sectors(instruction.bytes, active, address);
}

} // namespace analysis
