#include "views/warp_track.h"

#include <algorithm>
#include <cmath>

namespace views {

namespace {

size_t segments(const WarpOrder& order) { return order.cut.size() - 1; }

// Pixels that share a range of the axis.
class Track {
public:
    Track(const BlockPicture& picture, const WarpOrder& order, AxisRange range, std::vector<Pixel>& pixels)
        : picture_(picture), order_(order), range_(range), pixels_(pixels),
          per_pixel_((range.last - range.first) / static_cast<double>(pixels.size())) {}

    // Of the warp's instructions `first` to before `last`, each at its place: place(index), an integer, no two at the same one.
    template <typename Place>
    void add(uint32_t first, uint32_t last, Place place) {
        while (first < last) {
            const size_t pixel = at(place(first));
            if (per_pixel_ < 1) { // it is wider than a pixel, and covers all of its own
                for (size_t p = pixel; p <= at(std::nextafter(place(first) + 1, 0.0)); ++p) add(p, first, first + 1);
                ++first;
                continue;
            }
            const auto from = order_.events.begin() + first;
            const auto most = static_cast<std::ptrdiff_t>(std::min<double>(last - first, per_pixel_ + 2));
            const auto end = std::partition_point(from + 1, from + most, [&](const uint32_t& event) {
                return at(place(static_cast<uint32_t>(&event - order_.events.data()))) == pixel;
            });
            const auto next = static_cast<uint32_t>(end - order_.events.begin());
            add(pixel, first, next);
            first = next;
        }
    }
    // Where it executes nothing between two places, it waits.
    void wait(double first, double last) {
        for (size_t p = at(std::max(first, range_.first)); p <= at(std::min(last, range_.last)); ++p)
            pixels_[p].waits |= pixels_[p].total == 0;
    }

private:
    size_t at(double place) const {
        return static_cast<size_t>(std::clamp<int64_t>(static_cast<int64_t>((place - range_.first) / per_pixel_), 0,
                                                       static_cast<int64_t>(pixels_.size()) - 1));
    }
    LaneCounts before(uint32_t index) const {
        LaneCounts counts = order_.lanes_before[index / WarpOrder::summed_up];
        for (uint32_t i = index - index % WarpOrder::summed_up; i < index; ++i) ++counts[lane(i)];
        return counts;
    }
    size_t lane(uint32_t index) const {
        return static_cast<size_t>(lane_of(picture_.instruction(order_.events[index])));
    }
    void add(size_t pixel, uint32_t first, uint32_t last) {
        Pixel& sum = pixels_[pixel];
        sum.total += last - first;
        if (last - first <= WarpOrder::summed_up) {
            for (uint32_t i = first; i < last; ++i) ++sum.count[lane(i)];
            return;
        }
        const LaneCounts less = before(first), all = before(last);
        for (size_t n = 0; n < sum.count.size(); ++n) sum.count[n] += all[n] - less[n];
    }

    const BlockPicture& picture_;
    const WarpOrder& order_;
    const AxisRange range_;
    std::vector<Pixel>& pixels_;
    const double per_pixel_;
};

void add_segment(const BlockPicture& picture, const WarpOrder& order, size_t segment, AxisRange range, Track& track) {
    const double start = picture.segment_start[segment], end = picture.segment_start[segment + 1];
    const uint32_t cut = order.cut[segment], count = order.cut[segment + 1] - cut;
    const auto within = [&](double place) {
        return cut + static_cast<uint32_t>(std::clamp(place - start, 0.0, static_cast<double>(count)));
    };
    track.add(within(range.first), within(std::ceil(range.last)),
              [&](uint32_t index) { return start + (index - cut); });
    if (start + count < end) track.wait(start + count, end);
}

// The same where each event of the block has its own place.
void add_turns(const BlockPicture& picture, const WarpOrder& order, AxisRange range, Track& track) {
    const auto first = std::lower_bound(order.events.begin(), order.events.end(), range.first,
                                        [](uint32_t event, double place) { return event + 1 <= place; });
    const auto last = std::lower_bound(first, order.events.end(), range.last,
                                       [](uint32_t event, double place) { return event < place; });
    const auto index = [&](auto at) { return static_cast<uint32_t>(at - order.events.begin()); };
    track.add(index(first), index(last), [&](uint32_t i) { return double{1} * order.events[i]; });
    for (size_t s = 0; picture.barriers && s + 1 < order.cut.size() && s + 1 < picture.segment_start.size(); ++s) {
        const uint32_t last_of_segment = order.events[order.cut[s + 1] - 1];
        const double arrived = last_of_segment + 1.0, opened = picture.segment_start[s + 1];
        const bool waits = picture.instruction(last_of_segment).kind == trace::Kind::barrier; // else it has ended
        if (waits && arrived < opened && opened > range.first && arrived < range.last)
            track.wait(arrived, std::nextafter(std::min(opened, range.last), 0.0));
    }
}

} // namespace

std::vector<Pixel> warp_track(const BlockPicture& picture, size_t warp, AxisRange range, int count) {
    std::vector<Pixel> pixels(static_cast<size_t>(std::max(count, 1)));
    const WarpOrder& order = picture.warps[warp];
    Track track(picture, order, range, pixels);
    if (picture.in_turn()) {
        add_turns(picture, order, range, track);
        return pixels;
    }
    for (size_t s = 0; s < segments(order); ++s)
        if (picture.segment_start[s + 1] > range.first && picture.segment_start[s] < range.last)
            add_segment(picture, order, s, range, track);
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
