#pragma once

#include <string>
#include <vector>

namespace compile {

// Of CUDA's own headers, which NVRTC finds by itself, without links. Empty: there is no NVRTC.
std::vector<std::string> include_folders();

} // namespace compile
