// What `gemmscope sweep` measured of one kernel on one kind of GPU: a setting of its parameters by the thousand, each at some
// sizes. A text file that a diff can show, sorted when it is finished:
//
//   gemmscope sweep 1
//   kernel: naive
//   code: 7d0a...                              catalog::code_hash()
//   device: NVIDIA H200
//   operation: product
//   operands: f32
//   BX BY size ms cublas_ms samples spread by
//   by 1: {"host":"lab1","gpu":0,"driver":"580.159.04",...}
//   8 8 1024 1.2345 0.0512 7 0.004 1
//   8 8 4096x4096x64 0.98 0.4 7 0.004 1
//   16 64 1024 - - 0 - 1 1024 threads x 80 registers are more than a multiprocessor has
//
// A run that was killed leaves it unsorted and perhaps with half a last line; it is read all the same.
#pragma once

#include "base/result.h"
#include "catalog/kernel.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

// Who measured, and when: of a record, many points have the same.
struct SweepSource {
    std::string host;         // of the worker
    int gpu = 0;              // its number there
    std::string driver, cuda; // cuda: of the compiler
    std::string cublas;       // version and algorithm of the reference; empty: there was none
    int sm_clock_mhz = 0;     // while the reference was measured first
    std::string date, command;
    bool operator==(const SweepSource&) const = default;
};

// One setting at one size. Times are medians of single launches, by events.
struct SweepPoint {
    catalog::Problem problem;
    double ms = 0;        // 0: it could not be measured, see `reason`
    double cublas_ms = 0; // the latest that was measured before it, at most some seconds earlier; 0: there was none
    double gflops = 0, cublas_gflops = 0; // 0 likewise
    int samples = 0;
    double spread =
        0; // how far `ms` may be off, as a share of it: measure::median_spread(), of fewer than six samples half their range
    int source = -1;    // index into SweepRecord::sources()
    std::string reason; // of a failure, a clause; empty: it was measured
    bool measured() const { return ms > 0; }
    double ratio() const { return measured() && cublas_ms > 0 ? cublas_ms / ms : 0; } // 1: as fast as cuBLAS
};

// Immutable; every lookup is by hash.
class SweepRecord {
public:
    SweepRecord() = default;
    SweepRecord(const SweepRecord&) = delete;
    SweepRecord& operator=(const SweepRecord&) = delete;
    // Of a file, or of its text (`path` is for messages). Errors name file and line. Bounds: see sweep_record.cpp.
    static base::Result<std::shared_ptr<const SweepRecord>> read(const std::filesystem::path&);
    static base::Result<std::shared_ptr<const SweepRecord>> parse(std::string_view text,
                                                                  const std::filesystem::path& path);

    const std::string& kernel() const { return kernel_; }
    const std::string& code() const { return code_; }
    const std::string& device() const { return device_; } // "NVIDIA H200"
    catalog::Operation operation() const { return operation_; }
    catalog::OperandType operands() const { return operands_; }
    const std::vector<std::string>& parameters() const { return parameters_; } // in the order of the columns
    const std::vector<SweepSource>& sources() const { return sources_; }
    const std::vector<catalog::Problem>& sizes() const { return sizes_; } // ascending
    const std::vector<SweepPoint>& points() const { return points_; }
    // Of one of points(); row: its values in the order of parameters().
    catalog::Values setting(const SweepPoint&) const;
    std::span<const int> row(const SweepPoint& point) const {
        return row(static_cast<size_t>(&point - points_.data()));
    }

    // nullptr: not measured, and nothing known of why. A point that failed is found.
    const SweepPoint* find(const catalog::Values&, catalog::Problem) const;
    // The fastest of a size; nullptr: there is none.
    const SweepPoint* best(catalog::Problem) const;

    // Columns of another code's record mean nothing: is it of this kernel as it is now?
    bool is_of(const catalog::Kernel&) const;

private:
    friend class SweepReader;
    std::optional<std::vector<int>> row_of(const catalog::Values&) const;
    const SweepPoint* find(const int* row, catalog::Problem) const;
    std::span<const int> row(size_t point) const {
        return {rows_.data() + point * parameters_.size(), parameters_.size()};
    }
    base::Status index();
    double gflops_of(catalog::Problem, double ms) const;

    std::string kernel_, code_, device_;
    catalog::Operation operation_ = catalog::Operation::product;
    catalog::OperandType operands_ = catalog::OperandType::f32;
    std::vector<std::string> parameters_;
    std::vector<SweepSource> sources_;
    std::vector<catalog::Problem> sizes_;
    std::vector<SweepPoint> points_;
    std::vector<int> rows_;               // of each point its values, one after another
    std::vector<uint32_t> table_;         // open addressing: 1 + the point
    std::vector<const SweepPoint*> best_; // of each size
};

// As a record holds it: printable, and no longer than its reader takes, whatever a worker said.
SweepSource bounded(SweepSource);
std::string printable(std::string_view, size_t most);

// The lines of a file.
std::string header_of(const catalog::Kernel&, const std::string& device);
std::string line_of(const SweepSource&, size_t number); // from 1
std::string line_of(std::span<const int> row, const SweepPoint&);
// The same record, sources in their order, points sorted by setting and size.
std::string text_of(const SweepRecord&);

// FOLDER/h200/double_buffer.txt
std::filesystem::path sweep_path(const std::filesystem::path& folder, std::string_view device, std::string_view kernel);

} // namespace measure
