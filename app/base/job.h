// Work in the background, results on the owner's thread.
#pragma once

#include "base/result.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>

namespace base {

// Of what nobody waits for alone: below all other jobs, and not at a standstill where other programs are busy.
constexpr int background_niceness = 13;

// A few worker threads, each there from when it is needed until it has been idle for a moment. Each job has a key; starting a job
// under a key cancels the older one of that key, and the older one's result is never delivered. All functions but those passed in are
// called on the owner's thread.
class Jobs {
public:
    // `wake` is called from a worker's thread when collect() has something new; it must not call back into this object.
    // The workers, and the threads that a job starts, are `niceness` steps (0 to 19) below the owner's priority: whoever
    // draws comes first.
    Jobs(int threads, std::function<void()> wake = {}, int niceness = 0);
    ~Jobs(); // cancels everything, joins; nothing more is delivered
    Jobs(const Jobs&) = delete;
    Jobs& operator=(const Jobs&) = delete;

    // Runs `work(std::stop_token)` on a worker and, in a later collect(), `done(result)` on the owner's thread.
    // A job that is cancelled should look at its token and return early with anything. If `work` throws (memory ran
    // out), `failed(Error)` is called instead.
    template <class Work, class Done>
    void start(std::string key, Work work, Done done, std::function<void(Error)> failed = {}) {
        submit(
            std::move(key),
            [work = std::move(work), done = std::move(done)](std::stop_token stop) mutable -> Delivery {
                using Value = std::invoke_result_t<Work&, std::stop_token>;
                auto value = std::make_shared<Value>(work(stop)); // std::function must be copyable, the value need not
                return [value, done]() mutable { done(std::move(*value)); };
            },
            std::move(failed));
    }

    void cancel(const std::string& key);
    void cancel_all();

    // Delivers what is finished; a delivery may start and cancel jobs. True if anything was delivered.
    bool collect();

    bool busy() const; // a job that was not cancelled is queued, running or not yet delivered
    bool busy(const std::string& key) const;

    void wait(); // until nothing is busy, delivering on the way (also what deliveries start)

private:
    using Delivery = std::function<void()>;
    void submit(std::string key, std::function<Delivery(std::stop_token)> work, std::function<void(Error)> failed);

    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace base
