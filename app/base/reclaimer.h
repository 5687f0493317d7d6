// Frees large values beside the thread that let them go: to hand a gigabyte back to the system takes a third of a second.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace base {

class Reclaimer {
public:
    Reclaimer();
    ~Reclaimer(); // frees what is left; what is let go later is freed by whoever lets it go
    Reclaimer(const Reclaimer&) = delete;
    Reclaimer& operator=(const Reclaimer&) = delete;

    // Shares `value`. Whoever lets go of the result last does not wait until it is freed. From any thread.
    template <class T>
    std::shared_ptr<const T> keep(std::shared_ptr<const T> value) const {
        if (!value) return value;
        const T* const at = value.get();
        return {at, [value = std::move(value), queue = std::weak_ptr(queue_)](const T*) mutable {
                    if (const auto taker = queue.lock()) taker->take(std::move(value));
                }};
    }

private:
    struct Queue {
        std::mutex mutex;
        std::condition_variable_any filled;
        std::vector<std::shared_ptr<const void>> left;
        void take(std::shared_ptr<const void>);
    };
    std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
    std::jthread thread_; // last: joined first
};

} // namespace base
