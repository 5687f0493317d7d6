// How far predictions are from what a GPU measured. The settings of a record are split in two, once and for all, by a hash of their
// names and values: constants are fitted to one half, and errors are told of the other.
#pragma once

#include "measure/accuracy.h"
#include "measure/sweep_record.h"
#include "session/prediction.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace session {

enum class Half { calibration, judged };
Half half_of(const std::string& kernel, const catalog::Values&); // whatever the size
extern const char* const half_rule;                              // the rule in words, for those who read the record

struct Judged { // a point of a record
    std::string kernel;
    catalog::Values values;
    catalog::Problem problem;
    double measured_ms = 0, predicted_ms = 0;
    double error() const { return predicted_ms / measured_ms - 1; } // 0.1: predicted a tenth too slow
};

// Those settings of one half of the record that were measured at these sizes; `most`: so many settings, whole lines along a slider
// first. Told one by one from any of the threads; what cannot be predicted has a sentence in `left_out`.
struct JudgePlan {
    std::shared_ptr<const catalog::Kernel> kernel;
    std::shared_ptr<const measure::SweepRecord> record;
    std::string arch; // of the record's device
    std::vector<catalog::Problem> sizes;
    Half half = Half::judged;
    size_t most = ~size_t{0};
};
struct JudgedSettings {
    std::vector<Judged> points;
    std::vector<std::string> left_out; // one sentence each
};
JudgedSettings judge(const JudgePlan&, int threads, std::stop_token,
                     const std::function<void(size_t done, size_t of)>&);

// What some points come to; of none, nothing but zeros.
measure::Accuracy accuracy(const std::vector<Judged>&);
// Of one kernel a row for each size, in their order, then one of all sizes together.
std::vector<measure::AccuracyRow> accuracy_rows(const catalog::Kernel&, const std::vector<Judged>&);

} // namespace session
