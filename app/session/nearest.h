// What the user probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace session {

// The name with the fewest edits from `given`; empty if none is near. Upper and lower case count as equal.
std::string nearest(std::string_view given, const std::vector<std::string>& names);

} // namespace session
