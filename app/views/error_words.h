// How far a predicted time may be off, in words: for the window and the command line.
#pragma once

#include "session/expected_error.h"
#include "views/strings.h"

#include <string>

namespace views {

// "median error 4.9 %, 90 % within 12.0 %", with a warning where that is much; or that it is not validated and why.
std::string error_text(const Strings&, const session::ExpectedError&);
// "not validated" or "unreliable"; empty: it is validated.
const char* standing_text(const Strings&, const session::ExpectedError&);
// The same of a block's cycles, which no GPU tells: what was judged is how long whole launches take.
std::string launch_error_text(const Strings&, const session::ExpectedError&);
// What kind of number it is: "predicted", "predicted, not validated".
std::string predicted_kind(const Strings&, const session::ExpectedError&);

std::string percent_of(double share); // "4.9"

} // namespace views
