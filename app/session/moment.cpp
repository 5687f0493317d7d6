#include "session/moment.h"

#include "base/text.h"

#include <algorithm>
#include <bit>

namespace session {
namespace {

enum class Likeness : uint8_t { same_line, same_array, none };

// A line of another kernel that accesses the same array of shared memory has the same role. An array of global memory is every
// kernel's, so that there the line counts.
Likeness likeness(const Moment& wanted, const Moment& other) {
    if (other.kind != wanted.kind || other.space != wanted.space) return Likeness::none;
    const bool same_line = other.kernel == wanted.kernel ? other.line == wanted.line : other.text == wanted.text;
    if (same_line && wanted.line > 0) return Likeness::same_line;
    return wanted.space == trace::Space::shared && !wanted.array.empty() ? Likeness::same_array : Likeness::none;
}

class MomentReader {
public:
    explicit MomentReader(const Traced& traced)
        : traced_(traced), trace_(traced.block->trace), lines_(base::lines(traced.kernel->source)), arrays_(traced) {}

    // What is known without an execution: neither array nor turn nor repetition.
    Moment instruction(uint32_t pc) const {
        const trace::Instruction& instruction = trace_.listing->instructions[pc];
        Moment moment{traced_.kernel->id, instruction.kind, instruction.space, {}, 0, {}, 0, 0};
        const int line = instruction.source_file == 0 ? instruction.source_line : 0;
        if (line <= 0 || line > std::ssize(lines_)) return moment;
        moment.line = line;
        moment.text = base::trimmed(lines_[static_cast<size_t>(line) - 1]);
        return moment;
    }

    std::string_view array(const trace::Event& event, trace::Space space) const { return arrays_.of(event, space); }

private:
    const Traced& traced_;
    const trace::Trace& trace_;
    std::vector<std::string_view> lines_;
    AccessedArrays arrays_;
};

// The events of one warp that are like a moment, turn by turn: the window waits for them, and a block may have millions of events.
class LikeEvents {
public:
    LikeEvents(const Traced& traced, const MomentReader& reader, const Moment& wanted, int warp)
        : trace_(traced.block->trace), reader_(reader), wanted_(wanted) {
        const auto& steps = traced.block->timeline.warps;
        if (trace_.listing && warp >= 0 && static_cast<size_t>(warp) < steps.size())
            steps_ = &steps[static_cast<size_t>(warp)];
        for (uint32_t pc = 0; steps_ && pc < trace_.listing->instructions.size(); ++pc)
            of_pc_.push_back(likeness(wanted, reader.instruction(pc)));
    }

    // Turns have the numbers from 0 to this one; what comes before the first k-tile is turn 0.
    uint32_t last_turn() const { return steps_ ? static_cast<uint32_t>(steps_->k_tiles.size()) : 0; }
    uint32_t turn_of(uint32_t event) const {
        const auto& tiles = steps_->k_tiles;
        return static_cast<uint32_t>(std::upper_bound(tiles.begin(), tiles.end(), steps_->before(event)) -
                                     tiles.begin());
    }

    bool has_any(Likeness like) const { return std::find(of_pc_.begin(), of_pc_.end(), like) != of_pc_.end(); }

    std::vector<uint32_t> in_turn(uint32_t turn, Likeness like) const {
        std::vector<uint32_t> found;
        if (!steps_) return found;
        const auto& [events, tiles] = *steps_;
        const size_t end = turn < tiles.size() ? tiles[turn] : events.size();
        for (size_t step = turn == 0 ? 0 : tiles[turn - 1]; step < end; ++step) {
            const trace::Event& event = trace_.events[events[step]];
            if (event.pc < of_pc_.size() && of_pc_[event.pc] == like &&
                reader_.array(event, wanted_.space) == wanted_.array)
                found.push_back(events[step]);
        }
        return found;
    }

private:
    const trace::Trace& trace_;
    const MomentReader& reader_;
    const Moment& wanted_;
    const analysis::WarpSteps* steps_ = nullptr; // nullptr: there is no such warp
    std::vector<Likeness> of_pc_;
};

} // namespace

AccessedArrays::AccessedArrays(const Traced& traced)
    : block_(traced.block), shared_(sim::shared_arrays(*traced.prepared->program)) {}

std::string_view AccessedArrays::of(const trace::Event& event, trace::Space space) const {
    const trace::Trace& trace = block_->trace;
    if (event.access >= trace.accesses.size() || event.active == 0) return {};
    const uint64_t address = trace.accesses[event.access][static_cast<size_t>(std::countr_zero(event.active))];
    std::string_view name;
    if (space == trace::Space::shared)
        for (const sim::SharedArray& a : shared_) // the last one that begins before the address
            if (a.offset <= address) name = a.name;
    if (space == trace::Space::global)
        for (const trace::Buffer& buffer : trace.buffers)
            if (address - buffer.address < buffer.bytes) name = buffer.name;
    return name;
}

std::optional<Moment> moment_of(const Traced& traced, uint32_t event) {
    const trace::Trace& trace = traced.block->trace;
    if (event >= trace.events.size() || !trace.listing || trace.events[event].pc >= trace.listing->instructions.size())
        return {};
    const MomentReader reader(traced);
    Moment moment = reader.instruction(trace.events[event].pc);
    moment.array = reader.array(trace.events[event], moment.space);
    if (moment.line <= 0) return moment;
    const LikeEvents like(traced, reader, moment, trace.events[event].warp);
    moment.turn = like.turn_of(event);
    const std::vector<uint32_t> same = like.in_turn(moment.turn, Likeness::same_line);
    moment.repetition = static_cast<uint32_t>(std::lower_bound(same.begin(), same.end(), event) - same.begin());
    return moment;
}

std::optional<uint32_t> event_like(const Moment& moment, const Traced& traced, int warp) {
    const MomentReader reader(traced);
    const LikeEvents like(traced, reader, moment, warp);
    const uint32_t last = like.last_turn(), furthest = std::max(moment.turn, last);
    for (const Likeness likeness : {Likeness::same_line, Likeness::same_array}) {
        if (!like.has_any(likeness)) continue;
        for (uint32_t away = 0; away <= furthest; ++away) // from the turn that is wanted, the earlier one first
            for (const int64_t turn : {int64_t{moment.turn} - away, int64_t{moment.turn} + away}) {
                if (turn < 0 || turn > last) continue;
                const std::vector<uint32_t> found = like.in_turn(static_cast<uint32_t>(turn), likeness);
                if (!found.empty()) return found[std::min<size_t>(moment.repetition, found.size() - 1)];
            }
    }
    return {};
}

} // namespace session
