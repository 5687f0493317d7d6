#include "ui/kernel/ladder.h"

#include "session/ceiling.h"
#include "ui/draw/draw.h"
#include "ui/draw/grid.h"
#include "ui/draw/text_field.h"
#include "ui/draw/text_table.h"
#include "ui/plot/plot_views.h"
#include "ui/speed/speed.h"
#include "ui/time/stepping.h"
#include "views/search_words.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ui {

namespace {

std::string shape_text(const catalog::Problem& p) { return size_text(p.m, p.n, p.k); }

const char* origin_key(measure::Origin origin) {
    switch (origin) {
    case measure::Origin::live: return "ladder.live";
    case measure::Origin::recorded: return "ladder.recorded";
    case measure::Origin::published: return "ladder.published";
    }
    return "";
}

float rung_height(const Style& style) { return style.text->FontSize + 3.5f * style.unit; }
float arithmetic_height(const Style& style) { return style.text->FontSize + 2 * style.unit; }

// Two buttons that step through the sizes at which speed was measured, at the right of `words`, where they leave room.
void size_steps(Context& context, const Standing& now, const std::string& words, ImVec2 at, float width) {
    constexpr ButtonLabel labels[] = {{"speed_size.less", "-"}, {"speed_size.more", "+"}};
    if (now.cubes.size() < 2) return;
    const float least = at.x + text_size(context.style.text, words).x + context.style.unit;
    float start = at.x + width;
    const int pressed = button_row(context, labels, least, at.x + width, at.y - context.style.unit / 2, -1, &start);
    if (hovered({start, at.y, at.x + width - start, context.style.text->FontSize}))
        tooltip(context, context.tr("ladder.size_hint"));
    if (pressed >= 0) step_speed_size(context, now, pressed ? 1 : -1);
}

// Where the percentages come from, or that there are none: two short lines.
std::array<std::string, 2> provenance_words(const Context& context, const Standing& now) {
    if (now.share.empty()) return {context.tr("ladder.none"), {}};
    const std::string origin =
        now.live > 0 ? say(context, "ladder.completed", now.live) : context.tr(origin_key(now.origin));
    return {fmt::format("{} {}", context.tr("ladder.of_cublas"), shape_text(now.problem)),
            fmt::format("{}, {}", origin, now.device)};
}

void provenance(Context& context, const Standing& now) {
    const Style& style = context.style;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, line = style.text->FontSize;
    const auto [what, whence] = provenance_words(context, now);
    if (!whence.empty()) size_steps(context, now, what, at, width);
    text_cut(context, style.text, at, width, style.colour.dim, what);
    text_cut(context, style.text, {at.x, at.y + line}, width, style.colour.dim, whence);
    ImGui::Dummy({0, 2 * line});
}

void hint(Context& context, const catalog::Kernel& kernel, const Standing& now, const Yardstick& stick) {
    const auto measured = now.gflops.find(kernel.id);
    std::string words = fmt::format("{}\n{}\n\n{}", context.tr(kernel.title), kernel.id, context.tr(kernel.idea));
    if (kernel.operands != catalog::OperandType::f32)
        words += "\n\n" + say(context, "ladder.operands", operands_text(kernel.operands));
    if (measured != now.gflops.end()) {
        words += fmt::format("\n\n{}: {}", shape_text(now.problem), gflops(measured->second));
        if (stick.beside_cublas) words += ", " + of_cublas(context.tr, now.share.at(kernel.id), kernel.operands);
    }
    if (measured == now.gflops.end()) words += fmt::format("\n\n{}", context.tr("ladder.not_measured"));
    else if (!now.exact) words += fmt::format("\n\n{} {}", context.tr("ladder.nearest"), shape_text(now.problem));
    tooltip(context, words);
}

// "94 %", or "624": the unit stands in the heading, or is added where there is none. A dash: not measured.
std::string figure_of(const catalog::Kernel& kernel, const Standing& now, const Yardstick& stick, bool with_unit) {
    const auto share = now.share.find(kernel.id);
    if (share == now.share.end()) return "\u2013";
    if (stick.percent) return fmt::format("{:.{}f} %", share->second * 100, share->second < 0.0995 ? 1 : 0);
    const double tflops = now.gflops.at(kernel.id) / 1000;
    return fmt::format("{:.{}f}{}", tflops, tflops < 99.5 ? 1 : 0, with_unit ? " TFLOPS" : "");
}

// Where bars are longer than cuBLAS's, a line says where that ends. `alone`: below no heading that names its unit.
void rung(Context& context, const catalog::Kernel& kernel, const Standing& now, const Yardstick& stick,
          bool alone = false) {
    const Style& style = context.style;
    const Palette& colour = style.colour;
    const float unit = style.unit, width = ImGui::GetContentRegionAvail().x;
    const float line = style.text->FontSize, height = rung_height(style);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Rect row{at.x - 2 * unit, at.y, width + 2 * unit, height};
    context.probe.mark("rung." + kernel.id, row.x, row.y, row.width, row.height);

    const bool selected = context.view.subject.kernel == kernel.id, over = hovered(row);
    const bool pinned = context.view.baseline && context.view.baseline->kernel == kernel.id;
    const std::optional<double> length = bar_length(stick, now, kernel.id);
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (selected || over)
        list->AddRectFilled({row.x, row.y}, {row.right(), row.bottom()},
                            mixed(colour.panel, colour.text, selected ? 0.09f : 0.04f));
    if (selected) list->AddRectFilled({row.x, row.y}, {row.x + unit / 2, row.bottom()}, colour.selection);

    const float top = at.y + unit, number = text_size(style.mono, "00").x + unit;
    const float drop = style.text->Ascent - style.mono->Ascent;
    const std::string figure = figure_of(kernel, now, stick, alone);
    const float figure_width = text_size(style.mono, figure).x;
    text_right(style.mono, {at.x + number - unit, top + drop}, colour.dim,
               kernel.rung > 0 ? std::to_string(kernel.rung) : std::string()); // kernels of one's own are no rungs
    const std::string title = (pinned ? "\u25cf " : "") + std::string(context.tr(kernel.title));
    text_cut(context, style.text, {at.x + number, top}, width - number - figure_width - unit,
             selected || over ? colour.text : mixed(colour.dim, colour.text, 0.5f), title);
    text_right(style.mono, {at.x + width, top + drop}, length ? colour.text : colour.dim, figure);

    const Rect bar{at.x + number, top + line + unit / 2, width - number, std::max(unit * 0.75f, 2.0f)};
    list->AddRectFilled({bar.x, bar.y}, {bar.right(), bar.bottom()}, mixed(colour.panel, colour.text, 0.07f));
    if (length) {
        const float pixels = bar.width * static_cast<float>(std::clamp(*length, 0.0, 1.0));
        list->AddRectFilled({bar.x, bar.y}, {bar.x + std::max(pixels, 1.0f), bar.bottom()},
                            selected ? colour.selection : colour.c);
    }
    if (stick.beside_cublas && stick.longest > 1) {
        const float whole = std::round(bar.x + bar.width * static_cast<float>(1 / stick.longest));
        list->AddRectFilled({whole, bar.y}, {whole + style.type, bar.bottom() + unit / 2}, colour.text);
    }
    if (over) hint(context, kernel, now, stick);
    if (clicked(row)) select_kernel(context, kernel);
    ImGui::Dummy({width, height - ImGui::GetStyle().ItemSpacing.y});
    // The first rung, and one chosen with the keys, comes into sight; one that the mouse scrolled away stays away.
    if (selected && (ImGui::IsWindowAppearing() || changed(context, "rung in sight", kernel.id)))
        ImGui::SetScrollHereY(0.5f);
}

// Why the search means the kernel above: "PTX: cp.async.cg.shared.global".
void reason(Context& context, const session::Found& found) {
    const Style& style = context.style;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float indent = text_size(style.mono, "00").x + style.unit, width = ImGui::GetContentRegionAvail().x;
    text_cut(context, style.text, {at.x + indent, at.y}, width - indent, style.colour.dim,
             matches_text(context.tr, found.matches));
    const Rect row{at.x, at.y, width, style.text->FontSize + style.unit};
    context.probe.mark("found." + found.kernel->id, row.x, row.y, row.width, row.height);
    if (clicked(row)) select_kernel(context, *found.kernel);
    ImGui::Dummy({width, row.height - ImGui::GetStyle().ItemSpacing.y});
}

void found_kernels(Context& context, const std::vector<session::Found>& found, const Standing& now,
                   const Standing& shown) {
    const catalog::Catalog& catalog = context.session.catalog();
    const size_t left = context.session.opcodes_left(), all = catalog.kernels.size();
    if (left > 0) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float width = ImGui::GetContentRegionAvail().x;
        text_cut(context, context.style.text, at, width, context.style.colour.dim,
                 say(context, "ladder.searching", all - left, all));
        ImGui::Dummy({width, context.style.text->FontSize});
    } else if (found.empty() && context.session.view().search == context.view.search) { // not of the text before
        return sentence(context, context.tr("ladder.not_found"));
    }
    for (const session::Found& one : found) {
        rung(context, *one.kernel, shown, yardstick(catalog.of_family(one.kernel->family), *one.kernel, now), true);
        reason(context, one);
    }
}

