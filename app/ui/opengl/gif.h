// Pictures as blocks of a GIF file (GIF89a).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ui {

std::string gif_number(int value); // two bytes, the lower first

// Screen of that size without colours of its own, shown for ever.
std::string gif_header(int width, int height);

// One picture at its place: control, colours, pixels. `rgba`: rows from the top; what is transparent shows what was there before. Of more
// than 255 colours the rarest take the nearest of the others.
std::string gif_picture(int x, int y, int width, int height, const std::vector<uint8_t>& rgba, int centiseconds);

} // namespace ui
