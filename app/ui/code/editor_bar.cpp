#include "ui/code/editor_bar.h"

#include "ui/code/code_view.h"
#include "ui/draw/draw.h"
#include "ui/draw/grid.h"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

using Shown = Editor::Shown;

enum class Act { compile, edit, difference, versions, restore, back };

struct Choice {
    Act act;
    ButtonLabel label;
    const char* about; // key of its tooltip
};

// The most important first.
std::vector<Choice> choices(const Context& context, const Editor& editor, const Editor::Document& document) {
    const auto& tr = context.tr;
    std::vector<Choice> all;
    if (editor.shown() != Shown::text) all.push_back({Act::back, {"edit.back", tr("edit.back")}, "edit.about_back"});
    if (editor.edited()) all.push_back({Act::compile, {"edit.compile", tr("edit.compile")}, "edit.about_compile"});
    if (!editor.focused() && editor.shown() == Shown::text)
        all.push_back({Act::edit, {"edit.begin", tr("edit.begin")}, "edit.about_begin"});
    if (document.sample || editor.shown() != Shown::text) return all;
    all.push_back({Act::difference, {"edit.difference", tr("edit.difference")}, "edit.about_difference"});
    all.push_back({Act::versions, {"edit.versions", tr("edit.versions")}, "edit.about_versions"});
    all.push_back({Act::restore, {"edit.restore", tr("edit.restore")}, "edit.about_restore"});
    return all;
}

void act(Context& context, Editor& editor, Act what) {
    switch (what) {
    case Act::compile: return editor.compile(context);
    case Act::edit: return editor.begin(context);
    case Act::difference: return editor.show(Shown::difference);
    case Act::versions: return editor.show(Shown::versions);
    case Act::restore: return editor.restore_sample(context);
    case Act::back: return editor.show(Shown::text);
    }
}

std::string state_words(const Context& context, const Editor& editor, const Editor::Document& document) {
    if (editor.shown() == Shown::difference) return context.tr("edit.shows_difference");
    if (editor.shown() == Shown::versions) return context.tr("edit.shows_versions");
    if (document.sample) return context.tr(editor.focused() ? "edit.sample_begun" : "edit.sample");
    if (!editor.edited()) return context.tr("edit.compiled");
    const auto is_error = [](const compile::Diagnostic& one) { return one.error; };
    const auto errors = std::count_if(document.faults.begin(), document.faults.end(), is_error);
    if (errors > 0) return say(context, "edit.faults", errors);
    return context.tr("edit.edited");
}

float line_height(const Style& style) { return std::round(style.text->FontSize + 2 * style.unit); }

// Where the buttons begin; the right edge where there is no room for one.
float draw_choices(Context& context, Editor& editor, std::vector<Choice> all, float left, const Rect& line) {
    const Style& style = context.style;
    float start = line.right();
    for (; !all.empty(); all.pop_back()) { // as many as there is room for
        std::vector<ButtonLabel> labels;
        for (const Choice& one : all) labels.push_back(one.label);
        const int pressed = button_row(context, labels, left, line.right(), line.y + style.unit, -1, &start);
        if (pressed >= 0) act(context, editor, all[static_cast<size_t>(pressed)].act);
        if (start < line.right()) break;
    }
    float x = start;
    for (const Choice& one : all) { // what each does, under the mouse
        const float width = text_size(style.text, one.label.label).x + 4 * style.unit;
        if (hovered({x, line.y, width, line.height})) tooltip(context, context.tr(one.about));
        x += width + style.unit;
    }
    return start;
}

float width_of(const Style& style, const std::vector<Choice>& all) {
    float width = 0;
    for (const Choice& one : all) width += text_size(style.text, one.label.label).x + 5 * style.unit;
    return width;
}

