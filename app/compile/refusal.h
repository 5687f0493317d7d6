// PTX that ptxas refuses.
#pragma once

#include "compile/compiler.h"

#include <string>
#include <string_view>

namespace compile {

// A line of a source file, 1-based.
struct Place {
    std::string file; // empty: unknown
    int line = 0;
};

// Whether both name one file. What a source is named may be relative; NVRTC notes absolute paths.
bool is_same_file(const std::string& a, const std::string& b);

// Where a line of PTX came from, by the .loc before it.
Place source_of(std::string_view ptx, int line);

// What ptxas said of `ptx`, at the lines of its source: most often inline PTX, since NVRTC's own is right.
CompileError refusal(std::string_view log, const Ptx& ptx, const Source& source);

} // namespace compile
