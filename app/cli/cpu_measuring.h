// Points of OpenBLAS measured one after another on this machine's CPU, for bench.
#pragma once

#include "cli/terminal.h"
#include "cpu/openblas.h"

#include <memory>
#include <optional>
#include <string>

namespace cli {

class CpuMeasuring {
public:
    static base::Result<std::unique_ptr<CpuMeasuring>> start(); // errors: no OpenBLAS

    const cpu::OpenBlas& openblas() const { return *openblas_; }

    // As Measuring::measure(). Ctrl-C pressed twice ends it after the multiplication that runs.
    base::Result<measure::NotedPoint> measure(const measure::Workload&, double time_limit_s, const std::string& label);

    void clear() { terminal_.clear(); }
    bool interrupted() { return terminal_.interrupts() > 0; }

private:
    CpuMeasuring() = default;

    Terminal terminal_; // first: OpenBLAS's threads inherit how it takes Ctrl-C
    std::optional<cpu::OpenBlas> openblas_;
};

} // namespace cli
