// Sentences that float above the panels.
#pragma once

#include "ui/draw/draw.h"

namespace ui {

void draw_notices(Context&, float bottom);                  // above y = bottom, each for a while
void draw_remark(Context&, std::string_view, float bottom); // one dim line above y = bottom,
float remark_height(const Style&);                          // as high as this
void notify(Context&, std::string text);                    // adds a notice
constexpr double notice_seconds = 8;

} // namespace ui
