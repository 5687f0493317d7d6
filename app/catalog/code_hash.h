// What a kernel's measurements belong to: its code, however its file tells of it.
#pragma once

#include "catalog/kernel.h"

#include <string>

namespace catalog {

// Of all that a GPU executes: the source without comments and blanks, which are not compiled, and the expressions of its
// launch. Titles, stories, rules and offered values may change without it.
std::string code_hash(const Kernel&);

} // namespace catalog
