// What the map draws in one frame, gathered from the picture of the block, and the layers that draw it.
#pragma once

#include "ui/map/map_layout.h"

namespace ui {

// What a lane touches at the current step, through shared memory or directly: an element, or a word of bits.
struct Touched {
    int array = 0; // of BlockPicture::arrays
    analysis::Rectangle box;
    int lane = 0;
};

struct MapScene {
    Context& context;
    const BlockPicture& picture;
    const ArrayPicture &a, &c;
    const ArrayPicture* b = nullptr; // nullptr: C is computed from A, element by element
    MapLayout layout{};
    MapSize size{};
    int warp = 0, lane = 0, thread = 0; // selected
    uint32_t event = 0;                 // the step, of the selected warp
    const trace::Instruction* instruction = nullptr;
    std::vector<Touched> touched{};
    std::vector<uint32_t> rows{}, columns{}; // of C that the selected lane stores to, ascending
    const Slab* slab = nullptr;
    session::Hover hover{}; // of the last frame

    int array_index(const ArrayPicture& array) const { return static_cast<int>(&array - picture.arrays.data()); }
};

// Of the event, by address or by the origin of the shared words.
std::vector<Touched> touched_elements(Context&, const BlockPicture&, uint32_t event);

// Fills in rows and columns of the selected lane's elements of C.
void find_lane_elements(MapScene&);

// Rows and columns of k that a slab's boxes span in A and B; 0..0 when it has none.
KRange k_range(const MapScene&, const std::vector<analysis::Rectangle>& boxes);

void draw_operand(const MapScene&, const Plane&, const ArrayPicture&, ImU32 colour);
void draw_result(const MapScene&);
void draw_rulers(const MapScene&);
void draw_map_legend(const MapScene&);

} // namespace ui
