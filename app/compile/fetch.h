// Fetches the wheels that take a CUDA Toolkit's place from PyPI, by Python's pip, which compares their checksums.
#pragma once

#include "compile/wheels.h"

#include <functional>
#include <stop_token>

namespace compile {

// Those to compile with, for the version of CUDA that this machine's driver knows, or 13. Errors: the list, assets/cuda_wheels.txt, is missing.
base::Result<std::vector<Wheel>> wheels_to_compile_with();
// The major version: 12 or 13.
int cuda_of_driver();

struct Fetching { // bytes
    uintmax_t fetched = 0, of = 0;
    uintmax_t unpacked = 0; // pip unpacks once all are here
};

// Into wheels_folder(), whose contents stay as they are until all is there. `progress` is called four times a second, from this thread. Errors: no
// pip, no network, no room, or a stop was asked for.
base::Status fetch_wheels(const std::vector<Wheel>&, std::stop_token,
                          const std::function<void(const Fetching&)>& progress);

// This process has looked for them before: what it then found, or missed, counts no more.
void look_for_compilers_again();

} // namespace compile
