#include "ui/memory/access_list.h"

#include "ui/code/code_links.h"

#include <map>

namespace ui {

namespace {

struct Row { // instructions of one opcode on one source line
    int line = 0;
    std::string opcode;
    std::vector<uint32_t> pcs;
    uint64_t executed = 0, cost = 0, ideal = 0; // cost: wavefronts or sectors
    bool load = true;
    bool holds(uint32_t pc) const { return std::find(pcs.begin(), pcs.end(), pc) != pcs.end(); }
};

std::vector<Row> rows_of(const CodeLinks& links, trace::Space space) {
    std::map<std::pair<int, std::string>, Row> rows;
    const auto& instructions = links.listing()->instructions;
    for (uint32_t pc = 0; pc < instructions.size(); ++pc) {
        const trace::Instruction& instruction = instructions[pc];
        const trace::InstructionCounts* counts = links.counts(pc);
        const bool both = instruction.kind == trace::Kind::async_copy; // reads global, writes shared memory
        if (!counts || counts->executed == 0 || (instruction.space != space && !both)) continue;
        Row& row = rows[{instruction.source_line, instruction.mnemonic}];
        row.line = instruction.source_line, row.opcode = instruction.mnemonic;
        row.load = space == trace::Space::global ? instruction.kind != trace::Kind::store
                                                 : instruction.kind == trace::Kind::load;
        row.pcs.push_back(pc);
        row.executed += counts->executed;
        row.cost += space == trace::Space::shared ? counts->wavefronts : counts->sectors;
        row.ideal += space == trace::Space::shared ? counts->wavefronts_ideal : counts->sectors_ideal;
    }
    std::vector<Row> sorted;
    for (auto& [key, row] : rows) sorted.push_back(std::move(row));
    std::stable_sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) { return a.cost > b.cost; });
    return sorted;
}

class List {
public:
    List(Context& context, const AccessShown& shown, trace::Space space, const Rect& area)
        : context_(context), style_(context.style), links_(context.session), shown_(shown), space_(space), area_(area),
          digit_(text_size(style_.mono, "0").x) {
        line_ = std::round(style_.mono->FontSize * 1.4f);
    }

    void draw() {
        if (!links_.listing() || links_.stale() || area_.height < 4 * line_ || area_.width < 60 * digit_) return;
        const std::vector<Row> rows = rows_of(links_, space_);
        if (rows.empty()) return;
        most_ = std::max<uint64_t>(rows.front().cost, 1);
        float y = area_.y;
        heading(y);
        for (const Row& row : rows) {
            if (y + line_ > area_.bottom()) break;
            draw_row(row, {area_.x, y, area_.width, line_});
            y += line_;
        }
    }

private:
    // Right edges of the numbers' columns.
    float executed() const { return area_.x + 40 * digit_; }
    float cost() const { return executed() + 13 * digit_; }
    float ideal() const { return cost() + 13 * digit_; }
    float bar() const { return ideal() + 3 * digit_; }

    void heading(float& y) {
        const bool shared = space_ == trace::Space::shared;
        text_cut(context_, style_.text, {area_.x, y}, executed() - 11 * digit_ - area_.x, style_.colour.dim,
                 context_.tr(shared ? "access.all_shared" : "access.all_global"));
        text_right(style_.text, {executed(), y}, style_.colour.dim, context_.tr("code.column_executed"));
        text_right(style_.text, {cost(), y}, style_.colour.dim,
                   context_.tr(shared ? "code.column_wavefronts" : "code.column_sectors"));
        text_right(style_.text, {ideal(), y}, style_.colour.dim, context_.tr("code.column_ideal"));
        text_cut(context_, style_.text, {bar(), y}, std::max(area_.right() - bar(), 0.0f), style_.colour.dim,
                 say(context_, shared ? "access.counted" : "access.counted_sectors", executed_program(context_)));
        y += line_;
        fill({area_.x, y - style_.unit / 2, area_.width, 1}, style_.colour.line);
    }

    void draw_row(const Row& row, const Rect& box) {
        const bool current = row.holds(context_.session.products().block.value->trace.events[shown_.event].pc);
        const float y = box.y + (box.height - style_.mono->FontSize) / 2;
        const bool over = hovered(box);
        if (current || over) fill(box, with_alpha(style_.colour.selection, current ? 0.16f : 0.08f));
        const ImU32 colour = row.load ? style_.colour.load : style_.colour.store,
                    ink = current ? style_.colour.text : style_.colour.dim;
        fill({box.x, box.y + 2, style_.unit / 2, box.height - 4}, colour);
        text_right(style_.mono, {box.x + 6 * digit_, y}, style_.colour.dim,
                   row.line > 0 ? std::to_string(row.line) : std::string());
        const std::string name =
            row.pcs.size() > 1 ? fmt::format("{} \u00d7{}", row.opcode, row.pcs.size()) : row.opcode;
        text_cut(context_, style_.mono, {box.x + 8 * digit_, y}, 22 * digit_, style_.colour.text, name);
        text_right(style_.mono, {executed(), y}, ink, thousands(row.executed));
        text_right(style_.mono, {cost(), y}, style_.colour.text, thousands(row.cost));
        text_right(style_.mono, {ideal(), y}, ink, thousands(row.ideal));
        draw_bar(row, {bar(), box.y + box.height / 4, box.right() - bar() - style_.unit, box.height / 2}, colour);
        context_.probe.mark(fmt::format("access.line.{}", row.line), box.x, box.y, box.width, box.height);
        if (over) context_.view.hover.source_line = row.line;
        if (!clicked(box)) return;
        const session::Selection& selection = context_.session.view().selection;
        if (const auto event =
                links_.next_event(selection.warp, selection.event, [&](uint32_t pc) { return row.holds(pc); }))
            context_.view.selection.event = *event;
    }

    // What it costs as a share of the costliest; the part beyond the ideal hatched.
    void draw_bar(const Row& row, const Rect& room, ImU32 colour) const {
        if (room.width < 8 * style_.unit) return;
        const auto pixels = [&](uint64_t amount) {
            return room.width * static_cast<float>(static_cast<double>(amount) / static_cast<double>(most_));
        };
        const float needed = pixels(std::min(row.ideal, row.cost)), whole = pixels(row.cost);
        fill({room.x, room.y, needed, room.height}, colour);
        if (whole - needed < 1) return;
        const Rect excess{room.x + needed, room.y, whole - needed, room.height};
        fill(excess, with_alpha(colour, 0.2f));
        hatch(excess, with_alpha(colour, 0.8f), 1.5f * style_.unit);
    }

    Context& context_;
    const Style& style_;
    CodeLinks links_;
    const AccessShown& shown_;
    trace::Space space_;
    Rect area_;
    float digit_, line_ = 0;
    uint64_t most_ = 1;
};

} // namespace

void draw_access_list(Context& context, const AccessShown& shown, trace::Space space, const Rect& area) {
    List(context, shown, space, area).draw();
}

} // namespace ui
