#include "ui/time/stretches.h"

#include <algorithm>

namespace ui {

std::vector<Stretch> stretches(const BlockPicture& picture) {
    std::vector<Stretch> all;
    for (uint32_t warp = 0; warp < picture.warps.size(); ++warp) {
        const std::vector<uint32_t>& cut = picture.warps[warp].cut;
        for (uint32_t s = 0; s + 1 < cut.size(); ++s)
            if (cut[s] < cut[s + 1]) all.push_back({warp, s, cut[s], cut[s + 1]});
    }
    return all;
}

std::vector<size_t> measured_rows(const std::vector<Stretch>& all) {
    constexpr size_t between = 200;
    const size_t step = std::max<size_t>(1, all.size() / between);
    std::vector<size_t> rows;
    for (size_t i = 0; i < all.size(); ++i) {
        const bool begins = i == 0 || all[i - 1].warp != all[i].warp,
                   ends = i + 1 == all.size() || all[i + 1].warp != all[i].warp;
        if (begins || ends || i % step == 0) rows.push_back(i);
    }
    return rows;
}

} // namespace ui
