#include "measure/stream_plan.h"

#include "base/number_type.h"
#include "base/text.h"

#include <algorithm>

namespace measure {
namespace {

using base::Error;
using base::Failure;

int parts(int whole, int part) { return 1 + (whole - 1) / part; }

// The shape of the largest tile and piece, their counts, and what they need of the GPU's memory.
StreamPlan outline(const catalog::Problem& problem, const catalog::StreamShape& shape, catalog::OperandType operands) {
    StreamPlan plan;
    plan.problem = problem;
    plan.operands = operands;
    plan.shape = shape;
    plan.shape.rows = std::min(shape.rows, problem.m);
    plan.shape.columns = std::min(shape.columns, problem.n);
    plan.shape.depth = std::min(shape.depth, problem.k);
    plan.tiles_down = parts(problem.m, plan.shape.rows);
    plan.tiles_across = parts(problem.n, plan.shape.columns);
    plan.pieces = parts(problem.k, plan.shape.depth);
    const int64_t tiles = int64_t{plan.tiles_down} * plan.tiles_across;
    plan.shape.buffers = static_cast<int>(std::min<int64_t>(shape.buffers, tiles * plan.pieces));
    plan.c_buffers = static_cast<int>(std::min<int64_t>({shape.buffers, 2, tiles}));
    const catalog::Problem largest{plan.shape.rows, plan.shape.columns, plan.shape.depth};
    plan.a_bytes = catalog::matrix_of(largest, catalog::Operation::product, operands, 'A').bytes();
    plan.b_bytes = catalog::matrix_of(largest, catalog::Operation::product, operands, 'B').bytes();
    plan.c_bytes = catalog::matrix_of(largest, catalog::Operation::product, operands, 'C').bytes();
    plan.device_bytes = static_cast<uint64_t>(plan.shape.buffers) * (plan.a_bytes + plan.b_bytes) +
                        static_cast<uint64_t>(plan.c_buffers) * plan.c_bytes;
    return plan;
}

base::Status check(const StreamPlan& plan) {
    const catalog::StreamShape& s = plan.shape;
    const int64_t tiles = int64_t{plan.tiles_down} * plan.tiles_across;
    if (plan.device_bytes > s.cap_bytes)
        return Error{
            Failure::usage,
            base::say(
                "{} pieces of {} x {} and {} x {} and {} of C of {} x {} need {} on the GPU, {} more than the cap allows",
                s.buffers, s.rows, s.depth, s.depth, s.columns, plan.c_buffers, s.rows, s.columns,
                base::bytes_text(plan.device_bytes), base::bytes_text(plan.device_bytes - s.cap_bytes)),
            {},
            base::say("choose smaller tiles or pieces, fewer buffers, or a higher cap")};
    if (tiles * (2 * int64_t{plan.pieces} + 2) > most_stream_operations)
        return Error{Failure::usage,
                     base::say("{} tiles of C in {} pieces each are too many to be recorded", tiles, plan.pieces),
                     {},
                     base::say("choose larger tiles or pieces")};
    return base::Done{};
}

// Appends the operations of one tile after the other.
class Planner {
public:
    Planner(StreamPlan& plan, bool with_c)
        : plan_(plan), with_c_(with_c), last_use_(static_cast<size_t>(plan.shape.buffers), -1),
          last_store_(static_cast<size_t>(plan.c_buffers), -1) {}

    void tile(int tile) {
        const auto& s = plan_.shape;
        const auto& p = plan_.problem;
        StreamOperation at;
        at.tile = tile;
        at.row = tile / plan_.tiles_across * s.rows;
        at.column = tile % plan_.tiles_across * s.columns;
        at.c_buffer = tile % plan_.c_buffers;
        at.size = {std::min(s.rows, p.m - at.row), std::min(s.columns, p.n - at.column), 0};
        int& last_store = last_store_[static_cast<size_t>(at.c_buffer)];
        int ready = last_store; // what the first product waits for before it writes the tile's buffer
        if (with_c_) ready = add(at, StreamStep::load_c, {last_store, -1});
        for (at.piece = 0; at.piece < plan_.pieces; ++at.piece) {
            at.k = at.piece * s.depth;
            at.size.k = std::min(s.depth, p.k - at.k);
            at.buffer = static_cast<int>((int64_t{tile} * plan_.pieces + at.piece) % s.buffers);
            int& last_use = last_use_[static_cast<size_t>(at.buffer)];
            const int loaded = add(at, StreamStep::load, {last_use, -1});
            last_use = add(at, StreamStep::multiply, {loaded, at.piece == 0 ? ready : -1});
        }
        at.piece = 0, at.k = 0, at.size.k = 0;
        last_store = add(at, StreamStep::store, {static_cast<int>(plan_.operations.size()) - 1, -1});
    }

private:
    int add(StreamOperation operation, StreamStep step, std::array<int, 2> after) {
        operation.step = step;
        operation.after = after;
        const auto& [m, n, k] = operation.size;
        const auto bytes = [&](char name) {
            return catalog::matrix_of(operation.size, catalog::Operation::product, plan_.operands, name).bytes();
        };
        if (step == StreamStep::multiply) operation.flop = catalog::operations(catalog::Operation::product, m, n, k);
        else operation.bytes = step == StreamStep::load ? bytes('A') + bytes('B') : bytes('C');
        plan_.operations.push_back(operation);
        return static_cast<int>(plan_.operations.size()) - 1;
    }

