// A file of measured points that grows while they are measured: what was killed is continued by the next run.
#pragma once

#include "catalog/kernel.h"
#include "measure/bench_point.h"

#include <filesystem>
#include <string>
#include <vector>

namespace measure {

struct PointFile {
    std::vector<BenchPoint> points;
    std::string command; // of the provenance; empty if there is none
};
// Lines as `gemmscope bench --json` prints them; a line {"provenance":{"command":...}} may come first. There may be no points yet.
// Errors name the line.
base::Result<PointFile> read_points(const std::filesystem::path& json);

// One line a point, as `gemmscope bench --json` prints it; the first line says the command.
class PointLog {
public:
    // A new file gets {"provenance":{"command":...,"started":...}}. A last line without an end, of a run that
    // was killed while it wrote, is cut off. Errors: the file cannot be read or written, or holds something
    // else; they name the line.
    static base::Result<PointLog> open(const std::filesystem::path&, const std::string& command);

    const std::vector<BenchPoint>& points() const { return points_; } // those of earlier runs first

    struct Key {
        std::string kernel;
        catalog::Values parameters;
        catalog::OperandType operands = catalog::OperandType::f32;
        catalog::Problem problem;
        std::string device, driver;
        std::string library{}; // of a reference; empty: whatever it was
    };
    // The latest point of this key, of this or an earlier run, with at least so many samples; nullptr: none.
    const BenchPoint* find(const Key&, int least_samples = 1) const;
    base::Status append(const BenchPoint&);

private:
    explicit PointLog(std::filesystem::path path) : path_(std::move(path)) {}

    std::filesystem::path path_;
    std::vector<BenchPoint> points_;
};

} // namespace measure
