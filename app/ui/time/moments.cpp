#include "ui/time/moments.h"

namespace ui {

Earlier earlier_contents(Context& context) {
    const session::Products& products = context.session.products();
    const auto last = context.pictures.before(products.block.value, products.state.value);
    if (context.session.view().marked) return {products.marked.value, true};
    return {last, false};
}

void draw_moment_line(Context& context, const BlockPicture& picture, const Earlier& earlier, std::string_view words) {
    const auto& marked = context.session.view().marked;
    if (!earlier.marked || !marked || picture.trace().events.empty()) return;
    const Style& style = context.style;
    const Rect area = free_area();
    const uint32_t event = std::min<uint32_t>(*marked, static_cast<uint32_t>(picture.trace().events.size()) - 1);
    mark_changed(context, {area.x, area.y + style.unit / 2, 3 * style.unit, style.text->FontSize - style.unit});
    const std::string when =
        earlier.state ? say(context, "moments.since", words, picture.step(event), picture.trace().events[event].warp)
                      : std::string(context.tr("face.computing"));
    text_cut(context, style.text, {area.x + 4 * style.unit, area.y}, area.width - 4 * style.unit, style.colour.text,
             when);
    ImGui::Dummy({area.width, style.text->FontSize + style.unit});
}

void mark_changed(const Context& context, const Rect& place) {
    const Style& style = context.style;
    fill(place, with_alpha(style.colour.store, 0.28f));
    fill({place.x, place.bottom() - 2, place.width, 2}, style.colour.store);
}

} // namespace ui
