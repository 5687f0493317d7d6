// Compiles CUDA files as they lie in repositories: as they are and, where that fails, without their host code.
#pragma once

#include "compile/compiler.h"
#include "compile/compiler_log.h"
#include "compile/nvrtc_library.h"

#include <optional>
#include <string>
#include <vector>

namespace compile {

struct Reason {
    std::string file;
    int line = 0;
    base::Sentence text;
};

struct Attempt {
    NvrtcOutput output;            // of the last try
    std::vector<Diagnostic> notes; // warnings: headers that were not found and are read as empty
    std::optional<Reason> reason;  // of a failure that the log's first error does not explain
};
Attempt attempt(const Nvrtc&, const Source&, const std::vector<std::string>& options);

} // namespace compile
