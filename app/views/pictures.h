// What the views of a traced block derive from it once and draw from in every frame. Panels keep nothing of their
// own; the window owns one Pictures and hands it to them in the Context. Everything here comes from the trace.
#pragma once

#include "analysis/register_life.h"
#include "measure/block_timeline.h"
#include "session/stages.h"
#include "views/flights.h"
#include "views/standing.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace views {

constexpr uint32_t never = 0xFFFFFFFF; // as an event
constexpr uint16_t nobody = 0xFFFF;    // as a thread

// One global array as the block touches it. Rasters are row-major over `box`; empty when the block touches nothing
// or when its box has more than Pictures::raster_limit elements.
struct ArrayPicture {
    const trace::Buffer* buffer = nullptr;
    const analysis::ArrayMap* map = nullptr;
    analysis::Rectangle box;              // of loads and stores
    std::vector<uint32_t> loaded, stored; // first event at which an element is
    std::vector<uint16_t> loader, owner;  // thread that loads it first; thread that stores it last
    bool has(int64_t row, int64_t column) const;
    size_t index(int64_t row, int64_t column) const; // into the rasters, of an element of the box
};

// A rectangle of C that one warp stores, for its label.
struct WarpTile {
    uint16_t warp = 0;
    analysis::Rectangle box;
};

// How the grid's blocks tile C, as far as the traced block's own box tells: every block has the traced one's shape.
struct Lattice {
    uint32_t rows = 0, columns = 0; // elements of C per block
    bool x_runs_along_rows = false; // blockIdx.x counts rows of C, not columns
    std::optional<base::Dim3> block_at(int64_t row, int64_t column, base::Dim3 grid) const;
    analysis::Rectangle box_of(base::Dim3 block, const trace::Buffer& c) const;
};

// Instructions of a timeline, told apart as a reader wants them.
enum class Lane : uint8_t { global_load, global_store, shared_load, shared_store, math, tensor, wait, other };
constexpr int lane_count = 8;
Lane lane_of(const trace::Instruction&);
using LaneCounts = std::array<uint32_t, lane_count>; // instructions by what they do

// One warp's events, and where its barriers cut them (in a kernel without barriers: its k-tiles).
// Segment s runs from cut[s] to cut[s + 1]; a barrier is the last event of its segment.
struct WarpOrder {
    std::span<const uint32_t> events, k_tiles;    // analysis::WarpSteps of the run's timeline
    std::vector<uint32_t> cut;                    // indices into events; first 0, last events.size()
    std::vector<uint32_t> shared, global;         // events that access such memory; an async copy is in both
    std::vector<analysis::Executions> executions; // [pc]
    static constexpr uint32_t summed_up = 64;
    std::vector<LaneCounts> lanes_before; // [n]: of the first n * summed_up events; prefix sums
    uint32_t
    at_or_after(uint32_t event) const; // index into events of the first one not before `event`; at most the last
    uint32_t segment_of(uint32_t index) const;
};

struct BlockPicture {
    std::shared_ptr<const session::BlockRun> run;
    std::vector<ArrayPicture> arrays; // as trace.buffers
    int a = -1, b = -1, c = -1;       // of arrays: the operands and the result of a matrix product, by their names
    std::vector<WarpTile> tiles;      // of C
    std::optional<Lattice> lattice;
    std::vector<WarpOrder> warps;
    analysis::SharedWrites shared_writes;
    std::vector<std::vector<Flight>> flights; // of each warp
    bool barriers = false;                    // there are some: segments of all warps then follow one another
    bool tensor_cores = false;                // compute its products, and not FMAs
    std::vector<uint32_t>
        segment_start; // x of each segment when all warps' segments start together, or of its first event; last: the end

    // Whether the axis of time counts the block's events one after the other, because the order of the warps is what is looked at; else
    // each warp's own, side by side.
    bool in_turn() const { return trace().schedule.kind != trace::Schedule::Kind::in_order; }

    const trace::Trace& trace() const { return run->trace; }
    const trace::Instruction& instruction(uint32_t event) const;
    uint32_t step(uint32_t event) const; // as the transport bar counts: of the event's own warp, from 1
};
size_t bytes_of(const BlockPicture&); // of memory, its large parts, without the run

// Elements that matter to the block between two barriers: what it computes with, and what it fetches, often for later.
struct Slab {
    std::vector<analysis::Rectangle> used, fetched; // one per array; empty rectangles where nothing is
};

class Pictures {
public:
    static constexpr uint64_t raster_limit = 16u << 20;

    Pictures();
    ~Pictures();

    // Made when a run is handed in for the first time, and kept while others hold the run. From any thread: it takes up to tenths of
    // a second, so the job that executes a block asks for it before a frame does (session::Options::on_block).
    std::shared_ptr<const BlockPicture> block(const std::shared_ptr<const session::BlockRun>&);
    // analysis::shared_origin, kept for each of the last runs until an event is asked for which it differs.
    const std::vector<analysis::Origin>& origin(const BlockPicture&, uint32_t event);
    // Of the segment of `warp` that holds `event`; without barriers what that warp alone does.
    const Slab& slab(const BlockPicture&, int warp, uint32_t event);
    // The first execution of the access to shared memory (a load, or else a store) that costs the warp the most wavefronts, all its
    // executions together; `never` if there is none.
    uint32_t costliest_shared(const BlockPicture&, int warp, bool load, const std::string& arch);
    // Registers that `warp` has written by `event`, kept until another is asked for. Views into what the run's listing needs: valid
    // until the next call for another run.
    using Lives = std::unordered_map<std::string_view, analysis::RegisterLife>;
    const Lives& lives(const BlockPicture&, int warp, uint32_t event);
    // The state that was shown before this one, of the same run: what a step changed. nullptr if there is none.
    std::shared_ptr<const sim::BlockState> before(const std::shared_ptr<const session::BlockRun>&,
                                                  const std::shared_ptr<const sim::BlockState>&);

    // Of the recording, kept until another is asked for.
    const measure::Waves& waves(const std::shared_ptr<const measure::BlockTimeline>&);
    // Of the session's series, kept until they are others or another size is asked for.
    const Standing& standing(const session::Session&, const catalog::Problem&);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace views
