// What the window draws and what is told of it without a window (app/views) belong together: here their names need no prefix.
#pragma once

namespace views {}

namespace ui {

using namespace views;

} // namespace ui
