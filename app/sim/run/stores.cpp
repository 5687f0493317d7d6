#include "sim/run/stores.h"

#include <cstring>

namespace sim {

bool stored_bytes(const Warp& w, const Operation& op, int lane, std::byte (&bytes)[64]) {
    if (!op.stores_rows || op.bytes > 8 || op.elements * op.bytes > 64) return false;
    for (unsigned e = 0; e < op.elements; ++e) {
        uint64_t value = 0;
        if (op.width[e] == 2) value = row<uint16_t>(w, op.row[e])[lane];
        if (op.width[e] == 4) value = row<uint32_t>(w, op.row[e])[lane];
        if (op.width[e] == 8) value = row<uint64_t>(w, op.row[e])[lane];
        std::memcpy(bytes + e * op.bytes, &value, op.bytes);
    }
    return true;
}

const uint32_t* stored_words(const Warp& w, const Operation& op, StoredRoom& room) {
    if (!op.stores_rows || op.bytes > 8 || op.elements * op.bytes > 64) return nullptr;
    if (op.elements == 1 && op.bytes == op.width[0]) return row<uint32_t>(w, op.row[0]);
    auto* const bytes = reinterpret_cast<std::byte*>(room.data());
    const size_t all = size_t{op.elements} * op.bytes;
    for (unsigned e = 0; e < op.elements; ++e) {
        const std::byte* const from = row<std::byte>(w, op.row[e]);
        for (size_t i = 0; i < trace::warp_size; ++i)
            std::memcpy(bytes + i * all + e * op.bytes, from + i * op.width[e], op.bytes);
    }
    return room.data();
}

void check_overlaps(const BlockContext& block, Report& report, const Warp& w, const Operation& op, const Access& a,
                    uint32_t lanes, Space space) {
    if (!block.run.options.checks || !block.run.knows_data) return;
    std::byte mine[64], its[64];
    for (int i = 0; i < 32; ++i) {
        if (!(lanes >> i & 1) || !stored_bytes(w, op, i, mine)) continue;
        uint32_t same = 1u << i;
        bool differs = false;
        for (int n = i + 1; n < 32; ++n) {
            if (!(lanes >> n & 1) || a.at[static_cast<size_t>(n)] != a.at[static_cast<size_t>(i)]) continue;
            same |= 1u << n;
            differs |= stored_bytes(w, op, n, its) && std::memcmp(mine, its, a.bytes) != 0;
        }
        if (differs) return report.overlap(w, op, same, space, a.at[static_cast<size_t>(i)]);
    }
}

} // namespace sim
