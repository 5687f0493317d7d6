// Where kernels stand on the roofline: operations a byte and operations a second, both of one size.
#pragma once

#include "views/plot_data.h"

#include <memory>
#include <vector>

namespace views {

// The sloped roof that the points belong to: L2's, where its bandwidth was measured, else that of memory.
struct ByteRoof {
    bool of_l2 = false;
    double gb_s = 0; // the most that is known of it
};

// What is known of the bytes of one launch; 0: nothing.
struct LaunchBytes {
    double asked = 0;                // by the executed program; caches answer some of it
    double at_l2 = 0, at_memory = 0; // as a profiler counted them
};

struct RooflinePlace {
    double flop_per_byte = 0; // of the roof's level; 0: not known yet
    // Of the bytes that the program asks for; less than flop_per_byte where the kernel is faster than the roof's level could
    // feed it so: caches before that level answer the rest. Then it stands at the roof, as far left as it can.
    double asked_flop_per_byte = 0;
    bool profiled = false;
    bool at_roof() const { return asked_flop_per_byte > 0 && asked_flop_per_byte < flop_per_byte && !profiled; }
    double leftmost() const { return at_roof() ? asked_flop_per_byte : flop_per_byte; }
    double answered() const { return 1 - asked_flop_per_byte / flop_per_byte; } // by caches, at least; of the bytes
};
RooflinePlace roofline_place(double flop, double gflops, const LaunchBytes&, const ByteRoof&);

// Bytes that a kernel executed at `counted` would ask for at `wanted`: what it reads grows with every product, what it
// stores with every element of C. Exact where the sizes are the same, or its tiles divide both.
double bytes_at(const analysis::Totals&, const catalog::Problem& counted, const catalog::Problem& wanted);

struct RooflinePoint {
    std::shared_ptr<const catalog::Kernel> kernel;
    Figure figure;
    bool current = false;
    std::optional<session::Subject> launch{}; // whose bytes are counted; nothing: of an older kernel
    RooflinePlace place{};
};
// Those of compared_kernels() that were measured in the group at this size.
std::vector<RooflinePoint> roofline_points(const session::Session&, const SeriesGroup&, const catalog::Problem&,
                                           const ByteRoof&);

} // namespace views
