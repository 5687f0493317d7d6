#include "ui/gpu/block_colours.h"

#include "ui/draw/grid.h"

namespace ui {

using session::BlockColours;

ImU32 ramp_colour(const Style& style, int value, int values) {
    const auto& ramp = style.colour.ramp;
    const float at = 8 * static_cast<float>(value) / static_cast<float>(std::max(values - 1, 1));
    const auto below = std::min(static_cast<size_t>(at), size_t{7});
    const ImU32 pure = mixed(ramp[below], ramp[below + 1], at - static_cast<float>(below));
    const bool is_long = values > 9;
    return is_long && value % 2 ? mixed(pure, style.colour.panel, 0.25f) : pure;
}

void draw_ramp(const Style& style, int values, const Rect& place) {
    const int steps = std::min(values, 9);
    for (int i = 0; i < steps; ++i) {
        const float width = place.width / static_cast<float>(steps);
        fill({place.x + static_cast<float>(i) * width, place.y, width, place.height},
             ramp_colour(style, steps > 1 ? i * (values - 1) / (steps - 1) : 0, values));
    }
}

BlockPaint::BlockPaint(const Style& style, std::shared_ptr<const measure::BlockTimeline> timeline,
                       const measure::Waves& waves, BlockColours by)
    : style_(&style), timeline_(std::move(timeline)), waves_(&waves), by_(by) {}

std::optional<BlockPaint> BlockPaint::of(Context& context) {
    const BlockColours by = context.session.view().block_colours;
    auto timeline = context.session.timeline();
    if (by == BlockColours::none || !timeline) return {};
    const measure::Waves& waves = context.pictures.waves(timeline);
    return BlockPaint(context.style, std::move(timeline), waves, by);
}

int BlockPaint::value_of(size_t block) const {
    return by_ == BlockColours::multiprocessor ? waves_->row[block] : waves_->wave[block];
}

int BlockPaint::values() const {
    return by_ == BlockColours::multiprocessor ? static_cast<int>(waves_->multiprocessors.size()) : waves_->most_waves;
}

ImU32 BlockPaint::operator()(size_t block) const { return ramp_colour(*style_, value_of(block), values()); }

void BlockPaint::draw_ramp(const Rect& place) const { ui::draw_ramp(*style_, values(), place); }

std::string BlockPaint::words(const Context& context) const {
    if (by_ == BlockColours::wave) return say(context, "blocks.legend_wave", waves_->most_waves, timeline_->device);
    return say(context, "blocks.legend_multiprocessor", waves_->multiprocessors.front(), waves_->multiprocessors.back(),
               timeline_->device);
}

} // namespace ui
