#include "measure/references.h"
#include "ui/draw/grid.h"
#include "ui/plot/plot_views.h"

#include <algorithm>
#include <cmath>

namespace ui {

std::string series_title(const Context& context, const measure::Series& series) {
    if (const auto* reference = measure::reference_series(series.name))
        return fmt::format("{} {}", reference->library, operands_text(reference->operands));
    if (const auto kernel = context.session.catalog().find(series.kernel)) return context.tr(kernel->title);
    return series.name;
}

bool WordFlow::place(float width) {
    if (x_ > area_.x && x_ + width > area_.right()) x_ = area_.x, y_ += height();
    return y_ + height() <= area_.bottom() + context_.style.unit;
}

void WordFlow::say(const std::string& words) {
    const Style& style = context_.style;
    const float width = text_size(style.text, words).x;
    if (!place(width)) return;
    x_ += text_cut(context_, style.text, {x_, y_}, area_.right() - x_, style.colour.dim, words) + 2 * style.unit;
}

bool WordFlow::choice(const std::string& name, const std::string& label, bool chosen, const std::string& hint) {
    const Style& style = context_.style;
    const float line = style.mono->FontSize, gap = 2 * style.unit, width = text_size(style.mono, label).x;
    if (!place(width)) return false;
    const float y = y_ + style.text->Ascent - style.mono->Ascent;
    const Rect box{x_ - gap / 2, y - style.unit / 2, width + gap, line + style.unit};
    text(style.mono, {x_, y}, chosen || hovered(box) ? style.colour.text : style.colour.dim, label);
    if (chosen)
        ImGui::GetWindowDrawList()->AddRectFilled({x_, box.bottom() - 1}, {x_ + width, box.bottom() + 1},
                                                  style.colour.text);
    context_.probe.mark(name, box.x, box.y, box.width, box.height);
    x_ += width + 2 * gap;
    if (!hint.empty() && hovered(box)) tooltip(context_, hint);
    return clicked(box);
}

void draw_marker(const Style& style, ImVec2 at, measure::Origin origin, float radius, ImU32 colour) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float r = radius, line = std::max(1.0f, style.type);
    if (origin == measure::Origin::live) return list->AddCircleFilled(at, r, colour);
    if (origin == measure::Origin::recorded) {
        list->AddRectFilled({at.x - r, at.y - r}, {at.x + r, at.y + r}, style.colour.panel);
        list->AddRect({at.x - r, at.y - r}, {at.x + r, at.y + r}, colour, 0, 0, line);
        return;
    }
    const float d = r * 1.3f;
    list->AddQuadFilled({at.x, at.y - d}, {at.x + d, at.y}, {at.x, at.y + d}, {at.x - d, at.y}, style.colour.panel);
    list->AddQuad({at.x, at.y - d}, {at.x + d, at.y}, {at.x, at.y + d}, {at.x - d, at.y}, colour, line);
}

void draw_predicted_marker(const Style& style, ImVec2 at, float radius, ImU32 colour) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddCircleFilled(at, radius, style.colour.panel);
    list->AddCircle(at, radius, colour, 0, std::max(1.0f, style.type));
}

Rect data_area(const Context& context, const Rect& area, float right_margin) {
    const Style& style = context.style;
    const float left = 5 * text_size(style.mono, "0").x + style.unit;
    const float top = (area.height > 16 * style.text->FontSize ? 1.7f : 1.0f) * style.text->FontSize + style.unit,
                bottom = style.mono->FontSize + 2 * style.unit;
    return {area.x + left, area.y + top, std::max(area.width - left - right_margin, 1.0f),
            std::max(area.height - top - bottom, 1.0f)};
}

