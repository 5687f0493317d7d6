#include "views/cycle_track.h"

#include <algorithm>
#include <cmath>

namespace views {
namespace {

using timing::Issue;
using timing::Run;

const Issue& issue_of(const BlockPicture& picture, const Run& run, size_t warp, uint32_t index) {
    return run.issues[picture.warps[warp].events[index]];
}

// Calls with(part, first cycle, last cycle) for what was waited before an issue.
template <class With>
void each_part(const Run& run, const Issue& issue, With&& with) {
    auto at = static_cast<double>(issue.cycle) - issue.waited;
    for (uint32_t n = 0; n < issue.parts; ++n) {
        const Issue::Part& part = run.parts[issue.first_part + n];
        with(part, at, at + part.cycles);
        at += part.cycles;
    }
}

} // namespace

std::vector<CyclePixel> cycle_track(const BlockPicture& picture, const Run& run, size_t warp, AxisRange range,
                                    int count) {
    std::vector<CyclePixel> pixels(static_cast<size_t>(std::max(count, 1)));
    const auto& events = picture.warps[warp].events;
    const double per_pixel = (range.last - range.first) / static_cast<double>(pixels.size());
    const auto pixel_at = [&](double cycle) {
        return static_cast<size_t>(std::clamp<int64_t>(static_cast<int64_t>((cycle - range.first) / per_pixel), 0,
                                                       static_cast<int64_t>(pixels.size()) - 1));
    };
    for (uint32_t i = index_at_cycle(picture, run, warp, range.first); i < events.size(); ++i) {
        const Issue& issue = issue_of(picture, run, warp, i);
        const auto cycle = static_cast<double>(issue.cycle);
        each_part(run, issue, [&](const Issue::Part& part, double first, double last) {
            first = std::max(first, range.first), last = std::min(last, range.last);
            if (last <= first) return;
            for (size_t p = pixel_at(first); p <= pixel_at(std::nextafter(last, 0.0)); ++p) {
                const double begin = range.first + static_cast<double>(p) * per_pixel;
                pixels[p].waited[static_cast<size_t>(part.why)] +=
                    static_cast<float>(std::min(last, begin + per_pixel) - std::max(first, begin));
            }
        });
        if (cycle >= range.last) break;
        if (cycle < range.first) continue;
        const auto lane = static_cast<size_t>(lane_of(picture.instruction(events[i])));
        const size_t from = pixel_at(cycle), to = per_pixel < 1 ? pixel_at(std::nextafter(cycle + 1, 0.0)) : from;
        for (size_t p = from; p <= to; ++p) ++pixels[p].count[lane], ++pixels[p].issued;
    }
    return pixels;
}

double issue_cycle(const BlockPicture& picture, const Run& run, size_t warp, uint32_t index) {
    const auto& events = picture.warps[warp].events;
    if (events.empty()) return 0;
    return static_cast<double>(
        issue_of(picture, run, warp, std::min(index, static_cast<uint32_t>(events.size()) - 1)).cycle);
}

uint32_t index_at_cycle(const BlockPicture& picture, const Run& run, size_t warp, double cycle) {
    const auto& events = picture.warps[warp].events;
    if (events.empty()) return 0;
    const auto found = std::partition_point(events.begin(), events.end(), [&](uint32_t event) {
        return static_cast<double>(run.issues[event].cycle) + 1 <= cycle;
    });
    return static_cast<uint32_t>(std::min<std::ptrdiff_t>(found - events.begin(), std::ssize(events) - 1));
}

std::optional<Gap> gap_at_cycle(const BlockPicture& picture, const Run& run, size_t warp, uint32_t index,
                                double cycle) {
    std::optional<Gap> gap;
    each_part(run, issue_of(picture, run, warp, index), [&](const Issue::Part& part, double first, double last) {
        if (cycle >= first && cycle < last) gap = Gap{part, first, last};
    });
    return gap;
}

double last_cycle(const Run& run) {
    return run.block_cycles.empty() ? 1 : std::max<double>(static_cast<double>(run.block_cycles.front()), 1);
}

AxisRange cycles_around(const BlockPicture& picture, const Run& run, size_t warp, uint32_t index, double zoom) {
    const std::span<const uint32_t> turns = picture.warps[warp].k_tiles;
    const double end = last_cycle(run), here = issue_cycle(picture, run, warp, index);
    AxisRange range{0, end};
    if (turns.size() >= 2) {
        const auto after = std::upper_bound(turns.begin(), turns.end(), index) - turns.begin(); // turn that follows
        const auto place = [&](std::ptrdiff_t turn) {
            if (turn < 0) return 0.0;
            return turn >= std::ssize(turns) ? end : issue_cycle(picture, run, warp, turns[static_cast<size_t>(turn)]);
        };
        range = {after == 0 ? 0 : place(after - 2), place(after + 1)};
    }
    if (zoom == 1) return range;
    // It turns over by half a page, so that the step stays in its middle half and the picture stands still meanwhile.
    constexpr double least = 16; // cycles
    const double width = std::clamp((range.last - range.first) / zoom, std::min(least, end), end), half = width / 2;
    const double first = std::floor((here - range.first) / half - 0.5) * half + range.first;
    range.first = std::clamp(first, 0.0, end - width);
    range.last = range.first + width;
    return range;
}

timing::Lost warp_waits(const BlockPicture& picture, const Run& run, size_t warp, AxisRange indices) {
    timing::Lost lost;
    for (auto i = static_cast<uint32_t>(indices.first); i < static_cast<uint32_t>(indices.last); ++i) {
        ++lost[timing::Wait::selected];
        each_part(run, issue_of(picture, run, warp, i),
                  [&](const Issue::Part& part, double, double) { lost[part.why] += part.cycles; });
    }
    return lost;
}

std::vector<size_t> by_scheduler(size_t warps) {
    std::vector<size_t> order;
    for (size_t scheduler = 0; scheduler < schedulers; ++scheduler)
        for (size_t warp = scheduler; warp < warps; warp += schedulers) order.push_back(warp);
    return order;
}

} // namespace views
