#include "base/reclaimer.h"

namespace base {

void Reclaimer::Queue::take(std::shared_ptr<const void> value) {
    {
        const std::lock_guard lock(mutex);
        left.push_back(std::move(value));
    }
    filled.notify_one();
}

Reclaimer::Reclaimer()
    : thread_([queue = queue_.get()](const std::stop_token& stop) {
          std::unique_lock lock(queue->mutex);
          while (true) {
              queue->filled.wait(lock, stop, [queue] { return !queue->left.empty(); });
              if (queue->left.empty()) return; // stopped
              auto freed = std::exchange(queue->left, {});
              lock.unlock();
              freed.clear(); // values may hold others, which come into the queue again
              lock.lock();
          }
      }) {}

Reclaimer::~Reclaimer() = default;

} // namespace base
