// Fetches the wheels that take a CUDA Toolkit's place from PyPI, by Python's pip, which compares their checksums.
#pragma once

#include "compile/wheels.h"

#include <functional>
#include <stop_token>

namespace compile {

struct Fetching { // bytes
    uintmax_t fetched = 0, of = 0;
    uintmax_t unpacked = 0; // pip unpacks once all are here
};

// Into wheels_folder(), whose contents stay as they are until all is there. `progress` is called four times a second, from this thread. Errors: no
// pip, no network, no room, or a stop was asked for.
base::Status fetch_wheels(const std::vector<Wheel>&, std::stop_token,
                          const std::function<void(const Fetching&)>& progress);

} // namespace compile
