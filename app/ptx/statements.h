// Statements of a function's body. Internal to app/ptx.
#pragma once

#include "ptx/parsing.h"

namespace ptx {

// block := "{" { statement | block } "}"
void parse_block(Parsing&);

} // namespace ptx
