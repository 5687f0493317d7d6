// A view alone, below a line that says of what it is: for its picture and for its text.
#pragma once

#include "ui/panel.h"

#include <optional>
#include <string_view>

namespace ui {

// Of which size the view is; nothing where it is of other sizes, and says of which.
std::optional<catalog::Problem> problem_of(const session::View&, const PanelRow&);
void draw_alone(Context&, const PanelRow&);
// What the view shows by itself: its tab, a comparison with the rung below, a schedule of the size that was asked for.
void pose(session::View&, const PanelRow&, const session::Session&);
// The session moves a selection that does not exist to one that does; here it was asked for by number.
base::Status selection_exists(const session::View&, const session::Session&);

base::Error unknown_view(std::string_view name);
Page page_named(std::string_view name);

} // namespace ui
