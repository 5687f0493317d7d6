#include "ui/result/result_scene.h"

#include "ui/result/result.h"
#include "views/axis.h"

namespace ui {

namespace {

using analysis::Rectangle;

constexpr ImU32 violet_on_dark = IM_COL32(0xC3, 0xA6, 0xFF, 255), teal_on_dark = IM_COL32(0x46, 0xDC, 0xCC, 255);
constexpr ImU32 violet_on_light = IM_COL32(0x55, 0x2C, 0xA0, 255), teal_on_light = IM_COL32(0x00, 0x62, 0x6B, 255);

gpu::Rgb rgb(ImU32 colour) {
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
    return {c.x, c.y, c.z};
}

ImU32 packed(const gpu::Rgb& colour) { return ImGui::ColorConvertFloat4ToU32({colour[0], colour[1], colour[2], 1}); }

// The tiles of the grid as thin lines, where they are far enough apart.
void draw_lattice(const ResultScene& scene) {
    const Canvas& canvas = scene.canvas;
    const Lattice& lattice = *scene.block->lattice;
    const ImU32 colour = with_alpha(scene.context.style.colour.text, 0.35f);
    const double apart = 4.0 * static_cast<double>(scene.context.style.unit);
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (lattice.columns * canvas.per_column >= apart)
        for (uint32_t column = lattice.columns; column < static_cast<uint32_t>(scene.shown.n);
             column += lattice.columns) {
            const float x = std::floor(canvas.at(0, column).x);
            list->AddRectFilled({x, canvas.area.y}, {x + 1, canvas.area.bottom()}, colour);
        }
    if (lattice.rows * canvas.per_row >= apart)
        for (uint32_t row = lattice.rows; row < static_cast<uint32_t>(scene.shown.m); row += lattice.rows) {
            const float y = std::floor(canvas.at(row, 0).y);
            list->AddRectFilled({canvas.area.x, y}, {canvas.area.right(), y + 1}, colour);
        }
}

// The colour that the ramp gives a value.
ImU32 colour_of(const gpu::FieldStyle& colours, double value, double largest) {
    const double at = (std::clamp(value / largest, -1.0, 1.0) * 0.5 + 0.5) * 8;
    const size_t below = std::min<size_t>(static_cast<size_t>(at), 7);
    return mixed(packed(colours.ramp[below]), packed(colours.ramp[below + 1]),
                 static_cast<float>(at - static_cast<double>(below)));
}

gpu::FieldStyle colours_of(const ResultScene& scene) {
    return scene.error() ? error_colours(scene.context.style) : result_colours(scene.context.style);
}

// The value in as many digits as there is room for.
std::string value_words(double value, size_t room) {
    for (const int digits : {6, 5, 4, 3, 2}) {
        std::string words = fmt::format("{:.{}g}", value, digits);
        if (words.size() <= room) return words;
    }
    return {};
}

// Elements of C in view: first and one past the last.
struct InView {
    int64_t top, bottom, left, right;
};
InView in_view(const ResultScene& scene) {
    const Canvas& canvas = scene.canvas;
    return {static_cast<int64_t>(std::floor(canvas.row)),
            std::min<int64_t>(static_cast<int64_t>(std::ceil(canvas.row_at(canvas.area.bottom()))), scene.shown.m),
            static_cast<int64_t>(std::floor(canvas.column)),
            std::min<int64_t>(static_cast<int64_t>(std::ceil(canvas.column_at(canvas.area.right()))), scene.shown.n)};
}

bool holds_hover(const ResultScene& scene) {
    const session::Hover& hover = scene.context.session.view().hover;
    return hover.array == "C" && hover.row >= 0 && hover.column >= 0 && hover.row < scene.shown.m &&
           hover.column < scene.shown.n;
}

std::vector<Tick> ramp_ticks(const ResultScene& scene, const Rect& bar) {
    const Axis axis(Axis::Scale::linear, scene.least(), scene.largest(), bar.bottom(), bar.y);
    return axis.ticks(std::clamp(static_cast<int>(bar.height / (2.2f * scene.context.style.mono->FontSize)), 1, 9));
}

} // namespace

void draw_field(const ResultScene& scene) {
    Context& context = scene.context;
    const Rect& area = scene.canvas.area;
    gpu::FieldStyle colours = colours_of(scene);
    colours.largest = static_cast<float>(scene.largest());
    if (scene.canvas.zoom > 1) {
        colours.first_column = static_cast<float>(scene.canvas.column),
        colours.first_row = static_cast<float>(scene.canvas.row);
        colours.columns = static_cast<float>(static_cast<double>(area.width) / scene.canvas.per_column);
        colours.rows = static_cast<float>(static_cast<double>(area.height) / scene.canvas.per_row);
    }
    const unsigned texture =
        context.result->picture(static_cast<int>(area.width), static_cast<int>(area.height), colours,
                                scene.error() ? gpu::LivePicture::Field::error : gpu::LivePicture::Field::c);
    if (texture) {
        ImGui::GetWindowDrawList()->AddImage(reinterpret_cast<ImTextureID>(static_cast<intptr_t>(texture)),
                                             {area.x, area.y}, {area.right(), area.bottom()});
        return;
    }
    fill(area, packed(colours.ramp[4]));
    const std::string problem = context.tr(context.result->problem());
    ImGui::SetCursorScreenPos({area.x, area.y});
    ImGui::BeginChild("no picture", {area.width, area.height}, false, ImGuiWindowFlags_NoInputs);
    sentence(context, problem.empty() ? std::string(context.tr("result.no_opengl"))
                                      : say(context, "result.no_picture", problem));
    ImGui::EndChild();
}

void draw_element_values(const ResultScene& scene) {
    const Style& style = scene.context.style;
    const Canvas& canvas = scene.canvas;
    const Rect& area = canvas.area;
    if (std::min(canvas.per_row, canvas.per_column) < 2 * static_cast<double>(style.unit)) return;
    const InView view = in_view(scene);
    const ImU32 line = with_alpha(style.colour.background, 0.6f);
    for (int64_t row = view.top + 1; row < view.bottom; ++row)
        fill({area.x, std::floor(canvas.at(static_cast<double>(row), 0).y), area.width, 1}, line);
    for (int64_t column = view.left + 1; column < view.right; ++column)
        fill({std::floor(canvas.at(0, static_cast<double>(column)).x), area.y, 1, area.height}, line);
    const float digit = text_size(style.mono, "0").x;
    const auto room = static_cast<size_t>(std::max(0.0, canvas.per_column / static_cast<double>(digit) - 0.5));
    if (room < 5 || canvas.per_row < static_cast<double>(style.mono->FontSize) * 1.1) return;
    const gpu::FieldStyle colours = colours_of(scene);
    for (int64_t row = view.top; row < view.bottom; ++row)
        for (int64_t column = view.left; column < view.right; ++column) {
            const std::optional<double> value = scene.value(row, column);
            if (!value) return;
            const Rect place = canvas.rect({static_cast<uint32_t>(row), static_cast<uint32_t>(column), 1, 1});
            const ImU32 ground =
                std::isfinite(*value) ? colour_of(colours, *value, scene.largest()) : packed(colours.not_a_number);
            text_centred(style.mono, place, ink_on(ground), value_words(*value, room));
        }
}

Rectangle selected_box(const ResultScene& scene) {
    if (scene.block->lattice)
        return scene.block->lattice->box_of(scene.context.session.view().selection.block, *scene.c->buffer);
    return scene.c->box;
}

void draw_result_selection(const ResultScene& scene) {
    const Style& style = scene.context.style;
    if (scene.c && scene.block->lattice && scene.block->lattice->rows > 0 && scene.block->lattice->columns > 0)
        draw_lattice(scene);
    if (scene.c && std::min(scene.canvas.per_row, scene.canvas.per_column) >= 3)
        for (const analysis::Element& element : scene.owned)
            outline(scene.canvas.rect({element.row, element.column, 1, 1}), style.colour.selection);
    if (scene.c) {
        const Rect box = scene.canvas.rect(selected_box(scene));
        scene.context.probe.mark("result.block", box.x, box.y, box.width, box.height);
        mark_selected(scene.context, box);
    }
    if (holds_hover(scene)) {
        const session::Hover& hover = scene.context.session.view().hover;
        Rect element = scene.canvas.rect({static_cast<uint32_t>(hover.row), static_cast<uint32_t>(hover.column), 1, 1});
        const float least = 2 * style.unit; // to be found on a picture of millions
        if (element.width < least) element.x -= (least - element.width) / 2, element.width = least;
        if (element.height < least) element.y -= (least - element.height) / 2, element.height = least;
        mark_hovered(scene.context, element);
    }
}

void draw_result_ticks(const ResultScene& scene) {
    const Style& style = scene.context.style;
    const Canvas& canvas = scene.canvas;
    const float digit = text_size(style.mono, "0").x, line = style.mono->FontSize;
    const auto spacing = [](double pixels, double scale) {
        return std::exp2(std::ceil(std::log2(std::max(pixels / scale, 1.0))));
    };
    const double down = spacing(2.5 * static_cast<double>(line), canvas.per_row),
                 across = spacing(7 * static_cast<double>(digit), canvas.per_column);
    for (double row = std::ceil(canvas.row / down) * down; row < scene.shown.m; row += down) {
        const float y = canvas.at(row, 0).y;
        if (y + line > canvas.area.bottom() + line / 2 && row > canvas.row) break;
        text_right(style.mono, {canvas.area.x - style.unit, y}, style.colour.dim, fmt::format("{:.0f}", row));
    }
    for (double column = std::ceil(canvas.column / across) * across; column < scene.shown.n; column += across) {
        const float x = canvas.at(0, column).x;
        if (x + 3 * digit > canvas.area.right() && column > canvas.column) break;
        text(style.mono, {x, canvas.area.y - line - 1}, style.colour.dim, fmt::format("{:.0f}", column));
    }
}

float ramp_width(const ResultScene& scene, const Rect& bar) {
    float widest = 0;
    for (const Tick& tick : ramp_ticks(scene, bar))
        widest = std::max(widest, text_size(scene.context.style.mono, tick.label).x);
    return bar.width + 2 * scene.context.style.unit + widest;
}

float draw_ramp(const ResultScene& scene, const Rect& bar) {
    const Style& style = scene.context.style;
    const gpu::FieldStyle colours = colours_of(scene);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const size_t steps = scene.error() ? 4 : 8; // errors have no negative half
    for (size_t i = 0; i < steps; ++i) {
        const float top = bar.y + bar.height * static_cast<float>(i) / static_cast<float>(steps),
                    bottom = bar.y + bar.height * static_cast<float>(i + 1) / static_cast<float>(steps);
        const ImU32 above = packed(colours.ramp[8 - i]), below = packed(colours.ramp[7 - i]);
        list->AddRectFilledMultiColor({bar.x, top}, {bar.right(), bottom}, above, above, below, below);
    }
    outline(bar, style.colour.line);
    const Axis axis(Axis::Scale::linear, scene.least(), scene.largest(), bar.bottom(), bar.y);
    const float line = style.mono->FontSize, end = bar.x + ramp_width(scene, bar);
    for (const Tick& tick : ramp_ticks(scene, bar)) {
        const float y = std::round(axis.pixel(tick.value));
        fill({bar.right() - style.unit, y, 2 * style.unit, 1}, style.colour.text);
        const float top = std::clamp(y - line / 2, bar.y - line / 2, bar.bottom() - line / 2);
        text_right(style.mono, {end, top}, style.colour.text, tick.label);
    }
    if (!holds_hover(scene)) return end;
    const session::Hover& hover = scene.context.session.view().hover;
    const std::optional<double> value = scene.value(hover.row, hover.column);
    if (!value || !std::isfinite(*value)) return end;
    const float y = std::round(axis.pixel(std::clamp(*value, scene.least(), scene.largest()))), s = 1.5f * style.unit;
    fill({bar.x, y - 1, bar.width, 2}, style.colour.selection);
    list->AddTriangleFilled({bar.x - s, y - s}, {bar.x - s, y + s}, {bar.x, y}, style.colour.selection);
    return end;
}

gpu::FieldStyle result_colours(const Style& style) {
    gpu::FieldStyle colours;
    const ImU32 middle = mixed(style.colour.panel, style.colour.text, 0.06f);
    for (size_t i = 0; i < colours.ramp.size(); ++i) {
        const float at = static_cast<float>(i) / 4 - 1; // -1 to 1
        const ImU32 end =
            at < 0 ? (style.dark ? violet_on_dark : violet_on_light) : (style.dark ? teal_on_dark : teal_on_light);
        colours.ramp[i] = rgb(mixed(middle, end, std::abs(at)));
    }
    colours.not_a_number = rgb(style.colour.finding);
    colours.outside = rgb(style.colour.panel);
    return colours;
}

gpu::FieldStyle error_colours(const Style& style) {
    gpu::FieldStyle colours = result_colours(style);
    colours.take_largest = true;
    const std::array<ImU32, 5> ends{mixed(style.colour.panel, style.colour.text, 0.06f), style.colour.ramp[2],
                                    style.colour.ramp[5], style.colour.ramp[8], style.colour.finding};
    for (size_t i = 0; i < ends.size(); ++i) colours.ramp[4 + i] = rgb(ends[i]);
    return colours;
}

} // namespace ui
