// What the window (or command line) and its GPU worker say to each other: one JSON object a line over the
// worker's standard input and output. The worker speaks first, with a Hello or a Refusal; then each request
// gets any number of Progress lines and one answer: a Point, a RunResult, Peaks, a BlockTimeline, a
// StreamRecord, a Swept, a Pong or a Refusal. All of them carry the request's number.
#pragma once

#include "base/dim3.h"
#include "base/numbers.h"
#include "base/result.h"
#include "catalog/kernel.h"
#include "measure/bench_point.h"
#include "measure/block_timeline.h"
#include "measure/device.h"
#include "measure/peaks.h"
#include "measure/progress.h"
#include "measure/stream_record.h"
#include "measure/workload.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpu {

inline constexpr int protocol_version = 16;

struct Hello {
    int version = protocol_version;
    std::string host;                     // the worker's machine
    std::string driver, cuda;             // "580.159.04", "13.0": the newest CUDA that the driver runs
    std::string cublas;                   // version, or empty
    std::string cublas_missing;           // why there is none, or empty
    std::vector<measure::Device> devices; // at least one
    bool operator==(const Hello&) const = default;
};

// One compiled kernel on one problem. The worker passes what catalog::arguments_of() says, and the tensor maps.
struct Launch : measure::Workload {
    catalog::Values parameters;
    std::vector<std::byte> image; // cubin, or PTX text that ends in 0
    std::string entry;            // mangled name
    std::string cuda;             // version of the compiler that made the image; empty: the driver's is reported
    base::Dim3 grid, block;
    uint32_t dynamic_shared_bytes = 0;
    std::vector<catalog::TensorBox> tensor_maps;
    bool operator==(const Launch&) const = default;
};

// Verify, then time it beside cuBLAS.
struct BenchRequest {
    Launch launch;
    int device = 0; // index into Hello::devices
    int max_samples = 100;
    double time_limit_s = 20; // of GPU time for this point
    bool quick = false;       // a first look: neither warm-up, nor cuBLAS, nor launches in a row
    bool operator==(const BenchRequest&) const = default;
};

// Run it once and give C back.
struct RunRequest {
    Launch launch;
    int device = 0;
    bool values = false; // C itself, not only its hash
    double time_limit_s = 20;
    bool operator==(const RunRequest&) const = default;
};

// How fast the GPU is at most. `fma` takes (float* out, int turns), `fp64` the same of doubles, `copy` takes
// (const float4* from, float4* to, size_t count) and copies all of it, `read` of a cache (const float4* from,
// size_t count, int turns, float* out); the matrices of the launches play no part.
struct PeaksRequest {
    struct Read {
        Launch read;
        uint64_t bytes = 0;        // of the buffer: a power of two, and no more than the cache holds
        double bytes_per_turn = 0; // of the whole grid
        bool operator==(const Read&) const = default;
    };
    Launch fma, fp64, copy;
    double flop_per_turn = 0; // of the whole grid of `fma`, and of `fp64`
    Read l1, l2;
    int device = 0;
    double time_limit_s = 20;
    bool operator==(const PeaksRequest&) const = default;
};

// Run it as it is and as it records itself, which must give the same C.
struct TimelineRequest {
    Launch launch;
    std::vector<std::byte>
        recording; // PTX that ends in 0, of the same entry with one more parameter: see session/block_timelines.h
    int device = 0;
    double time_limit_s = 20;
    bool operator==(const TimelineRequest&) const = default;
};

// Time a library's product of matrices in host memory. The launch says the problem, and which library by its
// kernel (measure/references.h); it has no code.
struct HostProductRequest {
    Launch launch;
    int device = 0;
    int max_samples = 100;
    double time_limit_s = 20;
    bool operator==(const HostProductRequest&) const = default;
};

