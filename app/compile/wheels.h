// The wheels of PyPI that take a CUDA Toolkit's place, as `gemmscope setup` lays them into the user's own folder.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace compile {

struct Wheel {
    std::string name;    // "nvidia-cuda-nvrtc==13.0.88"
    uintmax_t bytes = 0; // to fetch
};

// Those of a list as assets/cuda_wheels.txt is: for a major version of CUDA, with cuBLAS or without. Errors: the list has none
// for this version.
base::Result<std::vector<Wheel>> wheels_of(std::string_view list, int cuda, bool cublas);

// Where they are: a folder like a toolkit's root, with bin/, include/ and lib/. It may not exist.
std::filesystem::path wheels_folder();

// Makes bin/, include/ and lib/ of links into the wheels that pip has unpacked in `folder`, and notes which they are. The links
// are relative: the folder can be renamed.
base::Status link_wheels(const std::filesystem::path& folder, const std::vector<std::string>& wheels);

// Which wheels link_wheels noted; none where it has not been.
std::vector<std::string> linked_wheels(const std::filesystem::path& folder);

} // namespace compile
