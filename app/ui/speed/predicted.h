// Speeds that the model of an SM predicts, beside those that a GPU measured and never among them.
#pragma once

#include "session/predicted_speeds.h"
#include "ui/panel.h"
#include "views/error_words.h"

#include <memory>
#include <string>
#include <vector>

namespace ui {

using PredictedAnswer = std::shared_ptr<const base::Result<session::PredictedSpeed>>;

// Of the current kernel with these values at this size, under the view's assumptions; nullptr: not yet, but the session is asked. The
// present values' go before others'.
PredictedAnswer predicted(const Context&, const catalog::Values&, const catalog::Problem&);
// Of other values or another size, where the present ones' prediction is there and was so little work that many more may be asked for. Work
// and not time: a table must not hang on how busy the machine is. So many are 0.1 to 0.2 s of an AMD EPYC.
constexpr uint64_t affordable_instructions = 1'500'000;
PredictedAnswer predicted_beside(const Context&, const PredictedAnswer& present, const catalog::Values&,
                                 const catalog::Problem&);
// The speed, where there is one; nullptr: not yet, or none is known.
const session::PredictedSpeed* speed_of(const PredictedAnswer&);

// "predicted: 44.0 TFLOPS; median error 4.9 %, 90 % within 12.0 %", or why there is none; empty: not yet.
std::string predicted_text(const Context&, const PredictedAnswer&);
// The GPU whose architecture is predicted for: "NVIDIA H200", or the architecture where none of it is recorded.
std::string predicted_device(const Context&);

} // namespace ui
