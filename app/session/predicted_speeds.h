// Predicted speeds of settings and sizes that views show beside measured ones, each with the error that it may have.
#pragma once

#include "session/expected_error.h"
#include "session/prediction.h"
#include "session/wishes.h"

#include <functional>
#include <memory>
#include <vector>

namespace session {

struct PredictedSpeed {
    double ms = 0;
    double gflops = 0;      // 0: it is no product
    double wave_cycles = 0; // of `resident` blocks that begin together on a multiprocessor
    int resident = 0;
    double from_memory = 0;   // share of L2's answers that memory gives
    timing::Lost lost;        // cycles of the warps of the blocks that were simulated
    uint64_t put_in_time = 0; // as in Prediction
    ExpectedError error;
    // What a GPU would reach if the error were the judged ones' 90th or 10th percentile: an error is predicted over measured time, so
    // that the measured speed is so many times the predicted one. Nothing is known where it was not judged.
    double least_gflops() const { return error.accuracy ? gflops * (1 + error.accuracy->low) : gflops; }
    double most_gflops() const { return error.accuracy ? gflops * (1 + error.accuracy->high) : gflops; }
};

// Of one launch under one assumption. What time does not hang on is as in every other: values, seeds, the order of the warps.
struct PredictionKey {
    PredictionKey() = default;
    PredictionKey(Subject, const timing::WhatIf&);

    Subject subject;
    timing::WhatIf what_if;
    bool operator==(const PredictionKey&) const = default;
};
inline size_t hash_of(const PredictionKey& key) { return hash_of(key.subject); }

class CompiledSettings; // at whatever size: the program is the same

// Compiles a setting once for all sizes that are asked for one after the other. Answers are errors where a kernel does not compile or fit,
// and where no times are known of the architecture.
class PredictedSpeeds : public Wishes<PredictionKey, PredictedSpeed> {
public:
    PredictedSpeeds(std::vector<measure::AccuracyRecord>, std::function<void()> wake, bool interactive);

    // What is shown has been compiled already.
    void show(std::shared_ptr<const catalog::Kernel>, const Subject&, std::shared_ptr<const Prepared>);

    // Nobody asks for now: gives up the compiled settings. Answers stay.
    void rest();

private:
    PredictedSpeeds(std::shared_ptr<CompiledSettings>, std::vector<measure::AccuracyRecord>, std::function<void()> wake,
                    bool interactive);

    std::shared_ptr<CompiledSettings> compiled_;
};
using PredictionWish = PredictedSpeeds::Wish;

} // namespace session
