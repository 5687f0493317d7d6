#include "ui/code/program_view.h"

#include "ui/code/breaks.h"
#include "ui/code/program_text.h"
#include "ui/code/wait_margin.h"
#include "ui/draw/draw.h"
#include "ui/draw/grid.h"
#include "ui/draw/text_table.h"
#include "views/lines.h"
#include "views/opcode.h"

#include <algorithm>
#include <numeric>

namespace ui {
namespace {

using trace::Control;
using trace::Engine;

LineMark mark_of(ProgramText::Step step) {
    switch (step) {
    case ProgramText::Step::executed: return LineMark::current;
    case ProgramText::Step::counterpart: return LineMark::call;
    case ProgramText::Step::of_its_source_line: return LineMark::linked;
    case ProgramText::Step::none: break;
    }
    return LineMark::none;
}

LineMark mark_of(const Context& context, const CodeLinks& links, const ProgramText& text, size_t line) {
    const int64_t hovered = context.session.view().hover.pc;
    const int over = links.hovered_source_line();
    const bool is_over = (hovered >= 0 && text.executes(line, static_cast<uint32_t>(hovered))) ||
                         (over > 0 && text.source_line(line) == over);
    const LineMark mark = mark_of(text.step(line));
    return is_over ? std::max(mark, LineMark::hovered) : mark;
}

Syntax syntax_of(const ProgramText& text) { return text.engine() == Engine::machine ? Syntax::sass : Syntax::ptx; }

// "0, 1": the numbers of the bits.
std::string bits_text(uint8_t mask) {
    std::string text;
    for (int bit = 0; bit < 8; ++bit)
        if (mask >> bit & 1) text += (text.empty() ? "" : ", ") + std::to_string(bit);
    return text;
}

std::string scoreboard(uint8_t number) { return number == Control::none ? "" : std::to_string(number); }

struct ControlColumn {
    const char* key; // of its head; its tooltip is key + "_tip"
    int characters;
    std::string (*cell)(const Control&);
};
constexpr ControlColumn control_columns[] = {
    {"machine.stall", 3, [](const Control& c) { return std::to_string(c.stall); }},
    {"machine.yield", 1, [](const Control& c) { return std::string(c.yield ? "Y" : ""); }},
    {"machine.write", 1, [](const Control& c) { return scoreboard(c.write_barrier); }},
    {"machine.read", 1, [](const Control& c) { return scoreboard(c.read_barrier); }},
    {"machine.wait", 4,
     [](const Control& c) {
         std::string text = bits_text(c.wait_mask);
         std::erase_if(text, [](char one) { return one == ',' || one == ' '; });
         return text;
     }},
};

// What machine code calls a line, and PTX.
std::string label_of(const ProgramText& text, size_t line) {
    return text.engine() == Engine::machine ? fmt::format("{:04x}", line * trace::instruction_bytes)
                                            : std::to_string(line + 1);
}

void add_control(const Context& context, const ProgramText& text, CodeView& view) {
    for (const ControlColumn& column : control_columns) {
        CodeColumn& made = view.columns.emplace_back();
        made.head = context.tr(column.key);
        made.tip = context.tr(std::string(column.key) + "_tip");
        made.characters = column.characters;
        for (size_t line = 0; line < text.lines().size(); ++line)
            made.cells.push_back(column.cell(text.machine(line)->control));
    }
    for (size_t line = 0; line < text.lines().size(); ++line) view.labels.push_back(label_of(text, line));
    view.label_head = context.tr("machine.address");
}

// What ptxas scheduled, in words.
std::string control_words(const Context& context, const Control& c) {
    std::string words = say(context, "machine.says_stall", static_cast<int>(c.stall));
    const auto add = [&](const std::string& more) { words += "\n" + more; };
    if (c.yield) add(context.tr("machine.says_yield"));
    if (c.write_barrier != Control::none) add(say(context, "machine.says_write", static_cast<int>(c.write_barrier)));
    if (c.read_barrier != Control::none) add(say(context, "machine.says_read", static_cast<int>(c.read_barrier)));
    if (c.wait_mask) add(say(context, "machine.says_wait", bits_text(c.wait_mask)));
    std::string reused;
    for (int operand = 0; operand < 3; ++operand)
        if (c.reuse >> operand & 1)
            reused += (reused.empty() ? "" : ", ") + std::string(1, static_cast<char>('A' + operand));
    if (!reused.empty()) add(say(context, "machine.says_reuse", reused));
    return words;
}

std::string counts_words(const Context& context, const trace::InstructionCounts& counts) {
    std::string words = say(context, "code.executed", thousands(counts.executed), executed_program(context));
    if (counts.wavefronts)
        words +=
            "\n" + say(context, "code.wavefronts", thousands(counts.wavefronts), thousands(counts.wavefronts_ideal));
    if (counts.sectors)
        words += "\n" + say(context, "code.sectors", thousands(counts.sectors), thousands(counts.sectors_ideal));
    return words;
}

// What warps lose before each instruction; empty: no time is known of this program.
std::vector<WaitRow> wait_rows(const CodeLinks& links, const ProgramText& text) {
    if (!links.time() || !text.executed()) return {};
    return waits_by_instruction(links.time()->shown->run.lost, *links.listing());
}

// Opcode, what it does, how often it ran; of machine code how it is scheduled and what it was made from.
void explain(Context& context, const CodeLinks& links, const ProgramText& text, size_t line) {
    const std::string_view opcode = text.opcode(line);
    if (opcode.empty()) return;
    std::string words(opcode);
    const auto add = [&](const std::string& more) { words += more.empty() ? "" : "\n" + more; };
    add(opcode_help(context.tr, opcode));
    if (const auto pc = text.pc(line); pc && text.executed())
        if (const trace::InstructionCounts* counts = links.counts(*pc)) add(counts_words(context, *counts));
    for (const WaitRow& row : wait_rows(links, text))
        if (text.pc(line) == row.pc && row.lost > 0)
            add(waits_text(context.tr, context.session.products().judged, row));
    if (const trace::MachineInstruction* i = text.machine(line)) add(control_words(context, i->control));
    if (const int ptx = text.ptx_line(line); ptx > 0)
        add(say(context, "machine.from_ptx", ptx, with_short_names(text.ptx(ptx))));
    tooltip(context, words);
}

void act(Context& context, const CodeLinks& links, const ProgramText& text, const CodeHit& hit) {
    if (hit.hovered >= 0) {
        const auto line = static_cast<size_t>(hit.hovered);
        if (const auto pc = text.pc(line); pc && text.executed()) context.view.hover.pc = *pc;
        else if (text.source_line(line) > 0) context.view.hover.source_line = text.source_line(line);
        explain(context, links, text, line);
    }
    if (hit.clicked < 0) return;
    const auto line = static_cast<size_t>(hit.clicked);
    const session::Selection& now = context.session.view().selection;
    auto event = links.next_event(now.warp, now.event, [&](uint32_t pc) { return text.executes(line, pc); });
    const int source = text.source_line(line);
    if (!event && !text.executed() && source > 0)
        event = links.next_event(now.warp, now.event, [&](uint32_t pc) { return links.source_line(pc) == source; });
    if (event) context.view.selection.event = *event;
}

CodeView view_of(const Context& context, const CodeLinks& links, const ProgramText& text, const char* id) {
    CodeView view{.id = id, .syntax = syntax_of(text), .lines = &text.lines()};
    for (size_t line = 0; line < text.lines().size(); ++line) view.marks.push_back(mark_of(context, links, text, line));
    if (text.executed()) view.counts = links.text_counts(text.lines().size());
    if (text.engine() == Engine::machine) add_control(context, text, view);
    if (links.is_timed() && text.executed()) {
        const std::vector<WaitRow> rows = wait_rows(links, text);
        WaitsOfLines waits(text.lines().size(), nullptr);
        for (const WaitRow& row : rows)
            if (const size_t line = text.instructions()[static_cast<size_t>(row.pc)]; line < waits.size())
                waits[line] = &row;
        add_wait_columns(context, view, waits);
    }
    view.show_line = text.line_of_step();
    return view;
}

uint64_t lost_cycles(const timing::Lost& one) {
    return std::accumulate(one.cycles.begin(), one.cycles.end(), uint64_t{0}) - one[timing::Wait::selected];
}

// What is lost before the instructions of these lines, with signs as long as among those of all lines.
void add_waits(const Context& context, const CodeLinks& links, const ProgramText& text,
               const std::vector<size_t>& lines, CodeView& view) {
    if (!links.is_timed()) return;
    std::vector<WaitRow> rows(lines.size());
    WaitsOfLines waits;
    uint64_t most = 1;
    if (const session::TimedBlock* time = links.time()) {
        const std::vector<timing::Lost>& lost = time->shown->run.lost;
        for (const timing::Lost& one : lost) most = std::max(most, lost_cycles(one));
        for (size_t i = 0; i < lines.size(); ++i)
            if (const auto pc = text.pc(lines[i]); pc && *pc < lost.size()) rows[i] = all_waits({&lost[*pc], 1});
    }
    for (const WaitRow& row : rows) waits.push_back(&row);
    add_wait_columns(context, view, waits, most);
}

// One line of the source that the instructions in question come from, above them.
void draw_origin(Context& context, const CodeLinks& links) {
    const int over = links.hovered_source_line();
    const int line = over ? over : links.source_line(links.current_pc());
    const auto kernel = context.session.kernel();
    const Rect area = free_area();
    std::string shown = context.tr("code.no_origin");
    if (kernel && line > 0) {
        const std::string source = executed_source(*kernel, context.view.subject);
        const std::vector<std::string_view> lines = split_lines(source);
        if (static_cast<size_t>(line) <= lines.size()) {
            std::string_view origin = lines[static_cast<size_t>(line) - 1];
            origin.remove_prefix(std::min(origin.find_first_not_of(" \t"), origin.size()));
            shown = say(context, "code.origin", line) + "  " + std::string(origin);
        }
    }
    text_cut(context, context.style.mono, {area.x, area.y}, area.width, context.style.colour.dim, shown);
    ImGui::Dummy({0, context.style.mono->FontSize});
}

// What ptxas reported and what the file is, each with its meaning.
std::string facts_words(const Context& context, const compile::MachineCode& code) {
    const compile::Resources& used = code.resources;
    const struct {
        const char* key;
        std::string value;
        const char* unit;
    } facts[] = {{"machine.arch", code.arch, nullptr},
                 {"machine.registers", std::to_string(used.registers), "machine.per_thread"},
                 {"machine.static_shared", thousands(used.static_shared_bytes), "machine.bytes_per_block"},
                 {"machine.stack", thousands(used.stack_bytes), "machine.bytes_per_thread"},
                 {"machine.spill_stores", thousands(used.spill_store_bytes), "machine.bytes_per_thread"},
                 {"machine.spill_loads", thousands(used.spill_load_bytes), "machine.bytes_per_thread"},
                 {"machine.cubin", thousands(code.cubin.size()), "machine.bytes"},
                 {"machine.entry", code.entry, nullptr}};
    std::string words;
    for (const auto& fact : facts)
        words += fmt::format("{}{}: {} {}", words.empty() ? "" : "\n", context.tr(fact.key), fact.value,
                             fact.unit ? context.tr(fact.unit) : "");
    return words;
}

void draw_facts(Context& context, const ProgramText& text) {
    const auto& code = context.session.products().machine.value;
    if (!code) return;
    const compile::Resources& used = code->resources;
    std::string words = say(context, "machine.facts", code->arch, used.registers, thousands(used.static_shared_bytes),
                            thousands(uint64_t{used.spill_store_bytes} + used.spill_load_bytes));
    const Rect area = free_area();
    const Style& style = context.style;
    text_cut(context, style.text, {area.x, area.y}, area.width, style.colour.dim, words);
    if (hovered({area.x, area.y, area.width, style.text->FontSize})) tooltip(context, facts_words(context, *code));
    ImGui::Dummy({area.width, style.text->FontSize});
    if (text.executed()) return;
    const ImVec2 below = ImGui::GetCursorScreenPos();
    text_cut(context, style.text, below, area.width, style.colour.text, context.tr("machine.not_executed"));
    ImGui::Dummy({area.width, style.text->FontSize});
}

// ".loc 1 297 9": half of the text, and the line above says it.
bool is_location(std::string_view line) {
    const size_t first = line.find_first_not_of(" \t");
    return first != std::string_view::npos && (line.substr(first, 5) == ".loc\t" || line.substr(first, 5) == ".loc ");
}

} // namespace

void draw_program(Context& context, const CodeLinks& links, Engine engine) {
    const session::Products& products = context.session.products();
    if (!face(context, products.prepared) || !links.listing()) return;
    const ProgramText text(links, products, engine);
    if (text.lines().empty()) {
        if (!face(context, products.machine)) return;
        const bool made = products.machine.face == session::Slot<compile::MachineCode>::Face::ready;
        return sentence(context, context.tr(made ? "machine.none" : "face.computing"));
    }
    draw_origin(context, links);
    if (engine == Engine::machine) draw_facts(context, text);
    CodeView view = view_of(context, links, text, engine == Engine::ptx ? "ptx" : "sass");
    for (int line = 0; line < static_cast<int>(text.lines().size()); ++line)
        if (engine == Engine::machine || !is_location(text.lines()[static_cast<size_t>(line)]))
            view.rows.push_back({CodeRow::Kind::line, line, {}});
    act(context, links, text, draw_code_view(context, view));
}

void draw_peek(Context& context, const CodeLinks& links, int line, float height) {
    const ProgramText text(links, context.session.products(), links.listing()->engine);
    std::vector<size_t> shown;
    for (size_t at = 0; at < text.lines().size(); ++at)
        if (text.source_line(at) == line && !text.opcode(at).empty()) shown.push_back(at);
    std::vector<std::string> words;
    for (const size_t at : shown) words.push_back(with_short_names(text.lines()[at]));
    const std::vector<std::string_view> lines(words.begin(), words.end());
    const std::string of = std::to_string(line);
    const std::vector<LineCounts> counts = links.text_counts(text.lines().size());
    const int step = text.line_of_step();
    CodeView view{.id = "peek", .syntax = syntax_of(text), .lines = &lines, .heads = false, .of = of};
    for (const size_t at : shown) {
        const auto row = static_cast<int>(view.rows.size());
        if (step == static_cast<int>(at)) view.show_line = row;
        view.rows.push_back({CodeRow::Kind::line, row, {}});
        view.marks.push_back(mark_of(context, links, text, at));
        view.counts.push_back(counts[at]);
        view.labels.push_back(label_of(text, at));
    }
    add_waits(context, links, text, shown, view);
    // There is little room, and mangled names are long: what is lost stands there alone.
    std::erase_if(view.columns, [](const CodeColumn& column) { return column.signs.empty(); });
    const Style& style = context.style;
    const Rect area = free_area();
    ImGui::GetWindowDrawList()->AddLine({area.x, area.y}, {area.right(), area.y}, style.colour.line);
    text_cut(context, style.text, {area.x, area.y + style.unit}, area.width, style.colour.dim,
             say(context, "code.peek", line, view.rows.size(), executed_program(context)));
    ImGui::Dummy({0, style.text->FontSize + style.unit});
    view.height = std::max(1.0f, height - style.text->FontSize - 3 * style.unit);
    CodeHit hit = draw_code_view(context, view);
    for (int* one : {&hit.hovered, &hit.clicked})
        if (*one >= 0) *one = static_cast<int>(shown[static_cast<size_t>(*one)]);
    act(context, links, text, hit);
}

Table program_table(const Context& context, const CodeLinks& links, Engine engine) {
    if (!links.listing()) return {.notes = {context.tr("face.empty")}};
    const ProgramText text(links, context.session.products(), engine);
    if (text.lines().empty()) return {.notes = {context.tr("machine.none")}};
    const bool machine = engine == Engine::machine;
    Table table{.columns = table_columns(context.tr, {{machine ? "machine.address" : "code.column_pc"},
                                                      {"code.column_line"},
                                                      {machine ? "engine.machine" : "engine.ptx"}})};
    const auto more = [&](const char* key) { table.columns.push_back({context.tr(key)}); };
    if (machine)
        for (const ControlColumn& column : control_columns) more(column.key);
    if (text.executed())
        for (const char* key : {"code.column_executed", "code.column_wavefronts", "code.column_ideal",
                                "code.column_sectors", "code.column_ideal"})
            more(key);
    const std::vector<WaitRow> waits = wait_rows(links, text);
    std::vector<const WaitRow*> by_pc(text.instructions().size(), nullptr);
    for (const WaitRow& row : waits) by_pc[static_cast<size_t>(row.pc)] = &row;
    if (!waits.empty()) {
        table.notes.emplace_back(context.tr("time.lost_tip"));
        for (const char* key : {"time.lost", "time.reason"}) more(key);
    }
    for (uint32_t pc = 0; pc < text.instructions().size(); ++pc) {
        const size_t line = text.instructions()[pc];
        if (line >= text.lines().size()) continue;
        std::string_view words = text.lines()[line];
        words.remove_prefix(std::min(words.find_first_not_of(" \t"), words.size()));
        std::vector<std::string> row{machine ? fmt::format("{:04x}", pc * trace::instruction_bytes)
                                             : std::to_string(pc),
                                     std::to_string(text.source_line(line)), std::string(words)};
        if (machine)
            for (const ControlColumn& column : control_columns) row.push_back(column.cell(text.machine(line)->control));
        if (const auto* counts = text.executed() ? links.counts(pc) : nullptr)
            for (const uint64_t value : {counts->executed, counts->wavefronts, counts->wavefronts_ideal,
                                         counts->sectors, counts->sectors_ideal})
                row.push_back(thousands(value));
        if (const WaitRow* lost = by_pc[pc]; lost && lost->lost > 0 && links.counts(pc))
            for (const std::string& cell :
                 {thousands(lost->lost), std::string(wait_name(context.tr, lost->reasons.front().why))})
                row.push_back(cell);
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace ui
