#include "catalog/breaks.h"
#include "ui/code/breaks.h"
#include "ui/code/code_links.h"
#include "ui/code/code_view.h"
#include "ui/code/diff_view.h"
#include "ui/code/editor.h"
#include "ui/code/editor_bar.h"
#include "ui/code/findings.h"
#include "ui/code/program_view.h"
#include "ui/code/wait_margin.h"
#include "ui/draw/draw.h"
#include "ui/draw/grid.h"
#include "ui/draw/kept.h"
#include "ui/draw/text_table.h"
#include "ui/panel.h"
#include "views/lines.h"
#include "views/opcode.h"
#include "views/run_words.h"

#include <algorithm>
#include <set>

namespace ui {
namespace {

using Lines = std::vector<std::string_view>;

// What stands in the pane is the user's own text, not what the session executes: as it is typed.
const Editor* edited_by(const Context& context) {
    return context.editor && context.editor->shows_own_text() ? context.editor : nullptr;
}

// The line of the pane where a line of the executed text is, and the reverse; 0: it is not there any more.
int shown_line(const Context& context, int executed) {
    const Editor* editor = edited_by(context);
    return editor ? editor->shown_line(executed) : executed;
}

int executed_line(const Context& context, int shown) {
    const Editor* editor = edited_by(context);
    return editor ? editor->compiled_line(shown) : shown;
}

void set(std::vector<LineMark>& marks, int line, LineMark mark) { // 1-based; the stronger mark stays
    if (line < 1 || static_cast<size_t>(line) > marks.size()) return;
    LineMark& old = marks[static_cast<size_t>(line) - 1];
    old = std::max(old, mark);
}

std::vector<LineMark> source_marks(const Context& context, const CodeLinks& links, size_t lines) {
    std::vector<LineMark> marks(lines, LineMark::none);
    if (links.stale()) return marks;
    const auto at = [&](int line) { return shown_line(context, line); };
    set(marks, at(links.hovered_source_line()), LineMark::hovered);
    const LinesToShow& told = context.chrome.lines_to_show;
    for (size_t line = told.first; line > 0 && line <= std::min<size_t>(told.last, lines); ++line)
        set(marks, at(static_cast<int>(line)), LineMark::linked);
    set(marks, at(links.kernel_line(links.current_pc())), LineMark::call);
    set(marks, at(links.source_line(links.current_pc())), LineMark::current);
    return marks;
}

// What the compiler said, each at its line (1-based; 0: on top).
const std::vector<compile::Diagnostic>* diagnostics(const Context& context) {
    if (const Editor* editor = edited_by(context); editor && editor->edited()) return &editor->document()->faults;
    const auto& prepared = context.session.products().prepared;
    const bool failed = prepared.face == session::Slot<session::Prepared>::Face::failed && prepared.failed;
    return failed ? &prepared.failed->diagnostics : nullptr;
}

// Where the compiler or the checks have found something.
std::vector<bool> flagged_lines(const Context& context, const CodeLinks& links, size_t lines) {
    std::vector<bool> flagged(lines, false);
    if (const auto* said = diagnostics(context))
        for (const compile::Diagnostic& one : *said)
            if (one.line > 0 && static_cast<size_t>(one.line) <= lines)
                flagged[static_cast<size_t>(one.line) - 1] = true;
    if (links.stale()) return flagged;
    if (const auto* findings = findings_of(context.session.products()))
        for (const trace::Finding& finding : *findings)
            if (const int line = shown_line(context, finding.source_line);
                line > 0 && static_cast<size_t>(line) <= lines)
                flagged[static_cast<size_t>(line) - 1] = true;
    return flagged;
}

void append_remarks(const Context& context, std::vector<CodeRow>& rows, const std::vector<compile::Diagnostic>* said,
                    int line) {
    if (!said) return;
    for (const compile::Diagnostic& one : *said)
        if (one.line == line) rows.push_back({CodeRow::Kind::remark, std::max(line - 1, 0), context.tr(one.text)});
}

std::set<int> lines_broken(const Context& context) {
    const auto kernel = context.session.kernel();
    if (!kernel || context.view.subject.breaks.empty()) return {};
    const auto lines = catalog::broken_lines(*kernel, context.view.subject.breaks);
    return {lines.begin(), lines.end()};
}

// Above the first line that a planted mistake changes, what it is.
void append_breaks(const Context& context, std::vector<CodeRow>& rows, int line) {
    const auto kernel = context.session.kernel();
    if (!kernel) return;
    for (const catalog::Break& one : kernel->breaks) {
        if (!context.view.subject.breaks.contains(one.name)) continue;
        const auto changed = catalog::broken_lines(*kernel, {one.name});
        if (!changed.empty() && changed.front() == line)
            rows.push_back({CodeRow::Kind::remark, line - 1, say(context, "breaks.line", context.tr(one.label))});
    }
}

std::vector<CodeRow> source_rows(const Context& context, const Lines& lines, bool unfolded) {
    std::vector<CodeRow> rows;
    const auto* said = diagnostics(context);
    const bool edited =
        edited_by(context) && edited_by(context)->edited(); // said of what was typed, not of what was executed
    if (said && said->empty() && !edited)
        rows.push_back({CodeRow::Kind::remark, 0, context.tr(context.session.products().prepared.failed->error)});
    append_remarks(context, rows, said, 0);
    const int front = front_matter_lines(lines);
    if (front > 0)
        rows.push_back(
            {CodeRow::Kind::fold, unfolded ? 0 : front, say(context, unfolded ? "code.fold" : "code.unfold", front)});
    const std::set<int> broken = lines_broken(context);
    for (int line = unfolded ? 0 : front; line < static_cast<int>(lines.size()); ++line) {
        if (broken.contains(line + 1)) append_breaks(context, rows, line + 1);
        rows.push_back({CodeRow::Kind::line, line, {}});
        append_remarks(context, rows, said, line + 1);
    }
    return rows;
}

void go_to(Context& context, std::optional<uint32_t> event) {
    if (event) context.view.selection.event = *event;
}

// By whose instructions counts are, and by whose rule.
const char* rule_key(const Context& context) {
    return engine_of(context.session.products()) == trace::Engine::ptx ? "code.rule" : "code.rule_machine";
}

std::string counts_sentence(const Context& context, const LineCounts& counts) {
    std::string sentence = say(context, "code.executed", thousands(counts.executed), executed_program(context));
    if (counts.transfers)
        sentence += "\n" +
                    say(context, "code.transfers", thousands(counts.transfers), thousands(counts.transfers_ideal)) +
                    "\n" + context.tr(rule_key(context));
    return sentence;
}

// The line that was clicked, while its moment is shown: the text stays where it was read. 0: none.
struct ClickedLine {
    Kept<int> line{"clicked line"}, event{"clicked event", -1};
};

void act_on_source(Context& context, const CodeLinks& links, const std::vector<LineCounts>& counts,
                   const CodeHit& hit) {
    if (context.editor) context.editor->take_mouse(context, hit);
    if (hit.fold_clicked) {
        Kept<bool> unfolded("unfolded");
        unfolded = !unfolded;
    }
    if (hit.hovered >= 0 && !links.stale()) {
        context.view.hover.source_line = std::max(executed_line(context, hit.hovered + 1), -1);
        const auto line = static_cast<size_t>(hit.hovered);
        if (hit.in_margin && counts[line].executed) tooltip(context, counts_sentence(context, counts[line]));
    }
    const session::Selection& now = context.session.view().selection;
    const bool places_cursor = context.editor && context.editor->focused() && !hit.in_margin;
    if (hit.clicked < 0 || links.stale() || places_cursor) return;
    const int line = executed_line(context, hit.clicked + 1);
    if (line == 0) return;
    auto event = links.next_event(now.warp, now.event, [&](uint32_t pc) { return links.source_line(pc) == line; });
    if (!event) // a call of what was inlined
        event = links.next_event(now.warp, now.event, [&](uint32_t pc) { return links.kernel_line(pc) == line; });
    if (!event) return;
    ClickedLine clicked;
    clicked.line = line, clicked.event = static_cast<int>(*event);
    go_to(context, event);
}

// The line to be seen: the compiler's first complaint; what was clicked, what a lesson shows or the checks have found, at its moment;
// else the line of the kernel's own body that executes the step, not that of a function above it. Before anything is executed the
// kernel's first line.
int line_to_show(const Context& context, const CodeLinks& links, const CodeView& view) {
    if (const auto* said = diagnostics(context); said && !said->empty()) {
        int first = 0;
        for (const compile::Diagnostic& one : *said)
            if (one.line > 0 && (first == 0 || one.line < first)) first = one.line;
        return first;
    }
    const auto kernel = context.session.kernel();
    const int begin = kernel ? function_line(*view.lines, kernel->function) : 0;
    const auto at = [&](int line) { return shown_line(context, line); };
    if (links.stale() || links.current_pc() < 0) return begin;
    const int line = at(links.source_line(links.current_pc())), call = at(links.kernel_line(links.current_pc()));
    const ClickedLine clicked;
    const bool is_clicked = clicked.event == static_cast<int>(context.view.selection.event);
    if (is_clicked && (clicked.line == line || clicked.line == call)) return clicked.line;
    if (context.chrome.lines_to_show.first > 0) return static_cast<int>(context.chrome.lines_to_show.first);
    const bool flagged =
        line > 0 && static_cast<size_t>(line) <= view.flagged.size() && view.flagged[static_cast<size_t>(line) - 1];
    if (flagged || line == 0) return line ? line : begin;
    return call;
}

// Of lines that stand in both texts.
std::vector<LineCounts> counts_of_lines(const Context& context, const CodeLinks& links, size_t lines) {
    std::vector<LineCounts> counts(lines);
    if (links.stale()) return counts;
    if (!edited_by(context)) return links.source_counts(lines);
    const auto executed = links.source_counts(base::lines(edited_by(context)->document()->compiled).size());
    for (size_t line = 0; line < lines; ++line)
        if (const int of = executed_line(context, static_cast<int>(line) + 1); of > 0 && of <= std::ssize(executed))
            counts[line] = executed[static_cast<size_t>(of) - 1];
    return counts;
}

std::vector<WaitRow> wait_rows(const CodeLinks& links) {
    if (!links.time() || links.stale()) return {};
    return waits_by_line(links.time()->shown->run.lost, *links.listing());
}

WaitsOfLines waits_of_lines(const Context& context, const std::vector<WaitRow>& rows, size_t lines) {
    WaitsOfLines waits(lines, nullptr);
    for (const WaitRow& row : rows)
        if (const int line = shown_line(context, row.line); line > 0 && static_cast<size_t>(line) <= lines)
            waits[static_cast<size_t>(line) - 1] = &row;
    return waits;
}

// The description is folded away until someone opens it, or the cursor or a fault is there.
bool is_unfolded(const Context& context, const Lines& lines) {
    Kept<bool> unfolded("unfolded");
    const Editor* editor = edited_by(context);
    if (!editor) return unfolded;
    const int front = front_matter_lines(lines);
    const edit::Text& text = editor->document()->text;
    if (editor->focused() && static_cast<int>(text.place_of(text.cursor()).line) < front) unfolded = true;
    for (const compile::Diagnostic& fault : editor->document()->faults)
        if (fault.line > 0 && fault.line <= front) unfolded = true;
    return unfolded;
}

void draw_text(Context& context, const CodeLinks& links, const catalog::Kernel& kernel) {
    const Editor* editor = edited_by(context);
    const std::string source = editor ? editor->document()->text.text() : executed_source(kernel, context.view.subject);
    const Lines lines = split_lines(source);
    CodeView view{.id = "source", .syntax = Syntax::cuda, .lines = &lines};
    view.rows = source_rows(context, lines, is_unfolded(context, lines));
    view.marks = source_marks(context, links, lines.size());
    view.counts = counts_of_lines(context, links, lines.size());
    const std::vector<WaitRow> rows = wait_rows(links);
    const WaitsOfLines waits = waits_of_lines(context, rows, lines.size());
    if (links.is_timed()) add_wait_columns(context, view, waits);
    view.flagged = flagged_lines(context, links, lines.size());
    view.of = kernel.id;
    view.show_line = line_to_show(context, links, view) - 1;
    CodeEdit edit;
    if (context.editor && context.editor->document()) edit = edit_marks(*context.editor), view.edit = &edit;
    const int line = links.stale() ? 0 : links.source_line(links.current_pc());
    const float free = free_area().height, row = context.style.mono->FontSize * 1.25f;
    const int over = links.stale() ? 0 : links.hovered_source_line();
    const int peek = over ? over : line;
    const bool writing = context.editor && context.editor->focused(); // the room is the text's
    const bool room = free > 18 * row && peek > 0 && links.listing() && !links.stale() && !writing;
    const float peek_height = room ? std::max(6 * row, free * 0.28f) : 0;
    if (room) view.height = free - peek_height;
    const Rect area = free_area();
    const CodeHit hit = draw_code_view(context, view);
    act_on_source(context, links, view.counts, hit);
    if (hit.over_column && hit.hovered >= 0)
        if (const WaitRow* lost = waits[static_cast<size_t>(hit.hovered)])
            tooltip(context, waits_text(context.tr, context.session.products().judged, *lost));
    if (writing) // where the keys go
        ImGui::GetWindowDrawList()->AddRect({area.x - 1, area.y - 1}, {area.right() + 1, area.bottom() + 1},
                                            context.style.colour.selection, 0, 0,
                                            std::max(context.style.unit / 2, 1.0f));
    if (room) draw_peek(context, links, peek, peek_height);
}

void draw_source(Context& context, const CodeLinks& links) {
    const auto kernel = context.session.kernel();
    if (!kernel) return sentence(context, context.tr("code.no_kernel"));
    context.chrome.source_drawn = true;
    draw_editor_bar(context);
    if (context.editor && context.editor->shown() == Editor::Shown::versions) return draw_versions(context);
    if (context.editor && context.editor->shown() == Editor::Shown::difference) {
        const Editor::Document& document = *context.editor->document();
        const auto sample = context.editor->sample_text();
        return sample ? draw_diff(context, *sample, document.text.text())
                      : sentence(context, context.tr("edit.no_sample"));
    }
    draw_text(context, links, *kernel);
}

// One row per line: its text, its margin, and what is remarked on it.
Table source_table(const Context& context, const CodeLinks& links) {
    const Strings& tr = context.tr;
    const auto kernel = context.session.kernel();
    if (!kernel) return {.notes = {tr("code.no_kernel")}};
    Table table{.notes = {say(context, "code.margin", executed_program(context))},
                .columns = table_columns(tr, {{"code.column_line"},
                                              {"code.source"},
                                              {"code.column_executed"},
                                              {"code.column_transfers"},
                                              {"code.column_ideal"},
                                              {"time.lost"},
                                              {"time.reason"},
                                              {"code.column_remark"}})};
    const std::string source = executed_source(*kernel, context.view.subject);
    const Lines lines = split_lines(source);
    const auto counts = links.stale() ? std::vector<LineCounts>(lines.size()) : links.source_counts(lines.size());
    const std::vector<WaitRow> all_waits = wait_rows(links);
    const WaitsOfLines waits = waits_of_lines(context, all_waits, lines.size());
    if (!all_waits.empty()) table.notes.emplace_back(tr("time.lost_tip"));
    const int now = links.stale() ? 0 : links.source_line(links.current_pc());
    const auto* findings = findings_of(context.session.products());
    std::string remarks;
    const auto remark = [&](const std::string& words) { remarks += (remarks.empty() ? "" : "; ") + words; };
    for (const CodeRow& row : source_rows(context, lines, false)) {
        if (row.kind == CodeRow::Kind::fold) continue;
        const auto at = static_cast<size_t>(row.line);
        const int line = row.line + 1;
        if (row.kind == CodeRow::Kind::remark) { // of the compiler, or of a planted mistake
            table.rows.push_back({std::to_string(line), "", "", "", "", "", "", row.text});
            continue;
        }
        remarks.clear();
        if (line == now) remark(tr("code.this_step"));
        for (size_t i = 0; findings && !links.stale() && i < findings->size(); ++i)
            if ((*findings)[i].source_line == line) remark(tr((*findings)[i].text));
        const auto number = [](uint64_t value) { return value ? thousands(value) : std::string(); };
        const WaitRow* lost = waits[at] && waits[at]->lost > 0 ? waits[at] : nullptr;
        table.rows.push_back({std::to_string(line), std::string(lines[at]), number(counts[at].executed),
                              number(counts[at].transfers), number(counts[at].transfers_ideal),
                              lost ? thousands(lost->lost) : "", lost ? wait_name(tr, lost->reasons.front().why) : "",
                              remarks});
    }
    return table;
}

// What is executed, which all views follow; and where that is not what was asked for, why.
void draw_engine_choice(Context& context) {
    const Style& style = context.style;
    const Rect area = free_area();
    const auto& prepared = context.session.products().prepared;
    const base::Sentence why = prepared.value ? prepared.value->fallback : base::Sentence();
    if (!context.chrome.whole_window && why.empty()) return; // a slide has nothing to click
    const std::array labels{ButtonLabel{"engine.machine", context.tr("engine.machine")},
                            ButtonLabel{"engine.ptx", context.tr("engine.ptx")}};
    session::Engine& wanted = context.view.subject.engine;
    float start = area.right();
    const int pressed = button_row(context, labels, area.x, area.right(), area.y + style.unit,
                                   wanted == session::Engine::machine ? 0 : 1, &start);
    if (pressed >= 0) wanted = pressed == 0 ? session::Engine::machine : session::Engine::ptx;
    const std::string words =
        why.empty() ? std::string(context.tr("engine.executes")) : say(context, "engine.fallback", context.tr(why));
    const float room = start - area.x - 2 * style.unit, used = std::min(text_size(style.text, words).x, room);
    const float x = why.empty() ? start - used - 2 * style.unit : area.x;
    text_cut(context, style.text, {x, area.y + style.unit}, room, why.empty() ? style.colour.dim : style.colour.alarm,
             words);
    const Rect line{x, area.y, area.right() - x, style.text->FontSize + 3 * style.unit};
    context.probe.mark("engine", line.x, line.y, line.width, line.height);
    if (hovered(line))
        tooltip(context,
                context.tr("engine.tip") +
                    (why.empty() ? std::string()
                                 : fmt::format("\n{}\n{}", context.tr("engine.fallback_tip"), context.tr(why))));
    ImGui::Dummy({area.width, line.height});
}

} // namespace

void draw_code(Context& context) {
    using session::CodeTab;
    const Strings& tr = context.tr;
    const CodeLinks links(context.session);
    const Rect place = free_area();
    if (context.editor) context.editor->set_place(place.x, place.y, place.width, place.height);
    const auto shown = context.view.code_tab;
    const bool executes =
        shown == CodeTab::source ||
        (links.listing() && (links.listing()->engine == trace::Engine::ptx) == (shown == CodeTab::ptx));
    const bool counts = shows_executed(context.style, place.width, executes && links.is_timed());
    const int tab =
        tab_row(context, "code", {tr("code.source"), tr("code.ptx"), tr("code.machine")}, static_cast<int>(shown),
                say(context, counts ? "code.margin" : "code.margin_narrow", executed_program(context)));
    context.view.code_tab = static_cast<CodeTab>(tab);
    const auto engine = context.view.code_tab == CodeTab::ptx ? trace::Engine::ptx : trace::Engine::machine;
    const bool source = context.view.code_tab == CodeTab::source;
    if (context.view.table)
        return draw_table(context, source ? source_table(context, links) : program_table(context, links, engine));
    draw_engine_choice(context);
    if (source) draw_source(context, links);
    else draw_program(context, links, engine);
}

} // namespace ui
