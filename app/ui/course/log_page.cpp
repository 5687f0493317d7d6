#include "ui/course/log_page.h"

#include "ui/course/stage.h"
#include "ui/course/start_page.h"
#include "ui/draw/grid.h"
#include "views/lines.h"
#include "views/log_words.h"
#include "views/plot_data.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ui {
namespace {

using catalog::OperandType;

constexpr double longest_bar = 1.5; // times cuBLAS

// All of them, and each type of operands that has a step.
std::vector<std::optional<OperandType>> filters(const Context& context) {
    std::set<std::optional<OperandType>> found{std::nullopt}; // first: nothing is less than anything
    for (const LogChapter& chapter : context.tr.log()) found.emplace(chapter.operands);
    return {found.begin(), found.end()};
}

void choose_filter(Context& context, std::optional<OperandType> operands) {
    Chrome& chrome = context.chrome;
    chrome.log_operands = operands;
    const auto chosen = find_step(context.tr.log(), chrome.log_step);
    const auto shown = entries(context.tr.log(), operands);
    if (operands && (!chosen || chosen->chapter->operands != *operands))
        chrome.log_step = shown.empty() ? std::string() : shown.front().step->id;
    chrome.log_moved = true;
}

// The one that was chosen, else the one that is seen.
size_t place_of(const Context& context, const std::vector<LogEntry>& shown) {
    const std::string& id = context.chrome.log_step.empty() ? context.view.course.log : context.chrome.log_step;
    const auto is_it = [&](const LogEntry& entry) { return entry.step->id == id; };
    const auto found = std::find_if(shown.begin(), shown.end(), is_it);
    return found == shown.end() ? 0 : static_cast<size_t>(found - shown.begin());
}

void choose(Context& context, const LogEntry& entry) {
    context.chrome.log_step = entry.step->id;
    context.chrome.log_moved = true;
}

// Everything that the pictures are computed from is the step's; how they look stays the reader's.
void see(Context& context, const LogEntry& entry) {
    const LogScene& scene = entry.step->scene;
    session::View& view = context.view;
    view.subject = {};
    view.subject.kernel = scene.kernel;
    view.subject.problem = scene.size;
    view.baseline.reset();
    if (!scene.baseline.empty()) {
        view.baseline = view.subject;
        view.baseline->kernel = scene.baseline;
    }
    view.subject.parameters = scene.parameters;
    view.selection = {};
    view.marked.reset();
    view.what_if = {};
    view.playing = view.table = false;
    view.code_tab = scene.machine ? session::CodeTab::machine : session::CodeTab::source;
    view.speed_problem = entry.step->measured.front().size;
    view.course = {};
    view.course.log = entry.step->id;
    leave_stage(view);
    show_view(view, scene.view);
    context.chrome.page = Page::none;
    context.chrome.log_event.reset();
}

class LogPage {
public:
    LogPage(Context& context, const Rect& area)
        : context_(context), style_(context.style), tr_(context.tr), area_(area),
          shown_(entries(context.tr.log(), context.chrome.log_operands)) {}

    void draw() {
        const float top = head();
        if (shown_.empty()) return;
        const float gap = 6 * style_.unit, height = area_.bottom() - top;
        const bool stacked = area_.width < 42 * style_.text->FontSize;
        const Rect list = stacked ? Rect{area_.x, top, area_.width, std::floor(height * 0.4f)}
                                  : Rect{area_.x, top, std::floor(area_.width * 0.47f), height};
        const Rect told = stacked ? Rect{area_.x, list.bottom() + gap, area_.width, height - list.height - gap}
                                  : Rect{list.right() + gap, top, area_.width - list.width - gap, height};
        const size_t chosen = place_of(context_, shown_);
        draw_list(list, chosen);
        draw_step(told, shown_[place_of(context_, shown_)]);
        context_.chrome.log_moved = false;
    }

private:
    // Title, filters, one sentence. Returns where they end.
    float head() {
        const auto all = filters(context_);
        std::vector<std::string> names;
        std::vector<ButtonLabel> labels;
        for (const auto& one : all) names.push_back(one ? fmt::format("log.{}", catalog::name_of(*one)) : "log.all");
        int on = 0;
        for (size_t i = 0; i < all.size(); ++i) {
            labels.push_back({names[i].c_str(), all[i] ? operands_text(*all[i]) : tr_("log.all")});
            if (all[i] == context_.chrome.log_operands) on = static_cast<int>(i);
        }
        text(style_.title, {area_.x, area_.y}, style_.colour.text, tr_("log.title"));
        const float drop = (style_.title->FontSize - style_.text->FontSize) / 2;
        const float title = text_size(style_.title, tr_("log.title")).x + 6 * style_.unit;
        const int pressed = button_row(context_, labels, area_.x + title, area_.right(), area_.y + drop, on);
        if (pressed >= 0) choose_filter(context_, all[static_cast<size_t>(pressed)]);
        if (pressed >= 0) shown_ = entries(tr_.log(), context_.chrome.log_operands);
        const float y = area_.y + style_.title->FontSize + style_.unit;
        return y + text_wrapped(style_.text, {area_.x, y}, area_.width, style_.colour.dim, tr_("log.about")) +
               3 * style_.unit;
    }

