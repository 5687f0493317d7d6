// The champion's log: a page of steps, dead ends among them; each opens the view in which its cause is seen.
#pragma once

#include "ui/draw/draw.h"
#include "ui/key_press.h"

#include <string_view>

namespace ui {

// `kernel`: at its first step; empty: where the reader was.
void open_log(Context&, std::string_view kernel = {});
void draw_log(Context&, const Rect&);
// Whether the page took the key.
bool log_takes(Context&, const KeyPress&);
bool log_tells_of(const Context&, std::string_view kernel);

// The lines of the source that a step shows, until the reader steps on. Once a frame.
void follow_log(Context&);

// While the view of a step is seen, a line below everything leads back to the page.
bool has_log_line(const Context&);
void draw_log_line(Context&, const Rect&);

} // namespace ui
