// What floats above the panels.
#pragma once

#include "ui/draw.h"

namespace ui {

void draw_help(Context&);                                   // F1: the table of keys, or the glossary
void draw_notices(Context&, float bottom);                  // sentences above y = bottom, each for a while
void draw_remark(Context&, std::string_view, float bottom); // one dim line above y = bottom
void notify(Context&, std::string text);                    // adds a notice

constexpr double notice_seconds = 8;

} // namespace ui
