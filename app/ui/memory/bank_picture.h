// One access to shared memory as a picture: its words on the 32 banks, and below one line for each wavefront. For the Banks
// view, and for each side of the comparison.
#pragma once

#include "ui/time/access.h"
#include "ui/views.h"
#include "views/bank_words.h"

namespace ui {

struct BankScene { // of one frame
    Context& context;
    const BlockPicture& picture;
    AccessShown shown;
    BankWords words;
    const std::vector<analysis::Origin>& origin; // of shared memory's words when the access was executed
    int lane = 0;                                // selected
    uint32_t peers = 0;                          // lanes that the mouse is over, here or in another view
    int hovered_bank = -1;
};

// `shown` is an access of `picture` to shared memory; `arch` decides the rule.
BankScene bank_scene(Context&, const BlockPicture& picture, const AccessShown& shown, const std::string& arch);

// "8-way bank conflict: 8 wavefronts, ideal 1"
std::string bank_headline(const BankScene&);

// Rows as high as `area` allows, words above wavefronts or, where that is too low to read and wide enough, side by side.
// Hover and clicks included. Returns the lower end, which is below the area when even thin rows are too many.
enum class BankLayout { as_it_fits, stacked };
float draw_bank_picture(BankScene&, const Rect& area, BankLayout);

// Height of the picture, stacked, with rows of `row` pixels.
float bank_picture_height(const BankScene&, float row);

// Ramp of the conflict degrees at the right end of `line`, if there is room right of `left`.
void draw_bank_legend(const BankScene&, const Rect& line, float left);

} // namespace ui
