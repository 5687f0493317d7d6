// Colours, fonts and the 4-pixel grid. A colour means one thing in every view; see Palette.
#pragma once

#include "session/view.h"

#include <imgui.h>

#include <algorithm>

namespace ui {

struct Palette {
    ImU32 background, panel, line; // window, panel, thin rules
    ImU32 text, dim;               // dim: units, labels, what is not selected
    ImU32 selection;               // the one shared selection; hover is the same at half strength
    ImU32 load, store;             // blue loads, orange stores
    ImU32 a, b, c;                 // the three matrices
    ImU32 finding;                 // an error of the kernel or of the user, as a mark
    ImU32 alarm;                   // a sentence about one
    ImU32 fma, barrier;            // timeline
    ImU32 ramp[9];                 // cividis, low to high: conflict degree, time
};
const Palette& palette(session::Theme);
ImU32 with_alpha(ImU32 colour, float alpha);
ImU32 mixed(ImU32 from, ImU32 to, float amount); // opaque; amount 0: from
float contrast(ImU32, ImU32);                    // WCAG 2: 1 to 21; text needs 7, marks 3
// The hue of a mark as the ink of words: moved towards `text` until it reads on `ground` (7:1), or as far as that goes.
ImU32 legible(ImU32 mark, ImU32 ground, ImU32 text);
// Black or white, whichever reads better on `ground`.
ImU32 ink_on(ImU32 ground);

struct Style {
    Palette colour;
    ImFont* text = nullptr;    // labels
    ImFont* heading = nullptr; // panel titles
    ImFont* mono = nullptr;    // code, addresses, numbers
    ImFont* figure = nullptr;  // a number for the back row: large, ASCII only
    // On the stage the caption, its title and the one large number (ASCII only); elsewhere text, heading and figure.
    ImFont *caption = nullptr, *title = nullptr, *poster = nullptr;
    float unit = 4;    // 4 px at 1x; every distance is a multiple
    float type = 1;    // how much larger than 1x the type is: scale, times 1.6 on a projector
    float density = 1; // pixels of the screen along one of ImGui's: 2 where Wayland scales windows by 2
    bool dark = true;
    bool stage = false; // the window shows the stage
    // A line that stands for data, `weight` pixels at 1x: on the stage at least 3 pixels of 720.
    float data_line(float weight) const { return type * (stage ? std::max(weight, 1.875f) : weight); }
};

// Colours and distances of ImGui's own widgets, from ours.
void apply(const Style&, ImGuiStyle&);

} // namespace ui
