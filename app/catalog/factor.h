// alpha and beta as a kernel takes them.
#pragma once

#include "base/result.h"
#include "catalog/operands.h"

#include <string_view>

namespace catalog {

// as_factor(). Errors name `name`: the value is not finite there, such as 1e300 of floats. Every C would be as good as
// any other.
base::Result<double> finite_factor(OperandType, double value, std::string_view name);

} // namespace catalog
