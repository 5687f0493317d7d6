// Stand-ins for the host's headers, which NVRTC does not have.
#pragma once

#include <span>
#include <string_view>

namespace compile {

struct HostHeader {
    const char* name; // as in #include <name>
    const char* text;
};

// The C and C++ headers that files with kernels include, mostly for their host code. What device code uses of
// them is there (fixed-size integers, limits, std::min, the functions of <cmath>); the rest is empty.
std::span<const HostHeader> host_headers();

// The one of host_headers() to include before the first line: names that nvcc gives to every file (uint,
// INFINITY).
const char* host_prelude();

// The header that brings `name` to device code, of the namespace std or of none; nullptr: none is known.
const char* host_provider(std::string_view name, bool is_standard);

} // namespace compile
