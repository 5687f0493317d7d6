#include "ui/ladder.h"

#include "ui/draw.h"
#include "ui/grid.h"
#include "ui/plot_data.h"
#include "ui/standing.h"
#include "ui/stepping.h"

#include <fmt/format.h>

#include <algorithm>

namespace ui {

namespace {

std::string shape_text(const catalog::Problem& p) {
    return p.m == p.n && p.n == p.k ? fmt::format("{}\u00b3", p.m) : fmt::format("{}\u00d7{}\u00d7{}", p.m, p.n, p.k);
}

const char* origin_key(gpu::Origin origin) {
    switch (origin) {
    case gpu::Origin::live: return "ladder.live";
    case gpu::Origin::recorded: return "ladder.recorded";
    case gpu::Origin::published: return "ladder.published";
    }
    return "";
}

float rung_height(const Style& style) { return style.text->FontSize + 3.5f * style.unit; }

// Where the percentages come from, or that there are none: two short lines.
void provenance(Context& context, const Standing& now) {
    const Style& style = context.style;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, line = style.text->FontSize;
    if (now.share.empty()) {
        text_cut(context, style.text, at, width, style.colour.dim, context.tr("ladder.none"));
    } else {
        const std::string what = fmt::format("{} {}", context.tr("ladder.of_cublas"), shape_text(now.problem));
        const std::string origin =
            now.live > 0 ? say(context, "ladder.completed", now.live) : context.tr(origin_key(now.origin));
        const std::string whence = fmt::format("{}, {}", origin, now.device);
        text_cut(context, style.text, at, width, style.colour.dim, what);
        text_cut(context, style.text, {at.x, at.y + line}, width, style.colour.dim, whence);
    }
    ImGui::Dummy({0, 2 * line});
}

void hint(Context& context, const catalog::Kernel& kernel, const Standing& now, bool measured) {
    std::string words = fmt::format("{}\n{}\n\n{}", context.tr(kernel.title), kernel.id, context.tr(kernel.idea));
    if (kernel.operands != catalog::OperandType::f32)
        words += "\n\n" + say(context, "ladder.operands", operands_text(kernel.operands));
    if (!measured) words += fmt::format("\n\n{}", context.tr("ladder.not_measured"));
    else if (!now.exact) words += fmt::format("\n\n{} {}", context.tr("ladder.nearest"), shape_text(now.problem));
    tooltip(context, words);
}

// `longest`: the share at the right end of the bars; where that is more than cuBLAS, a line says where cuBLAS is.
void rung(Context& context, const catalog::Kernel& kernel, const Standing& now, double longest) {
    const Style& style = context.style;
    const Palette& colour = style.colour;
    const float unit = style.unit, width = ImGui::GetContentRegionAvail().x;
    const float line = style.text->FontSize, height = rung_height(style);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Rect row{at.x - 2 * unit, at.y, width + 2 * unit, height};
    context.probe.mark("rung." + kernel.id, row.x, row.y, row.width, row.height);

    const bool selected = context.view.subject.kernel == kernel.id, over = hovered(row);
    const bool pinned = context.view.baseline && context.view.baseline->kernel == kernel.id;
    const auto share = now.share.find(kernel.id);
    const bool measured = share != now.share.end();
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (selected || over)
        list->AddRectFilled({row.x, row.y}, {row.right(), row.bottom()}, mixed(colour.panel, colour.text, selected ? 0.09f : 0.04f));
    if (selected) list->AddRectFilled({row.x, row.y}, {row.x + unit / 2, row.bottom()}, colour.selection);

    const float top = at.y + unit, number = text_size(style.mono, "00").x + unit;
    const float drop = style.text->Ascent - style.mono->Ascent;
    const std::string percent = measured ? fmt::format("{:.{}f} %", share->second * 100, share->second < 0.0995 ? 1 : 0) : std::string("\u2013");
    const float percent_width = text_size(style.mono, percent).x;
    text_right(style.mono, {at.x + number - unit, top + drop}, colour.dim, std::to_string(kernel.rung));
    const std::string title = (pinned ? "\u25cf " : "") + std::string(context.tr(kernel.title));
    text_cut(context, style.text, {at.x + number, top}, width - number - percent_width - unit, 
             selected || over ? colour.text : mixed(colour.dim, colour.text, 0.5f), title);
    text_right(style.mono, {at.x + width, top + drop}, measured ? colour.text : colour.dim, percent);

    const Rect bar{at.x + number, top + line + unit / 2, width - number, std::max(unit * 0.75f, 2.0f)};
    list->AddRectFilled({bar.x, bar.y}, {bar.right(), bar.bottom()}, mixed(colour.panel, colour.text, 0.07f));
    if (measured) {
        const float length = bar.width * static_cast<float>(std::clamp(share->second / longest, 0.0, 1.0));
        list->AddRectFilled({bar.x, bar.y}, {bar.x + std::max(length, 1.0f), bar.bottom()}, selected ? colour.selection : colour.c);
    }
    if (longest > 1) {
        const float whole = std::round(bar.x + bar.width * static_cast<float>(1 / longest));
        list->AddRectFilled({whole, bar.y}, {whole + style.type, bar.bottom() + unit / 2}, colour.text);
    }
    if (over) hint(context, kernel, now, measured);
    if (clicked(row)) select_kernel(context, kernel);
    ImGui::Dummy({width, height - ImGui::GetStyle().ItemSpacing.y});
    // The first rung, and one chosen with the keys, comes into sight; one that the mouse scrolled away stays away.
    if (selected && (ImGui::IsWindowAppearing() || changed(context, "rung in sight", kernel.id))) ImGui::SetScrollHereY(0.5f);
}

} // namespace

float ladder_height(const Style& style, size_t kernels) {
    const float margins = 5 * style.unit, titles = style.heading->FontSize + 2 * style.unit + 2 * style.text->FontSize + style.unit;
    return margins + titles + static_cast<float>(kernels) * rung_height(style);
}

void draw_ladder(Context& context) {
    heading(context, context.tr("ladder.title"));
    const Standing now = standing(series_groups(context.session.series()), context.view.subject.problem);
    provenance(context, now);
    const auto& kernels = context.session.catalog().kernels;
    if (kernels.empty()) return sentence(context, context.tr("ladder.empty"));
    ImGui::BeginChild("rungs", {0, 0}, false, ImGuiWindowFlags_NoNav);
    double longest = 1;
    for (const auto& [id, share] : now.share) longest = std::max(longest, share);
    std::string family;
    for (const auto& kernel : kernels) {
        if (kernel->family != family && kernel->family != "ladder") {
            ImGui::Dummy({0, context.style.unit});
            text(context.style.text, ImGui::GetCursorScreenPos(), context.style.colour.dim, kernel->family);
            ImGui::Dummy({0, context.style.text->FontSize});
        }
        family = kernel->family;
        rung(context, *kernel, now, longest);
    }
    ImGui::EndChild();
}

} // namespace ui
