#include "session/predicted_speeds.h"

#include <mutex>
#include <utility>

namespace session {
namespace {

constexpr size_t most_predictions = 1024; // some hundred bytes each

Subject at_any_size(Subject subject) {
    subject.problem = {};
    return subject;
}

PredictedSpeed speed_of(const Prediction& made, ExpectedError error) {
    PredictedSpeed speed{.ms = made.ms,
                         .gflops = made.gflops,
                         .wave_cycles = made.wave_cycles,
                         .resident = made.resident,
                         .from_memory = made.from_memory,
                         .lost = {},
                         .put_in_time = made.put_in_time,
                         .error = std::move(error)};
    for (const timing::Lost& one : made.lost)
        for (size_t n = 0; n < one.cycles.size(); ++n) speed.lost.cycles[n] += one.cycles[n];
    return speed;
}

} // namespace

// The one that is shown, and the last other one: up to 20 MB each. Any thread.
class CompiledSettings {
public:
    void show(std::shared_ptr<const catalog::Kernel> kernel, Subject subject,
              std::shared_ptr<const Prepared> prepared) {
        const std::lock_guard lock(mutex_);
        shown_ = {std::move(kernel), std::move(subject), std::move(prepared)};
    }

    base::Result<std::shared_ptr<const Prepared>> of(const PredictionWish& wish, const std::stop_token& stop) {
        const Subject subject = at_any_size(wish.key.subject);
        if (auto known = find(wish.kernel, subject)) return known;
        const auto job = resolve(*wish.kernel, subject);
        if (!job) return job.error();
        auto prepared = prepare(*job, stop);
        if (prepared.failed) return prepared.failed->error;
        const std::lock_guard lock(mutex_);
        other_ = {wish.kernel, subject, prepared.value};
        return std::move(prepared.value);
    }

    void forget() {
        const std::lock_guard lock(mutex_);
        shown_ = other_ = {};
    }

private:
    struct Setting {
        std::shared_ptr<const catalog::Kernel> kernel;
        Subject subject;
        std::shared_ptr<const Prepared> prepared;
    };
    std::shared_ptr<const Prepared> find(const std::shared_ptr<const catalog::Kernel>& kernel, const Subject& subject) {
        const std::lock_guard lock(mutex_);
        for (const Setting* one : {&shown_, &other_})
            if (one->kernel == kernel && one->subject == subject) return one->prepared;
        return nullptr;
    }

    std::mutex mutex_;
    Setting shown_, other_;
};

PredictionKey::PredictionKey(Subject of, const timing::WhatIf& what) : subject(std::move(of)), what_if(what) {
    const Subject plain;
    subject.alpha = plain.alpha;
    subject.engine = plain.engine;
    subject.seed = plain.seed;
    subject.schedule = plain.schedule;
}

PredictedSpeeds::PredictedSpeeds(std::vector<measure::AccuracyRecord> records, std::function<void()> wake,
                                 bool interactive)
    : PredictedSpeeds(std::make_shared<CompiledSettings>(), std::move(records), std::move(wake), interactive) {}

PredictedSpeeds::PredictedSpeeds(std::shared_ptr<CompiledSettings> compiled,
                                 std::vector<measure::AccuracyRecord> records, std::function<void()> wake,
                                 bool interactive)
    : Wishes(
          [records = std::move(records), compiled](const Wish& wish,
                                                   std::stop_token stop) -> base::Result<PredictedSpeed> {
              const auto prepared = compiled->of(wish, stop);
              if (!prepared) return prepared.error();
              const auto& [subject, what_if] = wish.key;
              const auto made = predict(*wish.kernel, subject, **prepared, what_if, stop);
              if (made.failed) return made.failed->error;
              return speed_of(*made.value, expected_error(records, *wish.kernel, subject, what_if));
          },
          most_predictions, std::move(wake), interactive),
      compiled_(std::move(compiled)) {}

void PredictedSpeeds::show(std::shared_ptr<const catalog::Kernel> kernel, const Subject& subject,
                           std::shared_ptr<const Prepared> prepared) {
    if (prepared->listing->engine == Engine::machine)
        compiled_->show(std::move(kernel), at_any_size(PredictionKey(subject, {}).subject), std::move(prepared));
}

void PredictedSpeeds::rest() { compiled_->forget(); }

} // namespace session