    void draw_list(const Rect& area, size_t chosen) {
        ImGui::SetCursorScreenPos({area.x, area.y});
        ImGui::BeginChild("log steps", {area.width, area.height}, false, ImGuiWindowFlags_NoNav);
        const Rect inner = free_area();
        const float width = inner.width - 3 * style_.unit;
        float y = inner.y;
        const LogChapter* chapter = nullptr;
        for (size_t i = 0; i < shown_.size(); ++i) {
            if (shown_[i].chapter != chapter) {
                chapter = shown_[i].chapter;
                y += i ? 2 * style_.unit : 0;
                text_cut(context_, style_.text, {inner.x, y}, width, style_.colour.dim,
                         fmt::format("{} · {}", operands_text(chapter->operands), tr_(chapter->title)));
                y += style_.text->FontSize + style_.unit;
            }
            y += draw_row({inner.x, y, width, row_height()}, shown_[i], i == chosen) + style_.unit;
        }
        ImGui::SetCursorScreenPos({inner.x, inner.y});
        ImGui::Dummy({width, y - inner.y});
        ImGui::EndChild();
    }

    float row_height() const { return std::ceil(style_.heading->FontSize + style_.text->FontSize + 3 * style_.unit); }

    float draw_row(const Rect& row, const LogEntry& entry, bool chosen) {
        const LogStep& step = *entry.step;
        const LogFigure& figure = step.measured.front();
        const bool over = hovered(row);
        context_.probe.mark("log.step." + step.id, row.x, row.y, row.width, row.height);
        fill(row, mixed(style_.colour.panel, style_.colour.text, over || chosen ? 0.09f : 0.04f));
        if (chosen) fill({row.x, row.y, style_.unit, row.height}, style_.colour.selection);
        const float number = text_size(style_.mono, "00").x + 2 * style_.unit, x = row.x + 3 * style_.unit + number,
                    right = row.right() - 2 * style_.unit;
        const ImU32 ink = step.kept ? style_.colour.text : style_.colour.dim;
        const float drop = style_.heading->Ascent - style_.mono->Ascent;
        text_right(style_.mono, {x - 2 * style_.unit, row.y + style_.unit + drop}, style_.colour.dim,
                   std::to_string(entry.number));
        const std::string outcome = step.kept ? std::string() : outcome_text(tr_, step);
        const float outcome_width = step.kept ? 0 : text_size(style_.text, outcome).x + 3 * style_.unit;
        text_cut(context_, style_.heading, {x, row.y + style_.unit}, right - x - outcome_width, ink, tr_(step.title));
        if (!step.kept) dead_end({right, row.y + style_.unit}, outcome);
        const float y = row.y + style_.unit + style_.heading->FontSize;
        const std::string size = size_text(figure.size.m, figure.size.n, figure.size.k);
        const float size_width = text_size(style_.text, size).x + 2 * style_.unit;
        const float bar = figure.ratio() > 0 ? std::floor((right - x) * 0.2f) : 0,
                    words = bar > 0 ? bar + 2 * style_.unit : 0;
        if (bar > 0)
            draw_bar({x, y + style_.text->FontSize * 0.3f, bar, style_.text->FontSize * 0.55f}, figure, step.kept);
        text_cut(context_, style_.text, {x + words, y}, right - x - words - size_width, ink, value_text(tr_, figure));
        text_right(style_.text, {right, y}, style_.colour.dim, size);
        if (clicked(row)) choose(context_, entry);
        if (chosen && (context_.chrome.log_moved || ImGui::IsWindowAppearing()))
            ImGui::SetScrollFromPosY(row.y - ImGui::GetWindowPos().y + row.height / 2, 0.5f);
        return row.height;
    }

