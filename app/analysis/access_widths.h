// How wide the accesses to memory are that the PTX has, and those that ptxas makes of them.
#pragma once

#include "trace/machine.h"

#include <vector>

namespace analysis {

// Memory accesses in the program text, by width: PTX and machine code side by side.
struct AccessWidth {
    trace::Kind kind = trace::Kind::load;
    trace::Space space = trace::Space::none;
    int bytes = 0; // per lane
    int source_line = 0;
    uint32_t ptx = 0, machine = 0; // instructions
};
// Loads and stores of shared and global memory and asynchronous copies, by kind, space, width and source line, in this order.
std::vector<AccessWidth> access_widths(const trace::Listing& ptx, const trace::MachineListing&);

} // namespace analysis
