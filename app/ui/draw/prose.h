// Paragraphs of a lesson, in lines: words in their own weight, code in the fixed font, computed figures marked.
#pragma once

#include "lesson/prose.h"
#include "ui/draw/draw.h"

namespace ui {

// `font` is that of plain words. Returns the height. `ink` 0 measures alone.
float draw_prose(const Style&, ImFont* font, ImVec2 at, float width, ImU32 ink, const lesson::Prose&);

} // namespace ui
