// State files: a view that can be read is written, and reads back as itself.
// Coverage: app/session/view.cpp
#include "entry.h"

#include "session/view.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    auto view = session::view_from_json(text_of(data, size));
    if (!view) return 0;
    const std::string written = session::to_json(*view);
    auto again = session::view_from_json(written);
    if (!again || session::to_json(*again) != written) std::abort();
    return 0;
}
