// Arithmetic over figures: numbers, names, + - * / % ^, comparisons, && || and ?:, and the functions of muParser, in doubles.
#pragma once

#include "base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lesson {

// What a name stands for; errors say why it stands for nothing.
using Lookup = std::function<base::Result<double>(const std::string& name)>;

// The names in a formula, each once, in the order in which they stand there. A name may have points: access.wavefronts.
std::vector<std::string> names_in(std::string_view formula);

// It names a speed, which is measured; every other figure is counted.
bool is_measured(std::string_view formula);

// Further functions: floor, ceil, round, ceil_div(a, b). Errors: it is longer than it may be, a name stands for nothing, the form is wrong, or
// what comes out is no number.
base::Result<double> evaluate(const std::string& formula, const Lookup&);

} // namespace lesson