// At the right of the panel's title.
void search_field(Context& context, float left) {
    const Style& style = context.style;
    Chrome& chrome = context.chrome;
    const ImVec2 below = ImGui::GetCursorScreenPos();
    const float right = below.x + ImGui::GetContentRegionAvail().x;
    const float top = below.y - style.heading->FontSize - 2 * style.unit - ImGui::GetStyle().ItemSpacing.y;
    if (right - left < 10 * style.unit) return;
    std::string& search = context.view.search;
    std::array<char, 96> typed{};
    search.copy(typed.data(), typed.size() - 1);
    const SearchWish wish = std::exchange(chrome.search_wish, SearchWish::none);
    if (wish == SearchWish::leave) ImGui::ClearActiveID();
    ImGui::SetCursorScreenPos({left, top});
    ImGui::SetNextItemWidth(right - left);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {style.unit, style.unit / 2});
    const bool enter = text_field("##search", context.tr("ladder.search"), typed,
                                  ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    ImGui::PopStyleVar();
    // The item before: for the one to come ImGui 1.87 to 1.90.1 looks in the child window that had the focus alone.
    if (wish == SearchWish::focus) ImGui::SetKeyboardFocusHere(-1);
    chrome.searching = ImGui::IsItemActive();
    if (wish == SearchWish::leave && chrome.searching)
        chrome.search_wish = wish; // Esc came before the field that was asked for
    const ImVec2 low = ImGui::GetItemRectMin(), size = ImGui::GetItemRectSize();
    context.probe.mark("search", low.x, low.y, size.x, size.y);
    if (!chrome.searching && hovered({low.x, low.y, size.x, size.y}))
        tooltip(context, context.tr("ladder.search_hint"));
    search = wish == SearchWish::leave ? "" : typed.data();
    if (enter) select_rung(context, 0);
    ImGui::SetCursorScreenPos(below);
}

