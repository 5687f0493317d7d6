// How a product whose matrices lie in host memory goes through a GPU: C tile after tile, each the sum of
// products of pieces of A and B. One list of operations, which the worker executes and the window draws; no
// CUDA here.
#pragma once

#include "base/result.h"
#include "catalog/kernel.h"

#include <array>
#include <cstdint>
#include <vector>

namespace measure {

// Each row is a stream of the GPU: its operations run one after the other, those of different rows at the
// same time.
enum class StreamRow { copy_in, compute, copy_out };
inline constexpr size_t stream_rows = 3;

enum class StreamStep {
    load,     // a piece of A and one of B, to the GPU
    load_c,   // a tile of C, where beta counts it
    multiply, // the tile of C += the product of the pieces
    store,    // the tile of C, to the host
};
StreamRow row_of(StreamStep);

struct StreamOperation {
    StreamStep step = StreamStep::load;
    int tile = 0, piece = 0;          // tiles of C count row after row, pieces along K; copies of C have none
    int row = 0, column = 0, k = 0;   // where they begin: of C, and along K
    catalog::Problem size;            // the tile is m x n, the piece k deep (of C 0); at the edges less than elsewhere
    int buffer = 0, c_buffer = 0;     // that the pieces and the tile lie in
    uint64_t bytes = 0;               // copied; 0 of a product
    double flop = 0;                  // 2 m n k; 0 of a copy
    std::array<int, 2> after{-1, -1}; // operations of other rows that must have ended, earlier ones; -1: none
};

struct StreamPlan {
    catalog::Problem problem;
    catalog::OperandType operands = catalog::OperandType::f32;
    catalog::StreamShape shape;                       // cut to the problem
    int tiles_down = 0, tiles_across = 0, pieces = 0; // of C, and along K
    int c_buffers = 1;                                // one where there is one buffer or tile, else two
    uint64_t a_bytes = 0, b_bytes = 0, c_bytes = 0;   // of one buffer
    uint64_t device_bytes = 0;                        // of all of them
    std::vector<StreamOperation> operations;          // in an order in which they can be handed to the GPU
    int tiles() const { return tiles_down * tiles_across; }
};
inline constexpr int64_t most_stream_operations = 1 << 17;

// `with_c`: beta is not 0. Errors: it needs more memory than the cap, or too many operations.
base::Result<StreamPlan> stream_plan(const catalog::Problem&, const catalog::StreamShape&, catalog::OperandType,
                                     bool with_c);

struct StreamSpeed {
    double copy_gb_s = 0; // 1e9 bytes a second, in each direction
    double gflops = 0;    // of the kernel, 1e9 operations a second
    bool operator==(const StreamSpeed&) const = default;
};
struct StreamTime { // of one operation, from the start of the first
    double start_ms = 0, end_ms = 0;
    bool operator==(const StreamTime&) const = default;
};
// When each operation would run: as soon as its row is free and what it waits for has ended.
std::vector<StreamTime> planned_times(const StreamPlan&, const StreamSpeed&);

// What the arithmetic waited for before an operation of its row.
enum class StreamWait {
    operands, // pieces of A and B
    c,        // a tile of C, to come or to go
    launch,   // nothing known
};

struct StreamSummary {
    double total_ms = 0;
    std::array<double, stream_rows> busy_ms{}; // of each row
    std::array<double, 3> waited_ms{};         // by StreamWait, of the arithmetic until its last operation
    double tail_ms = 0;                        // from then to the end
    std::array<uint64_t, stream_rows> bytes{}; // copied
    double flop = 0;
    double compute_share() const { return busy_ms[static_cast<size_t>(StreamRow::compute)] / total_ms; }
    double gflops() const { return flop / total_ms / 1e6; }
    StreamSpeed speed() const; // of the copies to the GPU, and of the products, while they ran
};
// `times`: of the plan's operations.
StreamSummary summary(const StreamPlan&, const std::vector<StreamTime>& times);
// The wait before operation `at`, a product: how long, and for what.
struct StreamGap {
    double ms = 0;
    StreamWait wait = StreamWait::launch;
};
StreamGap gap_before(const StreamPlan&, const std::vector<StreamTime>& times, size_t at, double free_at_ms);

// The edge of a square tile of C from which on copies take no longer than arithmetic: for each step of k its
// column of A and its row of B, 2 T elements, come in for 2 T^2 operations.
double hiding_edge(const StreamSpeed&, catalog::OperandType);

} // namespace measure
