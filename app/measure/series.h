// Series of points: measured now, recorded, published.
#pragma once

#include "measure/bench_point.h"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace measure {

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
// assets/published/*.csv. Columns: version, then M, N, K (or "# m: 8192" lines), then mean_s or ms. Other lines that start
// with # and hold "name: value" give provenance (device, clock, driver, compiler, date, source), and "kernel VERSION: ID" or
// "reference VERSION: NAME" say what a version is. GFLOPS are computed from the times.
base::Result<std::vector<Series>> read_published(const std::filesystem::path& csv);

} // namespace measure
