// Planted mistakes switched on: the source as they change it.
#pragma once

#include "catalog/kernel.h"

#include <set>
#include <string>
#include <vector>

namespace catalog {

const Break* find_break(const Kernel&, std::string_view name); // nullptr: it has none of that name

// Kernel::source with those mistakes. Errors: the kernel has no such mistake, its text does not stand in the code exactly once (any more), or
// two of them change the same text.
base::Result<std::string> broken_source(const Kernel&, const std::set<std::string>& names);

// The lines of the file that they change, from 1, ascending. What broken_source() refuses changes none.
std::vector<int> broken_lines(const Kernel&, const std::set<std::string>& names);

// Whether the mistake can show with these values and at this size: what Break::when says.
bool can_show(const Kernel&, const Break&, const Values&, const Problem&);

} // namespace catalog
