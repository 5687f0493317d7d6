// How far a prediction may be from what a GPU would measure: as far as those were that were judged (judgement.h).
#pragma once

#include "measure/accuracy.h"
#include "session/view.h"
#include "timing/what_if.h"

#include <optional>
#include <span>

namespace session {

struct ExpectedError {
    std::optional<measure::Accuracy> accuracy; // nothing: not judged
    std::optional<catalog::Problem> size;      // that it was judged at; nothing: at all sizes together
    base::Sentence not_validated;              // why; empty: it is
    bool validated() const { return accuracy && not_validated.empty(); }
    bool unreliable() const { return accuracy && !validated(); } // judged, and found to be far off
};

// That of the judged size nearest to the subject's, or of all sizes where fewer than `enough_judged` points are of that one. Validated is
// what was judged: a kernel's code with so many points, nine of ten of them within `largest_p90`; sizes whose m, n and k are each between the
// smallest and the largest that were judged; C = alpha A B, as the kernel stands, on the architecture of the GPU that measured, with
// nothing that no GPU has.
constexpr size_t enough_judged = 10;
constexpr double largest_p90 = 0.25;
ExpectedError expected_error(std::span<const measure::AccuracyRecord>, const catalog::Kernel&, const Subject&,
                             const timing::WhatIf& = {});

} // namespace session