// One line, or two where name, words and buttons have no room beside each other.
void draw_file_line(Context& context, Editor& editor, const Editor::Document& document) {
    const Style& style = context.style;
    const Rect area = free_area();
    const Rect line{area.x, area.y, area.width, line_height(style)};
    const std::string name = document.file.filename().string(), words = state_words(context, editor, document);
    const float drop = style.text->Ascent - style.mono->Ascent, y = line.y + style.unit;
    const float told = text_size(style.mono, name).x + text_size(style.text, words).x + 6 * style.unit;
    std::vector<Choice> all = choices(context, editor, document);
    const bool beside = told + width_of(style, all) <= line.width || all.size() <= 1;
    const Rect below{line.x, line.bottom() + style.unit, line.width, line.height};
    const float end = beside ? draw_choices(context, editor, all, line.x + line.width * 0.3f, line) : line.right();
    if (!beside) { // from the left, where they are read after the words
        while (!all.empty() && width_of(style, all) > line.width) all.pop_back();
        const float width = width_of(style, all) - style.unit;
        draw_choices(context, editor, all, line.x - style.unit, {line.x, below.y, width, line.height});
    }
    const float used = text_cut(context, style.mono, {line.x, y + drop}, std::max(end - line.x - 3 * style.unit, 1.0f),
                                style.colour.text, name);
    const float x = line.x + used + 3 * style.unit;
    const bool marked = editor.edited() && editor.shown() == Shown::text;
    text_cut(context, style.text, {x, y}, std::max(end - 3 * style.unit - x, 1.0f),
             marked ? mixed(style.colour.text, style.colour.selection, 0.75f) : style.colour.dim, words);
    context.probe.mark("edit.file", line.x, line.y, std::max(end - line.x, 1.0f), line.height);
    if (marked && hovered({x, line.y, end - x, line.height})) tooltip(context, context.tr("edit.about_edited"));
    ImGui::SetCursorScreenPos({line.x, (beside ? line : below).bottom() + style.unit});
}

// Another program has written the file while there are edits here.
void draw_conflict(Context& context, Editor& editor) {
    const Style& style = context.style;
    const Rect area = free_area();
    const Rect band{area.x, area.y, area.width, line_height(style)};
    fill(band, with_alpha(style.colour.finding, 0.22f));
    fill({band.x, band.y, style.unit, band.height}, style.colour.finding);
    const ButtonLabel labels[] = {{"edit.mine", context.tr("edit.mine")}, {"edit.theirs", context.tr("edit.theirs")}};
    float start = band.right();
    const int pressed =
        button_row(context, labels, band.x + 2 * style.unit, band.right(), band.y + style.unit, -1, &start);
    text_cut(context, style.text, {band.x + 2 * style.unit, band.y + style.unit},
             std::max(start - band.x - 4 * style.unit, 1.0f), style.colour.text, context.tr("edit.conflict"));
    if (hovered({band.x, band.y, start - band.x, band.height})) tooltip(context, context.tr("edit.about_conflict"));
    if (pressed == 0) editor.keep_mine();
    if (pressed == 1) editor.take_theirs(context);
    ImGui::SetCursorScreenPos({area.x, band.bottom() + style.unit / 2});
}

// "Find  text|      3 of 12", the number of the place that is selected.
void draw_search(Context& context, const Editor& editor, const Editor::Document& document) {
    const Style& style = context.style;
    const Rect area = free_area();
    const Rect field{area.x, area.y, area.width, line_height(style)};
    fill(field, mixed(style.colour.panel, style.colour.text, 0.08f));
    if (editor.focused()) outline(field, style.colour.selection);
    const auto& found = editor.found();
    const auto here = std::find(found.begin(), found.end(), document.text.selection());
    const std::string count = editor.wanted().text().empty() ? std::string(context.tr("edit.find_hint"))
                              : found.empty()                ? std::string(context.tr("edit.not_found"))
                              : here == found.end()
                                  ? say(context, "edit.found", found.size())
                                  : say(context, "edit.found_at", here - found.begin() + 1, found.size());
    const float y = field.y + style.unit, end = field.right() - 2 * style.unit;
    text_right(style.text, {end, y}, style.colour.dim, count);
    const char* label = context.tr("edit.find");
    text(style.text, {field.x + 2 * style.unit, y}, style.colour.dim, label);
    const float x = field.x + text_size(style.text, label).x + 4 * style.unit;
    const std::string& wanted = editor.wanted().text();
    text_cut(context, style.mono, {x, y + style.text->Ascent - style.mono->Ascent},
             std::max(end - text_size(style.text, count).x - x, 1.0f), style.colour.text, wanted);
    const edit::Range chosen = editor.wanted().selection();
    const auto width = [&](size_t bytes) { return text_size(style.mono, std::string_view(wanted).substr(0, bytes)).x; };
    if (!chosen.empty())
        fill({x + width(chosen.first), y, width(chosen.last) - width(chosen.first), style.text->FontSize},
             with_alpha(style.colour.load, 0.42f));
    if (editor.focused())
        fill({std::floor(x + width(editor.wanted().cursor())), y, std::max(std::round(style.unit / 2), 2.0f),
              style.text->FontSize},
             style.colour.text);
    context.probe.mark("edit.search", field.x, field.y, field.width, field.height);
    ImGui::SetCursorScreenPos({area.x, field.bottom() + style.unit / 2});
}

} // namespace

