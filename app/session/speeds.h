// How fast the settings of one kernel are on one device, as far as it was measured: here, by a sweep, or as recorded. Nothing
// is interpolated.
#pragma once

#include "measure/series.h"
#include "session/sweeps.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace session {

struct Speed {                // of one setting at one size
    double gflops = 0;        // 0: it could not be measured, see `failure`
    double cublas_gflops = 0; // beside it, of the same operands; 0: unknown
    std::string failure;      // a clause
    measure::Origin origin = measure::Origin::recorded;
    std::string device, date, source;                                               // source: the command, or the file
    double ratio() const { return cublas_gflops > 0 ? gflops / cublas_gflops : 0; } // 1: as fast as cuBLAS; 0: unknown
};

// A picture of what is known at one moment: it holds pointers into `series`.
class Speeds {
public:
    Speeds(std::shared_ptr<const catalog::Kernel>, const std::vector<KernelSweep>&,
           const std::vector<measure::Series>& series, std::string device);

    const catalog::Kernel& kernel() const { return *kernel_; }
    const std::string& device() const { return device_; }

    // What was measured here goes before the user's own sweeps, those before recorded ones, and those before single recorded
    // points. `values` name every parameter. Nothing: it was never measured.
    std::optional<Speed> at(const catalog::Values& values, const catalog::Problem&) const;

    struct Best {
        catalog::Values values;
        Speed speed;
    };
    std::optional<Best> best(const catalog::Problem&) const; // of all settings measured at exactly this size
    // Of the legal settings that differ from `values` in one parameter by one legal step, the fastest; nothing: none was measured.
    std::optional<Best> best_neighbour(const catalog::Values& values, const catalog::Problem&) const;
    std::vector<catalog::Problem> sizes() const;          // at which anything was measured, ascending
    std::vector<catalog::Problem> compared_sizes() const; // of them those of which a sweep or two settings are known

private:
    std::vector<std::pair<catalog::Problem, bool>> known_sizes() const;
    // Calls f(series, sample) for the kernel's settings of the origin on the device.
    template <class F>
    void each_setting(F f) const;
    std::optional<Speed> measured_alone(measure::Origin, const catalog::Values&, const catalog::Problem&) const;
    double cublas_at(measure::Origin, const catalog::Problem&) const;

    std::shared_ptr<const catalog::Kernel> kernel_;
    std::string device_;
    std::vector<const measure::Series*> series_; // of the device: the kernel's, and cuBLAS with operands of its type
    std::vector<KernelSweep> sweeps_;            // of the device and of the kernel as it is now
};

// Every pair of values that two parameters offer, the others as in `values`.
struct SpeedMap {
    std::vector<int> columns, rows; // ascending
    struct Cell {
        catalog::Values values;
        const catalog::Rule* broken = nullptr; // that forbids them; of the kernel
        std::optional<Speed> speed;
        double gflops() const { return speed ? speed->gflops : 0; } // 0: unknown
    };
    std::vector<Cell> cells;    // row by row
    double least = 0, most = 0; // GFLOPS of the slowest cell that was measured and of the fastest; 0: none was
};
// The kernel has both parameters, and they are two.
SpeedMap speed_map(const Speeds&, const catalog::Values& values, const catalog::Problem&, const std::string& columns,
                   const std::string& rows);

// The device whose speeds are shown of a kernel: this machine's where anything was measured on it, else `otherwise`.
std::string speed_device(const catalog::Kernel&, const std::vector<KernelSweep>&, const std::vector<measure::Series>&,
                         const std::string& here, const std::string& otherwise);

} // namespace session
