// Colours, fonts and the 4-pixel grid. A colour means one thing in every view; see Palette.
#pragma once

#include "session/view.h"

#include <imgui.h>

namespace ui {

struct Palette {
    ImU32 background, panel, line;   // window, panel, thin rules
    ImU32 text, dim;                 // dim: units, labels, what is not selected
    ImU32 selection;                 // the one shared selection; hover is the same at half strength
    ImU32 load, store;               // blue loads, orange stores
    ImU32 a, b, c;                   // the three matrices
    ImU32 finding;                   // an error of the kernel or of the user
    ImU32 fma, barrier;              // timeline
    ImU32 ramp[9];                   // cividis, low to high: conflict degree, time
};
const Palette& palette(session::Theme);
ImU32 with_alpha(ImU32 colour, float alpha);

struct Style {
    Palette colour;
    ImFont* text = nullptr;          // labels
    ImFont* heading = nullptr;       // panel titles
    ImFont* mono = nullptr;          // code, addresses, numbers
    float unit = 4;                  // 4 px at 1x; every distance is a multiple
    bool dark = true;
};

} // namespace ui
