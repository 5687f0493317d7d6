// What the sliders of the TILE panel can be set to; shared by the panel, which draws them, and the keys.
#pragma once

#include "ui/panel.h"

#include <optional>
#include <string>
#include <vector>

namespace ui {

// The values in force, legal or not: the view's, completed by the kernel's initial ones; where it has none,
// what the session will start with.
catalog::Values values_in_force(const Context&, const catalog::Kernel&);
catalog::Values default_values(const Context&, const catalog::Kernel&);

// Sets a parameter to `value`, or to the nearest legal setting, others moved as little as possible.
void set_parameter(Context&, const catalog::Kernel&, const std::string& name, int value);

// Which of `count` stops, evenly spaced from `first` to `last`, is nearest to `x`.
size_t stop_at(float x, float first, float last, size_t count);

// Sets "m", "n" or "k" of the problem; at least 1, at most largest_size.
constexpr int largest_size = 16384;
void set_size(Context&, const std::string& name, int value);

// Keys: the next or previous slider or size gets the focus; then one legal value down or up (sizes: halved or doubled).
void focus_slider(Context&, int direction);
void slide(Context&, int direction);

// The architecture before (-1) or behind (1) `now`, which need not be among them: "sm_90a" stands between "sm_90" and "sm_100".
// Nothing: there is none.
std::optional<std::string> neighbour(const std::vector<std::string>& architectures, const std::string& now,
                                     int direction);

} // namespace ui
