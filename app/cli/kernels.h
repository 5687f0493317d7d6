// Kernels as they are named where a command takes several.
#pragma once

#include "catalog/catalog.h"

#include <memory>
#include <string>
#include <vector>

namespace cli {

// By id, by family, or "every"; those that have parameters, each once, in the order in which they are named. Errors: there is no such
// kernel or family, or a kernel that is named has no parameters.
base::Result<std::vector<std::shared_ptr<const catalog::Kernel>>> kernels_named(const catalog::Catalog&,
                                                                                const std::vector<std::string>& names);

} // namespace cli
