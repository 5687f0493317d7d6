// One access to global memory as a picture: its 128-byte lines and their sectors. For each side of the comparison; sectors.cpp has it.
#pragma once

#include "ui/time/access.h"

namespace ui {

// "Uncoalesced: 32 sectors, ideal 4; ..."
std::string sector_headline(Context&, const BlockPicture&, const AccessShown&);

// In the free area of the current window: what share of the bytes moved is used, then the lines.
void draw_sector_picture(Context&, const BlockPicture&, const AccessShown&);

} // namespace ui
