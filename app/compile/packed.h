// What comes compiled with the program, where it is installed: kernels of lessons, stories and the first screen, for machines without
// NVRTC. compiler.h looks there after its cache.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <filesystem>
#include <string>

namespace compile {

struct Packed {
    size_t kernels = 0;             // 0: none
    std::string nvrtc, ptxas, path; // versions of what compiled them
    std::string damage;             // why the file cannot be used; empty: it can, or there is none
};
Packed packed();

// Makes such a file of everything that the cache holds. Returns how many kernels. Errors: no NVRTC or ptxas; the cache is empty,
// or too large to come with a program.
base::Result<size_t> write_pack(const std::filesystem::path&);

} // namespace compile