    // Words, and a cross before them: no colour alone.
    void dead_end(ImVec2 upper_right, const std::string& words) {
        const float size = style_.text->FontSize, width = text_size(style_.text, words).x;
        text_right(style_.text, upper_right, style_.colour.alarm, words);
        const float reach = size * 0.22f, x = upper_right.x - width - 2 * style_.unit - reach,
                    y = upper_right.y + size / 2;
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddLine({x - reach, y - reach}, {x + reach, y + reach}, style_.colour.alarm, style_.data_line(1));
        list->AddLine({x - reach, y + reach}, {x + reach, y - reach}, style_.colour.alarm, style_.data_line(1));
    }

    // cuBLAS is the line at 1; the value before the step is a notch.
    void draw_bar(const Rect& bar, const LogFigure& figure, bool kept) {
        const double ratio = figure.ratio(), before = figure.ratio_before();
        const auto at = [&](double share) {
            return std::floor(bar.width * static_cast<float>(std::min(share, longest_bar) / longest_bar));
        };
        fill(bar, mixed(style_.colour.panel, style_.colour.text, 0.07f));
        const Rect length{bar.x, bar.y, at(ratio), bar.height};
        if (kept) fill(length, style_.colour.c);
        else hatch(length, style_.colour.c, 1.5f * style_.unit), outline(length, style_.colour.c);
        const float thick = std::max(style_.type, 1.0f);
        if (before > 0)
            fill({bar.x + at(before), bar.y + bar.height / 2, thick, bar.height / 2}, style_.colour.background);
        fill({bar.x + at(1), bar.y - style_.unit / 2, thick, bar.height + style_.unit}, style_.colour.text);
    }

    void draw_step(const Rect& area, const LogEntry& entry) {
        const LogStep& step = *entry.step;
        ImGui::SetCursorScreenPos({area.x, area.y});
        ImGui::PushID(step.id.c_str()); // each is scrolled by itself
        ImGui::BeginChild("log step", {area.width, area.height}, false, ImGuiWindowFlags_NoNav);
        if (context_.chrome.log_scroll != 0)
            ImGui::SetScrollY(ImGui::GetScrollY() +
                              static_cast<float>(context_.chrome.log_scroll) * 2 * style_.caption->FontSize);
        context_.chrome.log_scroll = 0;
        const Rect inner = free_area();
        width_ = inner.width - 3 * style_.unit, x_ = inner.x, y_ = inner.y;
        say_in(style_.title, style_.colour.text, tr_(step.title));
        const auto kernel = context_.session.catalog().find(entry.chapter->kernel);
        say_in(style_.text, step.kept ? style_.colour.dim : style_.colour.alarm,
               say(context_, "log.led_to", outcome_text(tr_, step),
                   kernel ? std::string(tr_(kernel->title)) : entry.chapter->kernel));
        y_ += 2 * style_.unit;
        draw_see(entry);
        part("log.hypothesis", tr_(step.hypothesis));
        if (tr_(step.setting)[0]) part("log.setting", tr_(step.setting));
        part("log.predicted", predicted_text(tr_, step));
        std::string figures;
        for (const LogFigure& figure : step.measured)
            figures += (figures.empty() ? "" : "\n") + figure_text(tr_, figure);
        part("log.measured", figures);
        if (tr_(step.cause)[0]) part("log.cause", tr_(step.cause));
        say_in(style_.text, style_.colour.dim, measured_on(tr_, entry));
        say_in(style_.text, style_.colour.dim, tr_(entry.chapter->how));
        ImGui::SetCursorScreenPos({inner.x, inner.y});
        ImGui::Dummy({width_, y_ - inner.y});
        ImGui::EndChild();
        ImGui::PopID();
    }

    void draw_see(const LogEntry& entry) {
        const PanelRow* row = find_panel(entry.step->scene.view);
        if (!row) return;
        const std::string label = say(context_, "log.see", tr_(row->title));
        ImGui::SetCursorScreenPos({x_, y_});
        if (button(context_, "log.see", label.c_str())) see(context_, entry);
        y_ += style_.text->FontSize + 3 * style_.unit;
        say_in(style_.text, style_.colour.text, tr_(entry.step->scene.look));
        y_ += 2 * style_.unit;
    }

    void part(const char* label, const std::string& words) {
        say_in(style_.text, style_.colour.dim, tr_(label));
        say_in(style_.caption, style_.colour.text, words);
        y_ += 2 * style_.unit;
    }

    void say_in(ImFont* font, ImU32 colour, const std::string& words) {
        y_ += text_wrapped(font, {x_, y_}, width_, colour, words);
    }

