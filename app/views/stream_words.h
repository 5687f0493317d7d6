// How a product went through a GPU that is too small for it, in sentences: for the view of streams and `gemmscope stream`.
#pragma once

#include "session/streams.h"
#include "views/strings.h"

#include <string>

namespace views {

std::string stream_origin(const Strings&, const measure::StreamRecord&); // planned or recorded, on what
std::string stream_tiles(const Strings&, const session::Stream&);        // how many, how large, in how much memory
// How long it takes, and beside it what the same product takes within the GPU's memory.
std::string stream_time(const Strings&, const session::Stream&);
std::string stream_waits(const Strings&, const session::Stream&); // for what the arithmetic waits
const char* stream_row_key(measure::StreamRow);                   // "stream.copy_in"

} // namespace views
