// Which source line, PTX line and instruction belong together, and where the current event is among them.
#pragma once

#include "session/session.h"
#include "session/timed_block.h"
#include "ui/code/code_view.h"

#include <optional>
#include <vector>

namespace ui {

class CodeLinks {
public:
    // What `session` has of its subject; without a listing every answer is "none".
    explicit CodeLinks(const session::Session& session);

    const trace::Listing* listing() const { return listing_; }
    bool stale() const { return stale_; } // the listing is not of the source that is shown

    int64_t current_pc() const { return current_pc_; } // of the selected event; -1: none
    int source_line(int64_t pc) const;                 // 1-based, in the source that is shown; 0: none
    int kernel_line(int64_t pc) const; // likewise, of the kernel's own body where the instruction was inlined into it
    int hovered_source_line() const;   // under the mouse in whatever view: of a source line, or of an instruction

    // Sums over the instructions of each line, for a margin; zeros while the grid has not run.
    std::vector<LineCounts> source_counts(size_t lines) const;
    std::vector<LineCounts> text_counts(size_t lines) const;
    // The traced block in time, of the same program; nullptr: it has none.
    const session::TimedBlock* time() const { return time_; }
    bool is_timed() const { return is_timed_; } // or will be: its columns stand there meanwhile, so that nothing jumps
    // The counts of one instruction; nothing while the grid has not run.
    const trace::InstructionCounts* counts(uint32_t pc) const;

    // The next event of `warp` after `event`, from the start again if need be, whose instruction satisfies
    // `wanted`.
    template <class Wanted>
    std::optional<uint32_t> next_event(int warp, uint32_t event, const Wanted& wanted) const;

private:
    template <class LineOf>
    std::vector<LineCounts> sums(size_t lines, const LineOf& line_of) const;

    const trace::Listing* listing_ = nullptr;
    const trace::Trace* trace_ = nullptr;   // of the same listing
    const trace::Counts* counts_ = nullptr; // of the same listing
    const session::TimedBlock* time_ = nullptr;
    bool is_timed_ = false;
    int64_t current_pc_ = -1;
    session::Hover hover_;
    bool stale_ = false;
};

template <class Wanted>
std::optional<uint32_t> CodeLinks::next_event(int warp, uint32_t event, const Wanted& wanted) const {
    if (!trace_ || trace_->events.empty()) return std::nullopt;
    const auto count = static_cast<uint32_t>(trace_->events.size());
    for (uint32_t step = 1; step <= count; ++step) {
        const uint32_t at = (event + step) % count;
        if (trace_->events[at].warp == warp && wanted(trace_->events[at].pc)) return at;
    }
    return std::nullopt;
}

} // namespace ui
