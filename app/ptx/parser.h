// PTX text to a Module. The grammar stands beside each function in parser.cpp.
#pragma once

#include "base/result.h"
#include "ptx/module.h"

#include <string_view>

namespace ptx {

// Never fails on a statement that it does not know: that becomes Module::unknown and an instruction of
// Opcode::unknown in its place. Fails only where there is no PTX at all (no .version) or the text is absurdly large.
base::Result<Module> parse(std::string_view text);

} // namespace ptx
