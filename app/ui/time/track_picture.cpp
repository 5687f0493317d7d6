#include "ui/time/track_picture.h"

#include "ui/draw/grid.h"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

enum class Track { global, shared, math };

struct Stroke {
    Lane lane;
    Track track;
};
// What is drawn in which track; the later over the earlier.
constexpr Stroke strokes[] = {{Lane::global_load, Track::global}, {Lane::global_store, Track::global},
                              {Lane::shared_load, Track::shared}, {Lane::shared_store, Track::shared},
                              {Lane::math, Track::math},          {Lane::tensor, Track::math}};

} // namespace

ImU32 lane_colour(const Style& style, Lane lane) {
    switch (lane) {
    case Lane::global_load:
    case Lane::shared_load: return style.colour.load;
    case Lane::global_store:
    case Lane::shared_store: return style.colour.store;
    case Lane::math:
    case Lane::tensor: return style.colour.fma;
    case Lane::wait: return style.colour.barrier;
    default: return style.colour.dim;
    }
}

const char* lane_key(Lane lane) {
    static constexpr const char* keys[lane_count] = {
        "timeline.global_load", "timeline.global_store", "timeline.shared_load", "timeline.shared_store",
        "timeline.math",        "timeline.tensor",       "timeline.wait",        "timeline.other"};
    return keys[static_cast<size_t>(lane)];
}

Lane arithmetic(const BlockPicture& picture) { return picture.tensor_cores ? Lane::tensor : Lane::math; }

namespace {

// Share of a lane's instructions at a pixel in quarters, 0 if there are none. Even one of many is seen.
int strength(const Pixel& pixel, Lane lane) {
    const uint32_t count = pixel.count[static_cast<size_t>(lane)];
    if (count == 0) return 0;
    const float share = static_cast<float>(count) / static_cast<float>(pixel.total);
    return static_cast<int>(std::lround(1.6f + 2.4f * std::sqrt(share)));
}

// Calls draw(first pixel, last pixel + 1, value) for runs of one value other than 0.
template <class Value, class Draw>
void each_run(const std::vector<Pixel>& pixels, Value&& value, Draw&& draw) {
    for (size_t p = 0; p < pixels.size();) {
        const int here = value(pixels[p]);
        const size_t first = p;
        while (p < pixels.size() && value(pixels[p]) == here) ++p;
        if (here) draw(static_cast<float>(first), static_cast<float>(p), here);
    }
}

// The lane that one low row shows where it cannot show three tracks: memory before arithmetic.
int foremost(const Pixel& pixel) {
    int best = 0;
    uint32_t most = 0;
    for (const Stroke& stroke : strokes) {
        const uint32_t weight = pixel.count[static_cast<size_t>(stroke.lane)] * (stroke.track == Track::math ? 1 : 4);
        if (weight > most) most = weight, best = static_cast<int>(stroke.lane) + 1;
    }
    return best;
}

} // namespace

float x_of(const Rect& row, AxisRange range, double place) {
    return row.x + static_cast<float>((place - range.first) / (range.last - range.first)) * row.width;
}

namespace {

// Place on the axis of an event of any warp.
double place_of(const BlockPicture& picture, uint32_t event) {
    const size_t warp = picture.trace().events[event].warp;
    return axis_place(picture, warp, picture.warps[warp].at_or_after(event));
}

// Data between global and shared memory, in the track of global memory; where several are under way at once, the bands add up.
void draw_flights(const Style& style, const BlockPicture& picture, const Rect& row, AxisRange range, size_t warp) {
    const float height = row.height >= 8 ? (row.height - 2) / track_count : row.height;
    for (const Flight& flight : picture.flights[warp]) {
        const double first = place_of(picture, flight.first), last = place_of(picture, flight.last) + 1;
        if (last <= range.first || first >= range.last) continue;
        const float x0 = std::max(x_of(row, range, first), row.x), x1 = std::min(x_of(row, range, last), row.right());
        fill({x0, row.y + height / 4, x1 - x0, height / 2}, with_alpha(style.colour.load, flight_alpha));
    }
}

} // namespace

void draw_track(const Style& style, const BlockPicture& picture, const Rect& row, AxisRange range, size_t warp) {
    // Columns of two pixels where a pixel is less than an instruction wide: half the rectangles, no less to see.
    const float column = (range.last - range.first) > 0.7 * row.width ? 2.0f : 1.0f;
    const std::vector<Pixel> pixels = warp_track(picture, warp, range, static_cast<int>(row.width / column));
    draw_flights(style, picture, row, range, warp);
    const float width = row.width / static_cast<float>(pixels.size());
    const bool tracks = row.height >= 8;
    if (!tracks) {
        each_run(pixels, foremost, [&](float first, float last, int lane) {
            fill({row.x + first * width, row.y, (last - first) * width, row.height},
                 lane_colour(style, static_cast<Lane>(lane - 1)));
        });
    } else {
        const float height = (row.height - 2) / track_count;
        for (const Stroke& stroke : strokes) {
            const float y = row.y + static_cast<float>(stroke.track) * (height + 1);
            // A single access must be seen from the back row.
            const float least = stroke.track == Track::math ? 0 : std::min(0.75f * style.unit, row.width / 100);
            each_run(
                pixels, [&](const Pixel& pixel) { return strength(pixel, stroke.lane); },
                [&](float first, float last, int quarters) {
                    fill({row.x + first * width, y, std::max((last - first) * width, least), height},
                         with_alpha(lane_colour(style, stroke.lane), static_cast<float>(quarters) / 4));
                });
        }
    }
    each_run(
        pixels, [](const Pixel& pixel) { return pixel.total == 0 && pixel.waits ? 1 : 0; },
        [&](float first, float last, int) {
            hatch({row.x + first * width, row.y, (last - first) * width, row.height},
                  with_alpha(style.colour.dim, 0.6f), 1.5f * style.unit);
        });
}

void draw_barriers(const Style& style, const BlockPicture& picture, const Rect& row, AxisRange range, bool strong) {
    const auto& starts = picture.segment_start;
    float previous = row.x - 3;
    for (size_t s = 1; picture.barriers && s + 1 < starts.size(); ++s) {
        const float x = x_of(row, range, starts[s]);
        if (starts[s] <= range.first || starts[s] >= range.last || x - previous < 3) continue;
        previous = x;
        fill({x - 1, row.y, strong ? 2.0f : 1.0f, row.height}, with_alpha(style.colour.barrier, strong ? 0.9f : 0.5f));
    }
}

} // namespace ui