    StreamPlan& plan_;
    bool with_c_;
    std::vector<int> last_use_;   // of each buffer of pieces: the product that read it last
    std::vector<int> last_store_; // of each tile's buffer
};

template <class EndOf>
double latest(const StreamOperation& operation, EndOf end_of) {
    double latest = 0;
    for (const int before : operation.after)
        if (before >= 0) latest = std::max(latest, end_of(before));
    return latest;
}

} // namespace

StreamRow row_of(StreamStep step) {
    switch (step) {
    case StreamStep::multiply: return StreamRow::compute;
    case StreamStep::store: return StreamRow::copy_out;
    default: return StreamRow::copy_in;
    }
}

base::Result<StreamPlan> stream_plan(const catalog::Problem& problem, const catalog::StreamShape& shape,
                                     catalog::OperandType operands, bool with_c) {
    StreamPlan plan = outline(problem, shape, operands);
    if (auto possible = check(plan); !possible) return possible.error();
    Planner planner(plan, with_c);
    for (int tile = 0; tile < plan.tiles(); ++tile) planner.tile(tile);
    return plan;
}

std::vector<StreamTime> planned_times(const StreamPlan& plan, const StreamSpeed& speed) {
    std::vector<StreamTime> times;
    std::array<double, stream_rows> free_at{};
    for (const StreamOperation& operation : plan.operations) {
        double& row = free_at[static_cast<size_t>(row_of(operation.step))];
        const double start =
            std::max(row, latest(operation, [&](int before) { return times[static_cast<size_t>(before)].end_ms; }));
        row = start + static_cast<double>(operation.bytes) / (speed.copy_gb_s * 1e6) +
              operation.flop / (speed.gflops * 1e6);
        times.push_back({start, row});
    }
    return times;
}

StreamGap gap_before(const StreamPlan& plan, const std::vector<StreamTime>& times, size_t at, double free_at_ms) {
    StreamGap gap{times[at].start_ms - free_at_ms, StreamWait::launch};
    double until = free_at_ms; // of what ended while the arithmetic was free, the last is what it waited for
    for (const int before : plan.operations[at].after) {
        if (before < 0 || times[static_cast<size_t>(before)].end_ms <= until) continue;
        until = times[static_cast<size_t>(before)].end_ms;
        gap.wait = plan.operations[static_cast<size_t>(before)].step == StreamStep::load ? StreamWait::operands
                                                                                         : StreamWait::c;
    }
    return gap;
}

StreamSummary summary(const StreamPlan& plan, const std::vector<StreamTime>& times) {
    StreamSummary sum;
    double free_at = 0; // of the arithmetic
    for (size_t i = 0; i < plan.operations.size(); ++i) {
        const StreamOperation& operation = plan.operations[i];
        const auto row = static_cast<size_t>(row_of(operation.step));
        sum.busy_ms[row] += times[i].end_ms - times[i].start_ms;
        sum.bytes[row] += operation.bytes;
        sum.flop += operation.flop;
        sum.total_ms = std::max(sum.total_ms, times[i].end_ms);
        if (operation.step != StreamStep::multiply) continue;
        const StreamGap gap = gap_before(plan, times, i, free_at);
        sum.waited_ms[static_cast<size_t>(gap.wait)] += std::max(gap.ms, 0.0);
        free_at = times[i].end_ms;
    }
    sum.tail_ms = sum.total_ms - free_at;
    return sum;
}

StreamSpeed StreamSummary::speed() const {
    const auto in = static_cast<size_t>(StreamRow::copy_in);
    return {static_cast<double>(bytes[in]) / busy_ms[in] / 1e6,
            flop / busy_ms[static_cast<size_t>(StreamRow::compute)] / 1e6};
}

double hiding_edge(const StreamSpeed& speed, catalog::OperandType operands) {
    return speed.gflops / speed.copy_gb_s * static_cast<double>(base::bytes_of(catalog::stored_as(operands)));
}

} // namespace measure
