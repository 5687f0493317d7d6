// What the current kernel is about: its idea, what to look at, and its story.
#pragma once

#include "ui/draw/draw.h"

namespace ui {

// Two sentences in a band over the views, and the buttons of the story and the stage. `idea_height`: what it needs in that width.
float idea_height(const Context&, float width);
void draw_idea(Context&);

// The story, over the window, while Chrome::story is set.
void draw_story(Context&);

} // namespace ui
