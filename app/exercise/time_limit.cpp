#include "exercise/time_limit.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace exercise {

TimeLimit::TimeLimit(double seconds, std::stop_token other)
    : seconds_(seconds), other_(std::move(other)), follow_(other_, [this] { source_.request_stop(); }),
      timer_([source = source_, seconds](const std::stop_token& ended) mutable {
          std::mutex mutex;
          std::condition_variable_any never;
          std::unique_lock lock(mutex);
          if (!never.wait_for(lock, ended, std::chrono::duration<double>(seconds), [] { return false; }) &&
              !ended.stop_requested())
              source.request_stop();
      }) {}

base::Sentence TimeLimit::why() const {
    return other_.stop_requested() ? base::Sentence(base::phrase("stopped"))
                                   : base::say("the time limit of {:.0f} s was reached", seconds_);
}

} // namespace exercise
