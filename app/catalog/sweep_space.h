// Which settings of a kernel a sweep measures.
#pragma once

#include "catalog/kernel.h"

#include <optional>
#include <string_view>
#include <vector>

namespace catalog {

enum class SweepSpace {
    tiles, // every combination of BM, BN, BK, TM, TN, or what the kernel calls its tiles, the others at their initial values
    near, // whatever differs from the initial setting in at most two parameters
    all,  // every legal setting, variants at their initial values
};
std::optional<SweepSpace> sweep_space_named(std::string_view); // nothing: there is none

// The legal ones, those that differ from the initial setting in the fewest parameters first; among these in an order that is
// random, but the same each time, so that whoever measures only some sees something of all. Errors: more than a million.
base::Result<std::vector<Values>> sweep_settings(const Kernel&, SweepSpace);

} // namespace catalog
