// What doctor and machines tell of remote GPUs.
#pragma once

#include "cli/commands.h"
#include "session/machines.h"

#include <vector>

namespace cli {

// One of each, tried side by side: a GPU, its driver and how far it is, or why there is no answer.
std::vector<Check> machine_checks(const std::vector<session::Machine>&);

} // namespace cli
