// Stand-ins for the host's headers, which NVRTC does not have.
#pragma once

#include <span>

namespace compile {

struct HostHeader {
    const char* name; // as in #include <name>
    const char* text;
};

// The C and C++ headers that files with kernels include, mostly for their host code. What device code uses of
// them is there (fixed-size integers, limits, std::min, the functions of <cmath>); the rest is empty. One
// that only holds templates of the standard library forwards to CUDA's own.
std::span<const HostHeader> host_headers();

// The one of host_headers() to include before the first line: names that nvcc gives to every file (uint,
// INFINITY).
const char* host_prelude();

} // namespace compile