    Context& context_;
    const Style& style_;
    const Strings& tr_;
    Rect area_;
    std::vector<LogEntry> shown_;
    float x_ = 0, y_ = 0, width_ = 0; // of the step that is told
};

} // namespace

void open_log(Context& context, std::string_view kernel) {
    open_page(context, Page::log);
    Chrome& chrome = context.chrome;
    chrome.log_moved = true;
    const auto all = entries(context.tr.log());
    const auto is_of = [&](const LogEntry& entry) { return tells_of(entry, kernel); };
    const auto first = kernel.empty() ? all.end() : std::find_if(all.begin(), all.end(), is_of);
    if (first != all.end()) chrome.log_operands.reset(), chrome.log_step = first->step->id;
    else if (chrome.log_step.empty() && has_log_line(context)) chrome.log_step = context.view.course.log;
    else if (chrome.log_step.empty() && !all.empty()) chrome.log_step = all.front().step->id;
}

void draw_log(Context& context, const Rect& area) { LogPage(context, area).draw(); }

bool log_takes(Context& context, const KeyPress& press) {
    const auto shown = entries(context.tr.log(), context.chrome.log_operands);
    const auto all = filters(context);
    const auto to_filter = [&](int64_t by) {
        const auto now = std::find(all.begin(), all.end(), context.chrome.log_operands) - all.begin();
        choose_filter(context, all[static_cast<size_t>(std::clamp<int64_t>(now + by, 0, std::ssize(all) - 1))]);
        return true;
    };
    const auto to_step = [&](int64_t by) {
        if (shown.empty()) return true;
        const int64_t now = static_cast<int64_t>(place_of(context, shown));
        choose(context, shown[static_cast<size_t>(std::clamp<int64_t>(now + by, 0, std::ssize(shown) - 1))]);
        return true;
    };
    const bool by_text = press.modifiers == with_shift && (press.key == GLFW_KEY_UP || press.key == GLFW_KEY_DOWN);
    if (by_text) return context.chrome.log_scroll += press.key == GLFW_KEY_UP ? -1 : 1, true;
    switch (press.key) {
    case GLFW_KEY_LEFT: return to_filter(-1);
    case GLFW_KEY_RIGHT: return to_filter(1);
    case GLFW_KEY_UP:
    case GLFW_KEY_PAGE_UP: return to_step(-1);
    case GLFW_KEY_DOWN:
    case GLFW_KEY_PAGE_DOWN: return to_step(1); // a clicker's, too
    case GLFW_KEY_HOME: return to_step(-std::ssize(shown));
    case GLFW_KEY_END: return to_step(std::ssize(shown));
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
        if (!shown.empty()) see(context, shown[place_of(context, shown)]);
        return true;
    default: return false;
    }
}

void follow_log(Context& context) {
    const auto entry = find_step(context.tr.log(), context.view.course.log);
    const auto kernel = context.session.kernel();
    if (!entry || entry->step->scene.source.empty() || !kernel || kernel->id != entry->step->scene.kernel) return;
    using Face = session::Slot<session::BlockRun>::Face;
    const uint32_t event = context.session.view().selection.event;
    if (!context.chrome.log_event && context.session.products().block.face == Face::ready)
        context.chrome.log_event = event;
    if (context.chrome.log_event && *context.chrome.log_event != event) return;
    const int line = line_with(split_lines(kernel->source), entry->step->scene.source);
    context.chrome.lines_to_show = {static_cast<uint32_t>(line), static_cast<uint32_t>(line)};
}

bool log_tells_of(const Context& context, std::string_view kernel) {
    for (const LogChapter& chapter : context.tr.log()) // in every frame: without the list that entries() makes
        for (const LogStep& step : chapter.steps)
            if (tells_of({&chapter, &step}, kernel)) return true;
    return false;
}

bool has_log_line(const Context& context) { return find_step(context.tr.log(), context.view.course.log).has_value(); }

void draw_log_line(Context& context, const Rect& line) {
    const Style& style = context.style;
    const auto entry = find_step(context.tr.log(), context.view.course.log);
    fill(line, mixed(style.colour.panel, style.colour.text, 0.06f));
    text_cut(context, style.text, {line.x + 2 * style.unit, line.y + style.unit}, line.width - 4 * style.unit,
             style.colour.dim,
             say(context, "log.line", std::string(context.tr(entry->step->title)),
                 std::string(context.tr(entry->step->scene.look))));
    context.probe.mark("log.line", line.x, line.y, line.width, line.height);
    if (clicked(line)) open_log(context);
}

} // namespace ui