// "TF32 tensor cores                TFLOPS": above rungs that no percentage may be compared with those above.
void arithmetic_heading(Context& context, catalog::OperandType operands) {
    const Style& style = context.style;
    const float number = text_size(style.mono, "00").x + style.unit, width = ImGui::GetContentRegionAvail().x;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float top = at.y + style.unit, unit_width = text_size(style.text, "TFLOPS").x;
    const std::string name = operands == catalog::OperandType::b1
                                 ? operands_text(operands) // by popc or by tensor cores
                                 : unit_text(context.tr, session::unit_of(operands, false));
    text_cut(context, style.text, {at.x + number, top}, width - number - unit_width - style.unit, style.colour.dim,
             name);
    text_right(style.text, {at.x + width, top}, style.colour.dim, "TFLOPS");
    ImGui::Dummy({width, arithmetic_height(style) - ImGui::GetStyle().ItemSpacing.y});
}

// Where does another arithmetic begin that is told in TFLOPS?
bool begins_arithmetic(const catalog::Kernel* before, const catalog::Kernel& kernel, const Yardstick& stick) {
    return !stick.percent && (!before || before->operands != kernel.operands);
}

using Rungs = std::vector<std::shared_ptr<const catalog::Kernel>>;

// Calls f(kernel, its yardstick, does another arithmetic begin with it?).
template <class F>
void each_rung(const Rungs& family, const Standing& now, F f) {
    const catalog::Kernel* before = nullptr;
    for (const auto& kernel : family) {
        const Yardstick stick = yardstick(family, *kernel, now);
        f(*kernel, stick, begins_arithmetic(before, *kernel, stick));
        before = kernel.get();
    }
}

