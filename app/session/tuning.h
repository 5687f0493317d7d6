// Which settings of a kernel are worth measuring: what is known of them before they run.
#pragma once

#include "analysis/main_loop.h"
#include "catalog/kernel.h"
#include "measure/device.h"
#include "session/view.h"

#include <optional>
#include <stop_token>

namespace session {

// A setting and the share of the device's FP32 peak that it could reach, as a product of three shares:
// - product_share: of the instructions in the main loop, those that multiply (FMAs, or tensor cores'), as
// every instruction takes an issue slot;
// - fill: C's elements over those for which the busiest multiprocessor's blocks have room, times the
// multiprocessors: what is lost to
//   the last wave and at the edges;
// - hiding: resident warps of a multiprocessor over the eight that it takes to keep its four schedulers busy,
// at most 1.
struct Candidate {
    catalog::Values values;
    double product_share = 0, fill = 0, hiding = 0;
    bool compiled = false; // else product_share and hiding are guesses from the elements of C that a thread owns
    int registers = 0;     // of a thread
    uint32_t shared_bytes = 0, spill_bytes = 0;
    std::optional<double> predicted_ms{}; // of the compiled one, where the device's architecture has been measured
    double share() const { return product_share * fill * hiding; }
};

// Every legal setting whose blocks fit the device, the most promising first, by guess. Errors: too many
// settings, an unknown architecture.
base::Result<std::vector<Candidate>> candidates(const catalog::Kernel&, catalog::Problem, const measure::Device&);

// The same setting compiled for the device: its registers, shared bytes, spills, main loop and predicted time. Errors: it
// does not compile, or does not fit; or Failure::check_failed if it was stopped.
base::Result<Candidate> compiled(const catalog::Kernel&, const Subject&, const measure::Device&, std::stop_token = {});

// In which order to measure: whatever spills registers comes last, what is predicted to be fast first, and before what nothing predicts.
bool is_more_promising(const Candidate&, const Candidate&);

} // namespace session
