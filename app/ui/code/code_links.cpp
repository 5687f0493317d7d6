#include "ui/code/code_links.h"

namespace ui {
namespace {

// Products of one subject become ready at different times; only those of the same program may be set side by
// side.
bool same_program(const trace::Listing& a, const trace::Listing& b) {
    return &a == &b || (a.instructions.size() == b.instructions.size() && a.text == b.text);
}

// While a newer program is being compiled the old one is shown; if only a tile parameter has moved it is of
// the same source, and its lines stay linked, so that nothing flickers under a dragged slider. Its entry's
// (mangled) name tells.
bool of_shown_source(const session::Session& session) {
    using Face = session::Slot<session::Prepared>::Face;
    const auto& prepared = session.products().prepared;
    if (prepared.face == Face::ready) return true;
    const auto kernel = session.kernel();
    if (prepared.face != Face::computing || !prepared.value || !prepared.value->ptx || !kernel) return false;
    const std::string mangled = "_Z" + std::to_string(kernel->function.size()) + kernel->function;
    return prepared.value->ptx->entry.compare(0, mangled.size(), mangled) == 0;
}

int line_shown(const trace::Instruction& i) { return i.source_file == 0 ? i.source_line : 0; }

} // namespace

CodeLinks::CodeLinks(const session::Session& session) {
    const session::Products& products = session.products();
    stale_ = !of_shown_source(session);
    hover_ = session.view().hover;
    if (!products.prepared.value || !products.prepared.value->listing) return;
    listing_ = products.prepared.value->listing.get();
    if (const auto& block = products.block.value;
        block && block->trace.listing && same_program(*block->trace.listing, *listing_))
        trace_ = &block->trace;
    if (const auto& grid = products.grid.value; grid && grid->counts.size() == listing_->instructions.size())
        counts_ = &grid->counts;
    const auto& time = products.time;
    is_timed_ =
        listing_->engine == trace::Engine::machine && time.face != session::Slot<session::TimedBlock>::Face::failed;
    if (is_timed_ && time.value && same_program(*time.value->block->trace.listing, *listing_)) time_ = time.value.get();
    const uint32_t event = session.view().selection.event;
    if (trace_ && event < trace_->events.size()) current_pc_ = trace_->events[event].pc;
}

int CodeLinks::source_line(int64_t pc) const {
    if (!listing_ || pc < 0 || pc >= static_cast<int64_t>(listing_->instructions.size())) return 0;
    return line_shown(listing_->instructions[static_cast<size_t>(pc)]);
}

int CodeLinks::kernel_line(int64_t pc) const {
    if (source_line(pc) == 0) return 0;
    const trace::Instruction& instruction = listing_->instructions[static_cast<size_t>(pc)];
    return instruction.kernel_line > 0 ? instruction.kernel_line : instruction.source_line;
}

int CodeLinks::hovered_source_line() const {
    return hover_.source_line > 0 ? hover_.source_line : source_line(hover_.pc);
}

template <class LineOf>
std::vector<LineCounts> CodeLinks::sums(size_t lines, const LineOf& line_of) const {
    std::vector<LineCounts> sums(lines);
    if (!counts_) return sums;
    for (size_t pc = 0; pc < counts_->size(); ++pc) {
        const int line = line_of(listing_->instructions[pc]);
        if (line < 1 || static_cast<size_t>(line) > lines) continue;
        LineCounts& sum = sums[static_cast<size_t>(line) - 1];
        const trace::InstructionCounts& one = (*counts_)[pc];
        sum.executed += one.executed;
        sum.transfers += one.wavefronts + one.sectors;
        sum.transfers_ideal += one.wavefronts_ideal + one.sectors_ideal;
    }
    return sums;
}

std::vector<LineCounts> CodeLinks::source_counts(size_t lines) const { return sums(lines, line_shown); }

std::vector<LineCounts> CodeLinks::text_counts(size_t lines) const {
    return sums(lines, [](const trace::Instruction& i) { return i.text_line; });
}

const trace::InstructionCounts* CodeLinks::counts(uint32_t pc) const {
    return counts_ && pc < counts_->size() ? &(*counts_)[pc] : nullptr;
}

} // namespace ui
