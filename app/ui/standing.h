// How fast each kernel of the ladder is beside cuBLAS, from whatever series there are.
#pragma once

#include "ui/plot_data.h"

#include <map>
#include <string>

namespace ui {

// All shares come from one device and one problem, so that the bars may be compared.
struct Standing {
    std::map<std::string, double>
        share; // kernel id -> GFLOPS / those of cuBLAS for the same type of operands, of the same origin
    gpu::Origin origin = gpu::Origin::recorded;
    int live =
        0; // of the shares, where `origin` is recorded: those that were measured here, on the same device
    std::string device;
    catalog::Problem problem;
    bool exact = false; // problem is the one asked for; else the largest that was measured
};

// Of completed() groups. Prefers what was measured at `problem`, then live to recorded to published, then the
// most kernels. Empty `share`: nothing fits.
Standing standing(const std::vector<SeriesGroup>&, catalog::Problem problem);

} // namespace ui
