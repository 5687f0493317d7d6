#include "ui/time/cycle_row.h"

#include "ui/draw/grid.h"
#include "ui/draw/wait_look.h"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

using timing::Wait;
constexpr int wait_count = static_cast<int>(Wait::count);

constexpr Lane shown_lanes[track_count][2] = {
    {Lane::global_load, Lane::global_store}, {Lane::shared_load, Lane::shared_store}, {Lane::math, Lane::tensor}};

bool computes(Lane lane) { return lane == Lane::math || lane == Lane::tensor; }

// Memory before arithmetic, of which there is more.
Lane foremost(const CyclePixel& pixel) {
    Lane best = Lane::other;
    uint32_t most = 0;
    for (const Lane lane : {Lane::global_load, Lane::global_store, Lane::shared_load, Lane::shared_store, Lane::math,
                            Lane::tensor, Lane::wait}) {
        const uint32_t weight = pixel.count[static_cast<size_t>(lane)] * (computes(lane) ? 1 : 4);
        if (weight > most) most = weight, best = lane;
    }
    return best;
}

// How often the warp issues there, in quarters: even a single instruction is seen.
int density(uint32_t count, double cycles) {
    const float share = std::min(1.0f, static_cast<float>(count / std::max(cycles, 1.0)));
    return static_cast<int>(std::lround(1.8f + 2.2f * std::sqrt(share)));
}

Wait largest(const CyclePixel& pixel) {
    const auto most = std::max_element(pixel.waited.begin(), pixel.waited.end());
    return *most > 0 ? static_cast<Wait>(most - pixel.waited.begin()) : Wait::selected;
}

struct Mark { // of a column; quarters 0: none
    Lane lane = Lane::other;
    int quarters = 0;
    bool operator==(const Mark&) const = default;
};

// Of the two lanes of a track, or of the foremost one of all.
Mark mark_of(const CyclePixel& pixel, double cycles, const Lane (*track)[2]) {
    if (pixel.issued == 0) return {};
    Lane lane = foremost(pixel);
    if (track) {
        const auto& [first, second] = *track;
        lane = pixel.count[static_cast<size_t>(first)] > 0 ? first : second;
        if (pixel.count[static_cast<size_t>(lane)] == 0) return {};
    }
    return {lane, density(pixel.count[static_cast<size_t>(lane)], cycles)};
}

void draw_issues(const Style& style, const std::vector<CyclePixel>& pixels, const Rect& row, double cycles, bool tall) {
    const int tracks = tall ? track_count : 1;
    const float width = row.width / static_cast<float>(pixels.size()), height = row.height / static_cast<float>(tracks);
    const float least = std::min(0.75f * style.unit, row.width / 100); // a single access must be seen from the back row
    for (int track = 0; track < tracks; ++track)
        for (size_t p = 0; p < pixels.size();) {
            const auto at = [&](size_t pixel) {
                return mark_of(pixels[pixel], cycles, tall ? &shown_lanes[track] : nullptr);
            };
            const Mark mark = at(p);
            const float x = row.x + static_cast<float>(p) * width;
            const size_t first = p;
            while (p < pixels.size() && at(p) == mark) ++p;
            if (mark.quarters == 0) continue;
            const bool access = !computes(mark.lane) && mark.lane != Lane::other;
            const float wide = std::max(static_cast<float>(p - first) * width, access ? least : 0);
            fill({x, row.y + static_cast<float>(track) * height, std::min(wide, row.right() - x),
                  height - (tall ? 1 : 0)},
                 with_alpha(lane_colour(style, mark.lane), static_cast<float>(mark.quarters) / 4));
        }
}

// One reason a column; neighbours with the same are one rectangle.
void draw_largest(const Style& style, const std::vector<CyclePixel>& pixels, const Rect& row) {
    const float width = row.width / static_cast<float>(pixels.size());
    for (size_t p = 0; p < pixels.size();) {
        const size_t first = p;
        const Wait why = largest(pixels[p]);
        while (p < pixels.size() && largest(pixels[p]) == why) ++p;
        draw_wait(style,
                  {row.x + static_cast<float>(first) * width, row.y, static_cast<float>(p - first) * width, row.height},
                  why);
    }
}