// Every kernel, whether its family is folded or not; of a search those that it found, and why.
Table table(const Context& context, const Standing& now, const Standing& shown) {
    const Strings& tr = context.tr;
    const auto [what, whence] = provenance_words(context, now);
    Table table{.notes = {what},
                .columns = table_columns(tr, {{"ladder.column_family"},
                                              {"ladder.column_rung"},
                                              {"plot.column_kernel"},
                                              {"ladder.column_operands"},
                                              {"plot.column_speed", "GFLOPS"},
                                              {"plot.column_ratio", "%"},
                                              {"code.column_remark"}})};
    if (!whence.empty()) table.notes.push_back(whence);
    const catalog::Catalog& catalog = context.session.catalog();
    const auto add = [&](const catalog::Kernel& kernel, const Yardstick& stick, std::string why) {
        const auto remark = [&](const char* key) { why += (why.empty() ? "" : ", ") + std::string(tr(key)); };
        if (context.view.subject.kernel == kernel.id) remark("compare.current");
        if (context.view.baseline && context.view.baseline->kernel == kernel.id) remark("compare.baseline");
        const auto family = std::find_if(catalog.families.begin(), catalog.families.end(),
                                         [&](const catalog::Family& one) { return one.id == kernel.family; });
        const auto speed = shown.gflops.find(kernel.id);
        const auto share = shown.share.find(kernel.id);
        const bool beside = stick.beside_cublas && share != shown.share.end();
        table.rows.push_back({family == catalog.families.end() ? kernel.family : tr(family->title),
                              std::to_string(kernel.rung), tr(kernel.title), operands_text(kernel.operands),
                              speed == shown.gflops.end() ? "-" : fmt::format("{:.1f}", speed->second),
                              beside ? fmt::format("{:.1f}", 100 * share->second) : "-", why});
    };
    if (!context.view.search.empty()) {
        for (const session::Found& one : context.session.found())
            add(*one.kernel, yardstick(catalog.of_family(one.kernel->family), *one.kernel, now),
                matches_text(tr, one.matches));
        return table;
    }
    for (const catalog::Family& family : catalog.families)
        each_rung(catalog.of_family(family.id), now,
                  [&](const catalog::Kernel& kernel, const Yardstick& stick, bool) { add(kernel, stick, {}); });
    return table;
}

float family_height(const Style& style) { return style.text->FontSize + 2 * style.unit; }

