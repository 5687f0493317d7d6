#include "session/moment.h"

#include "base/text.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

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

    // Calls f(number, turn, likeness) for the warp's events up to `last` that are like `wanted`, in order. Looks into the warp's spans
    // alone: the window waits for it, and a block may have millions of events.
    template <class F>
    void each_like(const Moment& wanted, int warp, uint32_t last, F f) const {
        if (!trace_.listing) return;
        std::vector<Likeness> of_pc;
        for (uint32_t pc = 0; pc < trace_.listing->instructions.size(); ++pc)
            of_pc.push_back(likeness(wanted, instruction(pc)));
        const analysis::Timeline& line = traced_.block->timeline;
        if (static_cast<size_t>(warp) >= line.warps.size()) return;
        analysis::TileStarts tiles(line, static_cast<size_t>(warp));
        uint32_t turn = 0;
        for (const analysis::Span& span : line.warps[static_cast<size_t>(warp)]) {
            for (uint32_t i = span.first; i <= std::min(span.last, last); ++i) {
                const trace::Event& event = trace_.events[i];
                if (event.warp != warp || event.pc >= of_pc.size()) continue;
                turn += tiles.begins(event.pc, trace_.listing->instructions[event.pc].kind);
                if (of_pc[event.pc] != Likeness::none && array(event, wanted.space) == wanted.array)
                    f(i, turn, of_pc[event.pc]);
            }
        }
    }

private:
    const Traced& traced_;
    const trace::Trace& trace_;
    std::vector<std::string_view> lines_;
    AccessedArrays arrays_;
};

uint32_t distance(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

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
    std::optional<uint32_t> last_turn;
    uint32_t repetitions = 0;
    reader.each_like(moment, trace.events[event].warp, event, [&](uint32_t, uint32_t turn, Likeness likeness) {
        if (likeness != Likeness::same_line) return;
        if (std::exchange(last_turn, turn) != turn) repetitions = 0;
        moment.turn = turn;
        moment.repetition = repetitions++;
    });
    return moment;
}

std::optional<uint32_t> event_like(const Moment& moment, const Traced& traced, int warp) {
    using Distance = std::tuple<Likeness, uint32_t, uint32_t>; // turns, repetitions
    std::optional<std::pair<Distance, uint32_t>> nearest;
    std::map<std::pair<Likeness, uint32_t>, uint32_t> repetitions; // by turn
    const auto last = static_cast<uint32_t>(traced.block->trace.events.size());
    MomentReader(traced).each_like(moment, warp, last, [&](uint32_t number, uint32_t turn, Likeness likeness) {
        const uint32_t repetition = repetitions[{likeness, turn}]++;
        const Distance its{likeness, distance(turn, moment.turn), distance(repetition, moment.repetition)};
        if (!nearest || its < nearest->first) nearest = {its, number};
    });
    return nearest ? std::optional(nearest->second) : std::nullopt;
}

} // namespace session
