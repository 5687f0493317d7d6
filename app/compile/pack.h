// Compiled code that comes with the program, for machines without NVRTC: one file that scripts/pack.sh makes of a cache and
// the cache's own keys, read only.
#pragma once

#include "base/result.h"
#include "compile/nvrtc_library.h"
#include "compile/ptxas.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace compile {

class Pack {
public:
    // Errors: it cannot be read, or its list of contents is damaged.
    static base::Result<Pack> open(const std::filesystem::path&);

    // What made it. Where these are missing, keys are as if they were here.
    const NvrtcFacts& nvrtc() const { return nvrtc_; }
    const PtxasFacts& ptxas() const { return ptxas_; }
    size_t kernels() const { return kernels_; } // compiled to PTX
    const std::filesystem::path& path() const { return path_; }

    // As cache::find(). Thread-safe.
    std::optional<std::vector<std::string>> find(const std::string& key) const;

private:
    struct Entry {
        uint64_t start = 0, bytes = 0; // in the file
    };
    std::filesystem::path path_;
    NvrtcFacts nvrtc_;
    PtxasFacts ptxas_;
    size_t kernels_ = 0;
    std::map<std::string, Entry> entries_;
};

// Of everything that the cache holds. Returns the number of kernels. Errors: it is empty, or too large to come with a program;
// the file cannot be written.
base::Result<size_t> write_pack(const std::filesystem::path&, const NvrtcFacts&, const PtxasFacts&);

} // namespace compile
