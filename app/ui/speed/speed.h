// How fast the current kernel is with its present parameters, in numbers and words; shared by sliders, ladder, plot and keys.
#pragma once

#include "session/speeds.h"
#include "ui/panel.h"
#include "ui/speed/predicted.h"
#include "views/speed_words.h"
#include "views/standing.h"

#include <optional>
#include <string>

namespace ui {

const Standing& standing_now(const Context&); // of the session's series, at the view's `speed_problem`

// To the next of `cubes`, upwards (1) or downwards (-1); at the end, nowhere.
void step_speed_size(Context&, const Standing&, int direction);

struct SpeedNow {
    session::Speeds speeds; // on the device that the ladder shows, or on this machine's
    catalog::Problem size;  // that the ladder shows: the view's `speed_problem`, or the nearest that was measured
    catalog::Values values; // in force
    std::optional<session::Speed> speed; // of them; nothing: not measured
    PredictedAnswer predicted;           // likewise, where they were not measured
};
std::optional<SpeedNow> speed_now(const Context&); // nothing: there is no kernel

// Of the current kernel the speed with its present parameters, or none, instead of that with the fastest.
Standing with_current(Standing, const SpeedNow&);

// "44.0 TFLOPS, 87 % of cuBLAS FP32", "not measured" or why it could not be.
std::string speed_text(const Context&, const catalog::Kernel&, const std::optional<session::Speed>&);
// "BM 128, BN 64": what differs from `now`.
std::string changes_text(const catalog::Values& now, const catalog::Values& next);

// Parameters along the map of speeds in the Parameter view.
struct MapAxes {
    std::string columns, rows;
};
// Nothing: the values of one parameter stand alone, by the user's choice or because nothing was swept.
std::optional<MapAxes> map_axes(const Context&);

// Sets all parameters at once; the map and its axes stay.
void set_values(Context&, const catalog::Values&);
// Key H: to the fastest of the settings one step away, or a notice that none is faster.
void climb(Context&);

} // namespace ui
