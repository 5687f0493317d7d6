// One measured point, as `gemmscope bench --json` prints it, and files of such points.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gpu {

struct CublasPoint {
    std::string mode;          // "pedantic_fp32"
    double median_ms = 0, gflops = 0;
};

struct BenchPoint {
    std::string kernel;
    std::map<std::string, int> parameters;
    int m = 0, n = 0, k = 0, samples = 0;
    double median_ms = 0, min_ms = 0, back_to_back_ms = 0;
    double gflops = 0;         // 2 m n k / median, 1e9
    CublasPoint cublas;        // measured in the same process, interleaved
    double ratio = 0;          // cuBLAS median time / kernel median time
    double max_rel_error = 0;
    std::string device, driver, cuda, date;
    int sm_clock_mhz = 0;
};

std::string to_json(const BenchPoint&);                    // one line
base::Result<BenchPoint> point_from_json(const std::string& line);

// Where a series comes from; the plot gives each its own marker.
enum class Origin { live, recorded, published };

struct Sample {
    int m = 0, n = 0, k = 0;
    double gflops = 0;
};

struct Series {
    std::string name;          // kernel id or "cublas_fp32"
    std::string kernel;        // catalogue id that it measures; empty for references
    Origin origin = Origin::recorded;
    std::string device, clock, driver, compiler, date, source; // provenance; empty where unknown
    std::vector<Sample> samples; // ascending sizes
};

// assets/recorded/*.json and assets/published/*.csv.
base::Result<std::vector<Series>> read_recorded(const std::filesystem::path& json);
base::Result<std::vector<Series>> read_published(const std::filesystem::path& csv);

} // namespace gpu
