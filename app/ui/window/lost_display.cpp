#include "ui/window/lost_display.h"

#include "base/result.h"
#include "base/shared_library.h"

#include <cstdio>
#include <cstdlib>

namespace ui {
namespace {

using Handler = int(void* display); // XIOErrorHandler, without Xlib's headers

int end(void*) {
    std::fputs("gemmscope: the display was lost\n", stderr);
    std::_Exit(static_cast<int>(base::Failure::missing));
}

} // namespace

void end_when_display_is_lost() {
    const auto xlib = base::SharedLibrary::open({"libX11.so.6"}); // the one that GLFW has loaded
    if (!xlib) return;
    if (auto* set = xlib->function<Handler*(Handler*)>("XSetIOErrorHandler")) set(end);
}

} // namespace ui
