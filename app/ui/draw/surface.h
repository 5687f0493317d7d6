// What is drawn on: the whole window, a popup over it, a place of the window that shows one view.
#pragma once

#include "ui/draw/draw.h"

namespace ui {

// From here to its end everything is drawn on the whole window, in the font of texts.
class WholeWindow {
public:
    WholeWindow(const Context&, const char* id);
    ~WholeWindow();
    WholeWindow(const WholeWindow&) = delete;
    WholeWindow& operator=(const WholeWindow&) = delete;
};

// Likewise on a popup in the middle of the window.
class Popup {
public:
    // `size` in pixels, its frame of `padding` included.
    Popup(const Context&, const char* id, ImVec2 size, float padding);
    ~Popup();
    Popup(const Popup&) = delete;
    Popup& operator=(const Popup&) = delete;

    bool clicked_elsewhere() const; // after what is drawn on it
};

// The view as `gemmscope render` draws it: without tabs and buttons.
void draw_slide(Context&, const char* child, const Rect&, const PanelRow&);

} // namespace ui
