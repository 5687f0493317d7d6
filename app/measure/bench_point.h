// One measured point, as `gemmscope bench --json` prints it.
#pragma once

#include "base/fields.h"
#include "base/result.h"
#include "catalog/operands.h"
#include "catalog/operation.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

// How cuBLAS multiplies operands of a type: "pedantic_fp32" (no tensor cores), "tf32", "bf16", "fp64".
std::string_view cublas_mode(catalog::OperandType);

struct CublasPoint {
    std::string mode; // cublas_mode() of the operands; empty: cuBLAS was not there
    double median_ms = 0, gflops = 0;
    std::string algorithm; // the fastest of those tried: "cublasSgemm", "cublasLt heuristic 3 (algorithm 21,
                           // split-K 2)"; empty: unknown
    std::optional<double> spread = {}, joules = {}; // as in BenchPoint
    bool operator==(const CublasPoint&) const = default;
};

struct BenchPoint {
    std::string kernel; // its id, or that of a reference (measure/references.h)
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
    int rounding = 1;           // what the kernel's file multiplies the tolerance by: catalog::rounding()
    int elements_checked = 0;   // of C, against the CPU; 0 (null in JSON): unknown, in older files
    std::string device, driver, cuda, date;
    std::string library;          // what multiplied, "OpenBLAS 0.3.21, Haswell kernels"; empty: a kernel
    int sm_clock_mhz = 0;         // while the last launches ran
    int clock_before_mhz = 0;     // while the last of the warm-up ran; 0 (null in JSON): unknown
    std::optional<double> spread; // interquartile range of the samples over their median; nothing (null): too few
    // Of a launch among launches that follow one another: what the whole card takes, idle power included. Nothing (null): the clock was at its
    // highest, where energy limits nothing, NVML does not count it, or the time limit is too short for its counter to move.
    std::optional<double> joules;
    bool operator==(const BenchPoint&) const = default;
};

struct NotedPoint {
    BenchPoint point;
    std::vector<std::string>
        notes; // what to know about it: "the clock fell from 1980 to 1755 MHz while it was measured"
    bool operator==(const NotedPoint&) const = default;
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

} // namespace measure
