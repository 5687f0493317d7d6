// What NVRTC and ptxas say, as records.
#pragma once

#include "compile/compiler.h"

#include <optional>
#include <string_view>

namespace compile {

// Errors and warnings in order. Lines are those of the file `name`; a message about another file keeps that file and
// line in its text.
std::vector<Diagnostic> diagnostics(std::string_view log, std::string_view name);

// What ptxas -v reports for the kernel of that mangled name.
std::optional<Resources> resources(std::string_view log, std::string_view entry);

} // namespace compile
