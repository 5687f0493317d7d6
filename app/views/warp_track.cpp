#include "views/warp_track.h"

#include <algorithm>
#include <cmath>

namespace views {

namespace {

constexpr uint32_t most_per_pixel = 64; // instructions looked at; beyond, every so many

size_t segments(const WarpOrder& order) { return order.cut.size() - 1; }

void add_segment(const BlockPicture& picture, const WarpOrder& order, size_t segment, AxisRange range,
                 std::vector<Pixel>& pixels) {
    const double start = picture.segment_start[segment], end = picture.segment_start[segment + 1];
    const double per_pixel = (range.last - range.first) / static_cast<double>(pixels.size());
    const uint32_t count = order.cut[segment + 1] - order.cut[segment];
    const auto pixel_at = [&](double place) {
        return std::clamp<int64_t>(static_cast<int64_t>((place - range.first) / per_pixel), 0,
                                   static_cast<int64_t>(pixels.size()) - 1);
    };
    const auto first = static_cast<uint32_t>(std::clamp(range.first - start, 0.0, static_cast<double>(count)));
    const auto last = static_cast<uint32_t>(std::clamp(std::ceil(range.last - start), 0.0, static_cast<double>(count)));
    const auto stride = std::max<uint32_t>(1, static_cast<uint32_t>(per_pixel / most_per_pixel));
    for (uint32_t i = first; i < last; i += stride) {
        const Lane lane = lane_of(picture.instruction(order.events[order.cut[segment] + i]));
        // An instruction wider than a pixel covers all of its pixels.
        const int64_t from = pixel_at(start + i), to = pixel_at(std::nextafter(start + i + 1, 0.0));
        for (int64_t p = from; p <= std::max(from, per_pixel < 1 ? to : from); ++p) {
            ++pixels[static_cast<size_t>(p)].count[static_cast<size_t>(lane)];
            ++pixels[static_cast<size_t>(p)].total;
        }
    }
    if (start + count >= end) return;
    for (int64_t p = pixel_at(std::max(start + count, range.first)); p <= pixel_at(std::min(end, range.last)); ++p)
        if (pixels[static_cast<size_t>(p)].total == 0) pixels[static_cast<size_t>(p)].waits = true;
}

// The same where each event of the block has its own place.
void add_turns(const BlockPicture& picture, const WarpOrder& order, AxisRange range, std::vector<Pixel>& pixels) {
    const double per_pixel = (range.last - range.first) / static_cast<double>(pixels.size());
    const auto pixel_at = [&](double place) {
        return static_cast<size_t>(std::clamp<int64_t>(static_cast<int64_t>((place - range.first) / per_pixel), 0,
                                                       static_cast<int64_t>(pixels.size()) - 1));
    };
    const auto first = std::lower_bound(order.events.begin(), order.events.end(), range.first,
                                        [](uint32_t event, double place) { return event + 1 <= place; });
    const auto last = std::lower_bound(first, order.events.end(), range.last,
                                       [](uint32_t event, double place) { return event < place; });
    const auto stride =
        std::max<std::ptrdiff_t>(1, (last - first) / static_cast<std::ptrdiff_t>(pixels.size() * most_per_pixel));
    for (auto at = first; at < last; at += std::min(stride, last - at)) {
        const auto lane = static_cast<size_t>(lane_of(picture.instruction(*at)));
        const size_t from = pixel_at(*at),
                     to = std::max(from, per_pixel < 1 ? pixel_at(std::nextafter(*at + 1.0, 0.0)) : from);
        for (size_t p = from; p <= to; ++p) ++pixels[p].count[lane], ++pixels[p].total;
    }
    for (size_t s = 0; picture.barriers && s + 1 < order.cut.size() && s + 1 < picture.segment_start.size(); ++s) {
        const uint32_t last_of_segment = order.events[order.cut[s + 1] - 1];
        const double arrived = last_of_segment + 1.0, opened = picture.segment_start[s + 1];
        const bool waits = picture.instruction(last_of_segment).kind == trace::Kind::barrier; // else it has ended
        if (!waits || arrived >= opened || opened <= range.first || arrived >= range.last) continue;
        for (size_t p = pixel_at(std::max(arrived, range.first));
             p <= pixel_at(std::nextafter(std::min(opened, range.last), 0.0)); ++p)
            if (pixels[p].total == 0) pixels[p].waits = true;
    }
}

} // namespace

std::vector<Pixel> warp_track(const BlockPicture& picture, size_t warp, AxisRange range, int count) {
    std::vector<Pixel> pixels(static_cast<size_t>(std::max(count, 1)));
    const WarpOrder& order = picture.warps[warp];
    if (picture.in_turn()) {
        add_turns(picture, order, range, pixels);
        return pixels;
    }
    for (size_t s = 0; s < segments(order); ++s)
        if (picture.segment_start[s + 1] > range.first && picture.segment_start[s] < range.last)
            add_segment(picture, order, s, range, pixels);
    return pixels;
}

double axis_place(const BlockPicture& picture, size_t warp, uint32_t index) {
    const WarpOrder& order = picture.warps[warp];
    if (order.events.empty()) return 0;
    if (picture.in_turn()) return order.events[std::min<size_t>(index, order.events.size() - 1)];
    const uint32_t segment = std::min<uint32_t>(order.segment_of(index), static_cast<uint32_t>(segments(order)) - 1);
    return double{1} * picture.segment_start[segment] + (index - order.cut[segment]);
}

uint32_t axis_index(const BlockPicture& picture, size_t warp, double place) {
    const WarpOrder& order = picture.warps[warp];
    if (order.events.empty()) return 0;
    if (picture.in_turn()) {
        const auto after = std::upper_bound(order.events.begin(), order.events.end(), place,
                                            [](double at, uint32_t event) { return at < event; });
        return static_cast<uint32_t>(std::max<std::ptrdiff_t>(after - order.events.begin() - 1, 0));
    }
    const auto& starts = picture.segment_start;
    const auto whole = static_cast<uint32_t>(std::clamp(place, 0.0, static_cast<double>(starts.back())));
    const auto after = std::upper_bound(starts.begin(), starts.end(), whole);
    const auto segment = std::min<size_t>(static_cast<size_t>(std::max<std::ptrdiff_t>(after - starts.begin() - 1, 0)),
                                          segments(order) - 1);
    const uint32_t count = order.cut[segment + 1] - order.cut[segment];
    return order.cut[segment] + std::min(whole - std::min(whole, starts[segment]), std::max(count, 1u) - 1);
}

double turn_place(const WarpOrder& order, uint32_t index) {
    const auto& turns = order.k_tiles;
    const auto count = static_cast<double>(order.events.size());
    if (turns.empty()) return count > 0 ? index / count : 0;
    const auto turn = std::upper_bound(turns.begin(), turns.end(), index) - turns.begin() - 1;
    if (turn < 0) return static_cast<double>(index) / turns.front() - 1;
    const double first = turns[static_cast<size_t>(turn)];
    const double end = turn + 1 < std::ssize(turns) ? turns[static_cast<size_t>(turn) + 1] : count;
    return static_cast<double>(turn) + (index - first) / std::max(end - first, 1.0);
}

uint32_t index_at_turn(const WarpOrder& order, double place) {
    const auto& turns = order.k_tiles;
    const auto last = static_cast<double>(order.events.empty() ? 0 : order.events.size() - 1);
    const auto rounded = [&](double index) { return static_cast<uint32_t>(std::clamp(index + 1e-6, 0.0, last)); };
    if (turns.empty()) return rounded(place * static_cast<double>(order.events.size()));
    if (place < 0) return rounded((place + 1) * turns.front());
    const auto turn = std::min(static_cast<size_t>(place), turns.size() - 1);
    const double first = turns[turn];
    const double end = turn + 1 < turns.size() ? turns[turn + 1] : static_cast<double>(order.events.size());
    return rounded(first + (place - static_cast<double>(turn)) * (end - first));
}

double same_turn(const WarpOrder& from, const WarpOrder& to, double place) {
    if (place < 0 || from.k_tiles.empty() || to.k_tiles.empty()) return place;
    return place * static_cast<double>(to.k_tiles.size()) / static_cast<double>(from.k_tiles.size());
}

AxisRange turns_around(const BlockPicture& picture, size_t warp, uint32_t index) {
    const double end = picture.segment_start.back();
    const std::span<const uint32_t> turns = picture.warps[warp].k_tiles;
    if (turns.size() < 2) return {0, std::max(end, 1.0)};
    const auto after = std::upper_bound(turns.begin(), turns.end(), index) - turns.begin(); // turn that follows
    const auto place = [&](std::ptrdiff_t turn) {
        if (turn < 0) return 0.0;
        return turn >= static_cast<std::ptrdiff_t>(turns.size())
                   ? end
                   : axis_place(picture, warp, turns[static_cast<size_t>(turn)]);
    };
    AxisRange range{place(after - 2), place(after + 1)};
    if (after == 0) range.first = 0;
    return range;
}

} // namespace views