// Each column a stack of all its reasons; in whole pixels, so that neighbours join.
void draw_stacks(const Style& style, const std::vector<CyclePixel>& pixels, const Rect& row, double cycles) {
    const float width = row.width / static_cast<float>(pixels.size());
    using Stack = std::array<float, wait_count + 1>;
    const auto stack_of = [&](const CyclePixel& pixel) {
        Stack tops{};
        float sum = 0;
        for (int n = 0; n < wait_count; ++n) {
            sum += pixel.waited[static_cast<size_t>(n)];
            tops[static_cast<size_t>(n) + 1] =
                std::round(row.height * std::min(1.0f, sum / static_cast<float>(cycles)));
        }
        return tops;
    };
    for (size_t p = 0; p < pixels.size();) {
        const size_t first = p;
        const Stack tops = stack_of(pixels[p]);
        while (p < pixels.size() && stack_of(pixels[p]) == tops) ++p;
        for (size_t n = 0; n < wait_count; ++n)
            draw_wait(style,
                      {row.x + static_cast<float>(first) * width, row.y + tops[n],
                       static_cast<float>(p - first) * width, tops[n + 1] - tops[n]},
                      static_cast<Wait>(n));
    }
}

// Data between global and shared memory, in the track of global memory; where several are under way at once, the bands add up.
void draw_flights(const Style& style, const BlockPicture& picture, const timing::Run& run, const Rect& track,
                  AxisRange range, size_t warp) {
    for (const Flight& flight : picture.flights[warp]) {
        const auto first = static_cast<double>(run.issues[flight.first].cycle),
                   last = static_cast<double>(run.issues[flight.last].cycle) + 1;
        if (last <= range.first || first >= range.last) continue;
        const float x0 = std::max(x_of(track, range, first), track.x),
                    x1 = std::min(x_of(track, range, last), track.right());
        fill({x0, track.y + track.height / 4, x1 - x0, track.height / 2}, with_alpha(style.colour.load, flight_alpha));
    }
}

} // namespace

Rect waits_of(const Rect& row, bool tall) {
    constexpr float least = 12; // pixels for two strips
    if (!tall && row.height < least) return row;
    const float height = std::round(row.height * (tall ? 0.42f : 0.5f));
    return {row.x, row.bottom() - height, row.width, height};
}

void draw_cycle_row(const Style& style, const BlockPicture& picture, const timing::Run& run, const Rect& row,
                    AxisRange range, size_t warp, bool tall) {
    const float least = std::max(1.0f, style.unit / 2); // a column that is seen
    const int count = std::max(1, static_cast<int>(row.width / least));
    const std::vector<CyclePixel> pixels = cycle_track(picture, run, warp, range, count);
    const double cycles = (range.last - range.first) / count;
    const Rect waits = waits_of(row, tall);
    if (tall) draw_stacks(style, pixels, waits, cycles);
    else draw_largest(style, pixels, waits);
    const float above = waits.y - row.y;
    if (tall) draw_flights(style, picture, run, {row.x, row.y, row.width, (above - 1) / track_count}, range, warp);
    draw_issues(style, pixels, {row.x, row.y, row.width, above > 0 ? above - 1 : row.height}, cycles, tall);
}

void draw_arrivals(const Style& style, const BlockPicture& picture, const timing::Run& run, const Rect& row,
                   AxisRange range, size_t warp) {
    const WarpOrder& order = picture.warps[warp];
    float previous = row.x - 3;
    for (size_t s = 1; picture.barriers && s < order.cut.size(); ++s) {
        const uint32_t index = order.cut[s] - 1;
        if (picture.instruction(order.events[index]).kind != trace::Kind::barrier) continue;
        const double cycle = issue_cycle(picture, run, warp, index);
        const float x = x_of(row, range, cycle);
        if (cycle < range.first || cycle >= range.last || x - previous < 3) continue;
        previous = x;
        fill({x - 1, row.y, 2, row.height}, style.colour.barrier);
    }
}

} // namespace ui
