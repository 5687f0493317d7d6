// The champion's log in words, for the window and the command line alike.
#pragma once

#include "views/strings.h"

#include <string>

namespace views {

std::string value_text(const Strings&, const LogFigure&);  // "52.9 TFLOPS, 1.05 × cuBLAS"
std::string figure_text(const Strings&, const LogFigure&); // "52.9 TFLOPS, 1.05 × cuBLAS, 4096³; before 54.2"
std::string predicted_text(const Strings&, const LogStep&);
std::string outcome_text(const Strings&, const LogStep&);
std::string measured_on(const Strings&, const LogEntry&); // "NVIDIA H200 · driver 580.1 · nvcc 13.0 · 2026-11-22"

} // namespace views
