// Where and when the blocks of a launch ran, in sentences: for the view of blocks and `gemmscope timeline`.
#pragma once

#include "measure/block_timeline.h"
#include "views/strings.h"

#include <string>

namespace views {

std::string blocks_origin(const Strings&, const measure::BlockTimeline&); // measured here or recorded
std::string blocks_sentence(const Strings&, const measure::BlockTimeline&,
                            const measure::Waves&);                       // waves and their tail
std::string blocks_launch(const Strings&, const measure::BlockTimeline&); // how long one takes

} // namespace views
