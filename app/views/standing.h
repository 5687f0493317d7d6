// How fast each kernel of the ladder is beside cuBLAS, from whatever series there are.
#pragma once

#include "views/plot_data.h"

#include <map>
#include <string>

namespace views {

// All shares come from one device and one problem, so that the bars may be compared.
struct Standing {
    std::map<std::string, double>
        share; // kernel id -> GFLOPS / those of cuBLAS for the same type of operands, of the same origin
    std::map<std::string, double> gflops; // of the same kernels
    measure::Origin origin = measure::Origin::recorded;
    int live = 0; // of the shares, where `origin` is recorded: those that were measured here, on the same device
    std::string device;
    catalog::Problem problem;
    bool exact = false;                  // problem is the one asked for; else the nearest that was measured
    std::vector<catalog::Problem> cubes; // at which the same device was measured, ascending
};

// Of completed() groups, and of products alone. Prefers what was measured nearest to `problem`, then live to
// recorded to published, then the most kernels. Empty `share`: nothing fits.
Standing standing(const std::vector<SeriesGroup>&, const catalog::Problem& problem);

// How a kernel's bar is measured among those of its family: kernels of one arithmetic share a scale, for no
// percentage tells whether tensor cores are faster than FMAs, or bits than floats.
struct Yardstick {
    catalog::OperandType operands = catalog::OperandType::f32;
    bool percent = true;       // of cuBLAS, which all of the family's first arithmetic are told in; else TFLOPS
    bool beside_cublas = true; // which multiplies the same operands: it has a place on the scale
    double longest = 1;        // at the right end of the bars: a share of cuBLAS, or GFLOPS where cuBLAS has no place
};
// `family`: all of the kernel's own.
Yardstick yardstick(const std::vector<std::shared_ptr<const catalog::Kernel>>& family, const catalog::Kernel&,
                    const Standing&);
// How long the kernel's bar is, of one that reaches the end; nothing: it was not measured.
std::optional<double> bar_length(const Yardstick&, const Standing&, const std::string& kernel);

} // namespace views