// Take it through the GPU as its plan says, from matrices in host memory, and once in one piece where they
// fit.
struct StreamRequest {
    Launch launch; // of the whole
    catalog::StreamShape shape;
    struct Grid { // of the same kernel on a piece
        catalog::Problem piece;
        base::Dim3 grid;
        bool operator==(const Grid&) const = default;
    };
    std::vector<Grid> grids; // of each size that the plan's products have
    int device = 0;
    double time_limit_s = 60;
    bool operator==(const StreamRequest&) const = default;
};

// Measure one setting of a kernel at several sizes: verified against cuBLAS's C on the device, few samples, buffers and
// cuBLAS's C are kept for the next setting.
struct SweepRequest {
    Launch launch; // its code; problem and shape are of each size
    struct Size {
        catalog::Problem problem;
        base::Dim3 grid, block;
        uint32_t dynamic_shared_bytes = 0;
        std::vector<catalog::TensorBox> tensor_maps;
        bool operator==(const Size&) const = default;
    };
    std::vector<Size> sizes;
    Launch
        compare; // assets/compare.cu: (rows, columns, leading dimension, C, C of cuBLAS, unsigned* bits of the largest difference)
    int device = 0;
    double time_limit_s = 20; // of each launch
    Launch at(const Size&) const;
    bool operator==(const SweepRequest&) const = default;
};

// Answered at once: how long does a word take there and back?
struct Ping {
    bool operator==(const Ping&) const = default;
};

struct Quit {
    bool operator==(const Quit&) const = default;
};

using Request = std::variant<BenchRequest, RunRequest, PeaksRequest, TimelineRequest, HostProductRequest, StreamRequest,
                             SweepRequest, Ping, Quit>;

struct RunResult {
    std::string hash;         // base::hash of C's bytes (little-endian, row-major)
    base::Numbers c;          // if asked for
    double ms = 0;            // of the one launch, cold
    double max_rel_error = 0; // as in BenchPoint
    std::string device;
    bool operator==(const RunResult&) const = default;
};

// Of each size that was asked for, in that order.
struct Swept {
    struct At {
        double ms = 0; // median of single launches; 0: `failed` says why there is none
        int samples = 0;
        double spread = 0; // of the median, see sweep_rule
        double cublas_ms =
            0; // the latest measured, not more than some seconds ago; 0: there is no cuBLAS, or it cannot do it
        std::string cublas; // "13.0.2 cublasLt heuristic 3 (algorithm 21)"
        std::string failed;
        bool operator==(const At&) const = default;
    };
    std::vector<At> sizes;
    int sm_clock_mhz = 0; // while cuBLAS was measured last; 0: unknown
    bool lost = false;    // the GPU is, to this worker, which ends: take another
    bool operator==(const Swept&) const = default;
};

struct Pong {
    double ms = 0; // since the Ping was written, by the client's clock; does not travel
    bool operator==(const Pong&) const = default;
};

struct Refusal {
    base::Error error;
    bool fatal = false; // the worker ends: after an illegal address no further call would succeed
};

using Reply = std::variant<Hello, measure::Progress, measure::NotedPoint, RunResult, measure::Peaks,
                           measure::BlockTimeline, measure::StreamRecord, Swept, Pong, Refusal>;

// What is numbered; 0: a Hello, and what answers no request.
struct Asked {
    uint64_t number = 0; // also of a request that is not understood, where it can be read
    base::Result<Request> request;
};
struct Said {
    uint64_t number = 0;
    Reply reply;
};

std::string to_json(const Request&, uint64_t number = 0); // one line, without its end
std::string to_json(const Reply&, uint64_t number = 0);
// Errors name the field. A Hello of another version is read only as far as the version.
Asked request_from_json(std::string_view line);
base::Result<Said> reply_from_json(std::string_view line);

// A launch of the kernel's entry on a problem, without image, entry and cuda, which the compiler's result gives.
base::Result<Launch> launch_of(const catalog::Kernel&, const catalog::Values&, catalog::Problem, double alpha,
                               double beta, uint64_t seed);

} // namespace gpu
