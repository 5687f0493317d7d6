#include "ui/time/stretches.h"

#include "ui/draw/text_table.h"

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
    return sampled_rows(all.size(), [&](size_t i) {
        const bool begins = i == 0 || all[i - 1].warp != all[i].warp,
                   ends = i + 1 == all.size() || all[i + 1].warp != all[i].warp;
        return begins || ends;
    });
}

} // namespace ui
