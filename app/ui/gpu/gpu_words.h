// What the window says of the GPU.
#pragma once

#include "ui/panel.h"

#include <string>

namespace ui {

// What `R` does in this view, how far it is, or why it does nothing.
std::string gpu_sentence(const Context&);

} // namespace ui
