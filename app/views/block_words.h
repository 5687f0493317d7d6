// Where and when the blocks of a launch ran, in sentences: for the view of blocks and `gemmscope timeline`.
#pragma once

#include "gpu/block_timeline.h"
#include "views/strings.h"

#include <string>

namespace views {

std::string blocks_origin(const Strings&, const gpu::BlockTimeline&);                      // measured here or recorded
std::string blocks_sentence(const Strings&, const gpu::BlockTimeline&, const gpu::Waves&); // waves and their tail
std::string blocks_launch(const Strings&, const gpu::BlockTimeline&);                      // how long one takes

} // namespace views