void draw_editor_bar(Context& context) {
    if (!context.editor || !context.editor->document()) return;
    Editor& editor = *context.editor;
    const Editor::Document& document = *editor.document();
    draw_file_line(context, editor, document);
    if (document.theirs) draw_conflict(context, editor);
    if (editor.finding() && editor.shown() == Shown::text) draw_search(context, editor, document);
}

void draw_versions(Context& context) {
    Editor& editor = *context.editor;
    const Style& style = context.style;
    const auto& rows = editor.versions();
    if (rows.empty()) return sentence(context, context.tr("edit.no_versions"));
    ImGui::BeginChild("versions");
    const float height = line_height(style) + style.unit;
    for (size_t i = 0; i < rows.size(); ++i) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const Rect row{at.x, at.y, ImGui::GetContentRegionAvail().x, height};
        const bool over = hovered(row), chosen = i == editor.version_choice();
        if (chosen || over) fill(row, with_alpha(style.colour.selection, chosen ? 0.16f : 0.09f));
        if (chosen) fill({row.x, row.y, style.unit, row.height}, style.colour.selection);
        const float y = row.y + (height - style.text->FontSize) / 2;
        const std::string change = rows[i].added + rows[i].removed == 0
                                       ? std::string(context.tr("edit.version_same"))
                                       : say(context, "edit.version_change", rows[i].added, rows[i].removed);
        const float right = row.right() - 2 * style.unit, needed = text_size(style.text, change).x + 4 * style.unit;
        text_right(style.text, {right, y}, style.colour.dim, change);
        text_cut(context, style.text, {row.x + 3 * style.unit, y}, std::max(row.width - needed - 5 * style.unit, 1.0f),
                 style.colour.text,
                 rows[i].time.empty() ? std::string(context.tr("edit.version_sample")) : rows[i].time);
        context.probe.mark("edit.version." + std::to_string(i), row.x, row.y, row.width, row.height);
        if (over) tooltip(context, context.tr("edit.about_version"));
        if (clicked(row)) {
            editor.take_version(context, i);
            break; // the rows are others now
        }
        ImGui::Dummy({row.width, height - ImGui::GetStyle().ItemSpacing.y});
    }
    ImGui::EndChild();
}

CodeEdit edit_marks(Editor& editor) {
    const edit::Text& text = editor.document()->text;
    CodeEdit marks;
    marks.focused = editor.focused() && !editor.finding();
    const edit::Place at = text.place_of(text.cursor());
    marks.line = static_cast<int>(at.line), marks.column = at.column;
    marks.reveal = editor.take_reveal();
    const auto add = [&](std::vector<CodeEdit::Span>& spans, const edit::Range& range) {
        const edit::Place first = text.place_of(range.first), last = text.place_of(range.last);
        for (size_t line = first.line; line <= last.line; ++line)
            spans.push_back({static_cast<int>(line), line == first.line ? first.column : 0,
                             line == last.line ? last.column : std::string::npos});
    };
    if (!text.selection().empty()) add(marks.selected, text.selection());
    constexpr size_t most_found = 500; // in sight are a hundred lines
    const auto& found = editor.found();
    for (size_t i = 0; i < std::min(found.size(), most_found); ++i) add(marks.found, found[i]);
    if (!editor.edited()) return marks;
    marks.changed.resize(text.lines());
    for (size_t line = 0; line < text.lines(); ++line)
        marks.changed[line] = editor.compiled_line(static_cast<int>(line) + 1) == 0 && !text.line(line).empty();
    return marks;
}

} // namespace ui