// The heading of a family, with how many kernels it has; clicked, it folds or unfolds them.
void family_heading(Context& context, const catalog::Family& family, size_t kernels) {
    const Style& style = context.style;
    const float unit = style.unit, width = ImGui::GetContentRegionAvail().x, size = style.text->FontSize;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Rect row{at.x - 2 * unit, at.y, width + 2 * unit, family_height(style)};
    context.probe.mark("family." + family.id, row.x, row.y, row.width, row.height);
    std::set<std::string>& open_families = context.view.open_families;
    const bool open = open_families.contains(family.id), over = hovered(row);

    const float top = at.y + unit, middle = top + size / 2, half = 0.25f * size, left = at.x + half;
    const ImU32 ink = over ? style.colour.text : style.colour.dim;
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (open)
        list->AddTriangleFilled({left - half, middle - half / 2}, {left + half, middle - half / 2},
                                {left, middle + half}, ink);
    else
        list->AddTriangleFilled({left - half / 2, middle - half}, {left + half, middle},
                                {left - half / 2, middle + half}, ink);
    const std::string count = std::to_string(kernels);
    const float number = text_size(style.mono, "00").x + unit, count_width = text_size(style.mono, count).x;
    text_cut(context, style.text, {at.x + number, top}, width - number - count_width - unit, ink,
             context.tr(family.title));
    text_right(style.mono, {at.x + width, top + style.text->Ascent - style.mono->Ascent}, style.colour.dim, count);
    ImGui::Dummy({width, row.height - ImGui::GetStyle().ItemSpacing.y});
    if (!clicked(row)) return;
    if (open) {
        open_families.erase(family.id);
    } else {
        open_families.insert(family.id);
        ImGui::SetScrollHereY(0); // or its kernels might open out of sight
    }
}

} // namespace

float ladder_height(const Context& context) {
    const Style& style = context.style;
    const float margins = 5 * style.unit,
                titles = style.heading->FontSize + 2 * style.unit + 2 * style.text->FontSize + style.unit;
    float height = margins + titles;
    for (const catalog::Family& family : context.session.catalog().families) {
        const Rungs kernels = context.session.catalog().of_family(family.id);
        if (kernels.empty()) continue;
        height += family_height(style);
        if (!context.view.open_families.contains(family.id)) continue;
        each_rung(kernels, {}, [&](const catalog::Kernel&, const Yardstick&, bool headed) {
            height += rung_height(style) + (headed ? arithmetic_height(style) : 0);
        });
    }
    return height;
}

void draw_ladder(Context& context) {
    const char* title = context.tr("ladder.title");
    const float right_of_title = ImGui::GetCursorScreenPos().x + text_size(context.style.heading, title).x;
    heading(context, title);
    if (context.chrome.whole_window)
        search_field(context, right_of_title + 3 * context.style.unit); // a slide has nothing to type into
    const Standing now =
        standing_now(context); // the fastest settings: the scale of the bars, which stands still while a slider moves
    const auto current = speed_now(context);
    const Standing shown = current ? with_current(now, *current) : now;
    const bool twin =
        context.view.table && !context.chrome.whole_window; // in the window the list stays, which is chosen from
    if (!twin) provenance(context, now);
    const catalog::Catalog& catalog = context.session.catalog();
    if (catalog.kernels.empty()) return sentence(context, context.tr("ladder.empty"));
    if (twin) return draw_table(context, table(context, now, shown));
    ImGui::BeginChild("rungs", {0, 0}, false, ImGuiWindowFlags_NoNav);
    if (!context.view.search.empty()) {
        found_kernels(context, context.session.found(), now, shown);
        return ImGui::EndChild();
    }
    for (const catalog::Family& family : catalog.families) {
        const auto kernels = catalog.of_family(family.id);
        if (kernels.empty()) continue;
        const bool open = context.view.open_families.contains(family.id);
        family_heading(context, family, kernels.size());
        if (!open) continue;
        each_rung(kernels, now, [&](const catalog::Kernel& kernel, const Yardstick& stick, bool headed) {
            if (headed) arithmetic_heading(context, kernel.operands);
            rung(context, kernel, shown, stick);
        });
    }
    ImGui::EndChild();
}

} // namespace ui
