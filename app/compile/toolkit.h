// Where a CUDA Toolkit may lie, or the wheels that take its place.
#pragma once

#include <filesystem>
#include <vector>

namespace compile {

// Folders with include/, bin/ and the like below, some of which may not exist: first those that NVRTC's file
// may belong to, since versions that are mixed give errors that nobody understands; then $CUDA_HOME,
// $CUDA_PATH, /usr/local/cuda and fetched_toolkits().
std::vector<std::filesystem::path> toolkit_folders(const std::filesystem::path& nvrtc);

// Of wheels, likewise: the private environment that gemmscope.sh makes, and what `gemmscope setup` fetched.
std::vector<std::filesystem::path> fetched_toolkits();

} // namespace compile
