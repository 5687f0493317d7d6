#include "catalog/factor.h"

#include <cmath>
#include <limits>

namespace catalog {

base::Result<double> finite_factor(OperandType type, double value, std::string_view name) {
    const bool is_double = result_of(type) == base::NumberType::f64;
    const double largest =
        is_double ? std::numeric_limits<double>::max() : static_cast<double>(std::numeric_limits<float>::max());
    if (std::fabs(value) <= largest) return as_factor(type, value); // of a NaN false
    return base::Error{base::Failure::usage,
                       base::say("{} = {:g} is not finite as the {} that the kernel takes", name, value,
                                 is_double ? "double" : "float"),
                       {},
                       base::say("choose a value between -{0:.3g} and {0:.3g}", largest)};
}

} // namespace catalog
