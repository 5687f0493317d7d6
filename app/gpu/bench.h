// One measured point, as `gemmscope bench --json` prints it, and series of points: measured now, recorded, published.
#pragma once

#include "base/fields.h"
#include "base/result.h"
#include "catalog/operands.h"
#include "catalog/operation.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpu {

// How cuBLAS multiplies operands of a type: "pedantic_fp32" (no tensor cores), "tf32", "bf16", "fp64".
std::string_view cublas_mode(catalog::OperandType);

struct CublasPoint {
    std::string mode; // cublas_mode() of the operands; empty: cuBLAS was not there
    double median_ms = 0, gflops = 0;
    std::string algorithm;        // the fastest of those tried: "cublasSgemm", "cublasLt heuristic 3 (algorithm 21,
                                  // split-K 2)"; empty: unknown
    std::optional<double> spread; // as in BenchPoint
    bool operator==(const CublasPoint&) const = default;
};

struct BenchPoint {
    std::string kernel; // its id, or that of a reference (gpu/references.h)
    std::map<std::string, int> parameters;
    catalog::Operation operation = catalog::Operation::product;
    catalog::OperandType operands = catalog::OperandType::f32;
    int m = 0, n = 0, k = 0, samples = 0;
    double median_ms = 0, min_ms = 0; // single launches, by events
    double back_to_back_ms = 0; // mean of 50 launches in a row; 0 (null in JSON): they would not fit the time limit
    double gflops = 0;          // catalog::operations() / median, 1e9 a second
    CublasPoint cublas;         // measured in the same process, interleaved; of products
    double ratio = 0;           // cuBLAS median time / kernel median time
    double max_rel_error = 0;   // to the largest element; NaN (null in JSON) where C holds one
    std::string device, driver, cuda, date;
    std::string library;          // what multiplied, "OpenBLAS 0.3.21, Haswell kernels"; empty: a kernel
    int sm_clock_mhz = 0;         // while the last launches ran
    int clock_before_mhz = 0;     // while the last of the warm-up ran; 0 (null in JSON): unknown
    std::optional<double> spread; // interquartile range of the samples over their median; nothing (null): too few
    bool operator==(const BenchPoint&) const = default;
};

// The clock fell by more than 2% between warm-up and end: for heat, or for power.
bool throttled(const BenchPoint&);

// 2 m n k operations in `ms` milliseconds, in 1e9 a second.
double gflops(int m, int n, int k, double ms);
// The matrices that a kernel reads and writes at least once, over its median, in 1e9 bytes a second.
double gb_s(const BenchPoint&);

std::string today(); // "2026-11-20", in UTC: the date of a point

std::string to_json(const BenchPoint&); // one line
// Errors name the field. Fields that are not known are ignored.
base::Result<BenchPoint> point_from_json(std::string_view line);
// As a part of other JSON.
base::FieldsWriter fields_of(const BenchPoint&);
base::Result<BenchPoint> point_from(base::Fields);

// Where a series comes from; the plot gives each its own marker.
enum class Origin { live, recorded, published };

struct Sample {
    int m = 0, n = 0, k = 0;
    double gflops = 0;
    std::map<std::string, int> parameters{}; // of the kernel; empty where unknown
};

struct Series {
    std::string name;                      // kernel id, id of a reference, or the name that its publisher gave it
    std::string kernel;                    // catalogue id that it measures; empty for references
    std::map<std::string, int> parameters; // tile parameters; empty where unknown
    catalog::Operation operation = catalog::Operation::product;
    catalog::OperandType operands = catalog::OperandType::f32;
    Origin origin = Origin::recorded;
    std::string device, clock, driver, compiler, date, source; // provenance; empty where unknown
    std::vector<Sample> samples;                               // ascending sizes
    std::vector<Sample> settings; // of a kernel: at each size every setting that was measured, not only one
};

std::string
    cublas_name(catalog::OperandType); // of its series: "cublas_fp32", "cublas_tf32", "cublas_bf16", "cublas_fp64"
bool is_cublas(const Series&);

// The fastest sample, whatever its size; nullptr: there is none.
const Sample* fastest(const Series&);

// Live: one series for each kernel with its parameters on each device; where a size was measured more than
// once, the latest point counts. Recorded: one for each kernel on each device, at each size with the fastest
// of its settings that `counts` is true for; Series::settings has all. And one of cuBLAS for each device and
// type of operands, the median of its points of a size.
using Counts = std::function<bool(const BenchPoint&)>;
std::vector<Series> series_of(const std::vector<BenchPoint>&, Origin, const std::string& source,
                              const Counts& counts = {});

// assets/recorded/*.json: lines as `gemmscope bench --json` prints them; a line {"provenance":{"command":...}} may come first.
base::Result<std::vector<Series>> read_recorded(const std::filesystem::path& json, const Counts& counts = {});
// The same file as points; there may be none yet.
struct PointFile {
    std::vector<BenchPoint> points;
    std::string command; // of the provenance; empty if there is none
};
base::Result<PointFile> read_points(const std::filesystem::path& json);

// assets/published/*.csv. Columns: version, then M, N, K (or "# m: 8192" lines), then mean_s or ms. Other lines that start
// with # and hold "name: value" give provenance (device, clock, driver, compiler, date, source), and "kernel VERSION: ID" or
// "reference VERSION: NAME" say what a version is. GFLOPS are computed from the times.
base::Result<std::vector<Series>> read_published(const std::filesystem::path& csv);

} // namespace gpu