void draw_axes(Context& context, const Rect& data, const Axis& x, const Axis& y, std::string_view x_name,
               std::string_view y_name, float right) {
    const Style& style = context.style;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float character = text_size(style.mono, "0").x, height = style.mono->FontSize;
    for (const Tick& tick : y.ticks(std::clamp(static_cast<int>(data.height / (2.2f * height)), 1, 8))) {
        if (tick.label.empty()) continue;
        const float at = std::round(y.pixel(tick.value));
        list->AddLine({data.x, at}, {data.right(), at}, style.colour.line);
        text_right(style.mono, {data.x - style.unit, at - height / 2}, style.colour.dim, tick.label);
    }
    const float name_width = text_size(style.text, x_name).x;
    const float last_tick = 5 * character; // half of the widest label, and air
    const bool outside = right - data.right() > name_width + last_tick;
    const bool above =
        !outside && data.height > 12 * style.text->FontSize; // the axis, where all labels of the ticks are wanted
    for (const Tick& tick : x.ticks(std::max(1, static_cast<int>(data.width / (7 * character))))) {
        const float at = std::round(x.pixel(tick.value));
        list->AddLine({at, data.bottom()}, {at, data.bottom() + (tick.label.empty() ? style.unit / 2 : style.unit)},
                      style.colour.dim);
        const float width = text_size(style.mono, tick.label).x;
        if (outside || above || at + width / 2 < data.right() - name_width - style.unit)
            text(style.mono, {at - width / 2, data.bottom() + style.unit}, style.colour.dim, tick.label);
    }
    list->AddLine({data.x, data.bottom()}, {data.right(), data.bottom()}, style.colour.dim);
    text_right(style.text,
               {outside ? right : data.right(),
                above ? data.bottom() - style.text->FontSize - style.unit : data.bottom() + style.unit},
               style.colour.dim, x_name);
    text(style.text,
         {data.x - style.unit - text_size(style.mono, "000").x,
          data.y - (data.height > 12 * style.text->FontSize ? 1.6f : 1.0f) * style.text->FontSize -
              style.unit}, // clear of the top label
         style.colour.dim, y_name);
}

void draw_end_labels(Context& context, const Rect& data, float right, std::vector<EndLabel> labels) {
    const Style& style = context.style;
    const float height = style.text->FontSize, highest = data.y - height, lowest = data.bottom() - 0.6f * height;
    const auto room = static_cast<size_t>(std::max(0.0f, std::ceil((lowest - highest) / height)));
    if (labels.size() > room) labels.resize(room);
    std::vector<float> ends;                              // as sorted below: a label keeps its line's end
    for (EndLabel& label : labels) label.y -= height / 2; // its top
    std::stable_sort(labels.begin(), labels.end(), [](const EndLabel& a, const EndLabel& b) { return a.y < b.y; });
    for (const EndLabel& label : labels) ends.push_back(label.y + height / 2);
    float free = highest;
    for (EndLabel& label : labels) label.y = std::max(label.y, free), free = label.y + height;
    free = lowest;
    for (auto label = labels.rbegin(); label != labels.rend(); ++label)
        label->y = std::min(label->y, free), free = label->y - height;
    for (size_t i = 0; i < labels.size(); ++i) {
        const EndLabel& label = labels[i];
        text_cut(context, style.text, {data.right() + style.unit, label.y}, right - data.right() - style.unit,
                 label.ink, label.words);
        if (label.x > 0 && label.x < data.right() - 2 * style.unit)
            ImGui::GetWindowDrawList()->AddLine({label.x + style.unit, ends[i]},
                                                {data.right() + style.unit / 2, label.y + height / 2},
                                                with_alpha(label.ink, 0.35f), style.type);
    }
}

std::string figure_text(const Context& context, const SeriesGroup& group, const measure::Series& series,
                        const measure::Sample& sample) {
    std::string text =
        series_title(context, series) + "\n" + size_text(sample.m, sample.n, sample.k) + ": " + gflops(sample.gflops);
    const double reference = reference_of(group, series, sample);
    if (reference > 0 && !measure::is_cublas(series))
        text += "\n" + of_cublas(context.tr, sample.gflops / reference, series.operands);
    constexpr const char* origins[] = {"plot.live", "plot.recorded", "plot.published"};
    text += std::string("\n") + context.tr(origins[static_cast<int>(series.origin)]) + ": " +
            provenance(context.tr, series);
    if (!series.parameters.empty()) {
        text += "\n";
        for (const auto& [name, value] : series.parameters) text += fmt::format("{} {}  ", name, value);
    }
    return text;
}

} // namespace ui
