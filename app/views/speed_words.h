// Speeds and the units that make them, in words: for the window and the command line.
#pragma once

#include "analysis/intensity.h"
#include "session/speeds.h"
#include "views/strings.h"

#include <string>

namespace views {

// "87.0 % of cuBLAS FP32"; of operands that cuBLAS does not multiply, of those that it is compared in.
std::string of_cublas(const Strings&, double share, catalog::OperandType);

// "recorded on NVIDIA H200"
std::string speed_origin(const Strings&, const session::Speed&);

// "FP64", "popc", "FP64 tensor cores"
std::string unit_text(const Strings&, analysis::Unit);

std::string percent_text(double part, double whole); // "93.1 %"; "—" where the whole is not known

} // namespace views
