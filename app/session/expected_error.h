// How far a prediction may be from what a GPU would measure: as far as those were that were judged (judgement.h).
#pragma once

#include "measure/accuracy.h"
#include "session/view.h"

#include <optional>
#include <span>

namespace session {

struct ExpectedError {
    std::optional<measure::Accuracy> accuracy; // nothing: not validated
    std::optional<catalog::Problem> size;      // that it was judged at; nothing: at all sizes together
    base::Sentence not_validated;              // why
};

// That of the judged size nearest to the subject's, or of all sizes where fewer than `enough_judged` points are of that one. Validated is
// what was judged: a kernel's code with so many points; sizes whose m, n and k are each between the smallest and the largest that were
// judged; C = alpha A B, as the kernel stands, on the architecture of the GPU that measured.
constexpr size_t enough_judged = 10;
ExpectedError expected_error(std::span<const measure::AccuracyRecord>, const catalog::Kernel&, const Subject&);

} // namespace session
