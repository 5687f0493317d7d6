// A moment in words: "third barrier", "load of As", "store of Bs in k-tile 2", "first shared load of line 40".
#pragma once

#include "lesson/executions.h"

#include <string>

namespace lesson {

// The event of `warp`. The words: nothing, the interesting one; "start", "end"; "barrier" and "k-tile" with a number or ordinal; otherwise
//     [ordinal] [shared|global] load|store|copy|atomic|wait|fma|matrix [of ARRAY | of line N] [in k-tile N]
// or a text in "quotation marks" that a line of the source has: its first instruction, also where the line belongs to a function that was inlined. Without ordinal and k-tile it is the first of k-tile 1, where
// the loop is in its stride, or else the first of all. Barriers are counted from 1, k-tiles from 0, as in the window.
// Errors: words that mean nothing, or nothing that they mean is executed by the warp.
base::Result<uint32_t> event_in_words(const std::string& words, const Traced&, int warp);

} // namespace lesson
