// The arrays that a kernel declares in shared memory, under the names that its source gives them.
#pragma once

#include "sim/engine.h"

#include <string>
#include <vector>

namespace sim {

struct SharedArray {
    std::string name; // "As"
    uint32_t offset = 0,
             bytes = 0; // within the block's shared memory; bytes 0: dynamic, as much as the launch gives it
};
std::vector<SharedArray> shared_arrays(const Program&); // by offset

} // namespace sim
