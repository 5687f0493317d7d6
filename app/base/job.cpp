#include "base/job.h"

#include "base/caught.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace base {
namespace {

struct Job {
    std::string key;
    std::function<std::function<void()>(std::stop_token)> work;
    std::function<void(Error)> failed;
    std::stop_source stop;
    std::function<void()> delivery; // set by the worker when it has finished
};
using JobPointer = std::shared_ptr<Job>;

std::function<void()> failure_of(const Job& job, const std::exception_ptr& thrown) {
    return [failed = job.failed, error = error_of(thrown, Failure::check_failed)] {
        if (failed) failed(error);
    };
}

void execute(Job& job) {
    const std::exception_ptr thrown = caught([&] { job.delivery = job.work(job.stop.get_token()); });
    job.work = nullptr; // what it captured may be large
    if (thrown) job.delivery = failure_of(job, thrown);
}

// A thread that ends hands what its own cache of freed pieces holds (tcache of glibc, up to 448) back to the heap. In a window at rest
// those of all threads kept 12 MB of pages (docs/soak.md).
constexpr auto kept_idle = std::chrono::seconds(2);

// Of the calling thread alone, as Linux has it; threads that it starts inherit it.
void lower_priority(int niceness) {
    const auto thread = static_cast<id_t>(::gettid());
    (void)::setpriority(PRIO_PROCESS, thread, ::getpriority(PRIO_PROCESS, thread) + niceness);
}

} // namespace

struct Jobs::Impl {
    std::function<void()> wake;
    std::mutex mutex;
    std::condition_variable queued_or_stopping, job_ended;
    std::deque<JobPointer> queue;
    std::vector<JobPointer> finished;
    std::map<std::string, JobPointer> newest; // by key, from start() until delivery or cancel()
    bool stopping = false;
    size_t most_workers = 1, idle = 0;
    int niceness = 0;
    std::list<std::jthread> workers, ended; // last, so that they are joined before the rest goes

    void run_worker(std::list<std::jthread>::iterator self);
    void want_worker(); // with the mutex held: of those that are idle each takes one job of the queue
    JobPointer drop(const std::string& key); // with the mutex held; the caller lets go of the job without it
};

// Fails where the system has no thread left and there is none.
void Jobs::Impl::want_worker() {
    if (idle >= queue.size() || workers.size() >= most_workers) return;
    const auto self = workers.emplace(workers.end());
    const std::exception_ptr thrown = caught([&] {
        *self = std::jthread([this, self] {
            lower_priority(niceness);
            run_worker(self);
        });
    });
    if (!thrown) return;
    workers.erase(self);
    if (!workers.empty()) return;
    for (JobPointer& job : queue) {
        job->delivery = failure_of(*job, thrown);
        finished.push_back(std::move(job));
    }
    queue.clear();
}

void Jobs::Impl::run_worker(std::list<std::jthread>::iterator self) {
    std::unique_lock lock(mutex);
    while (true) {
        ++idle;
        const bool wanted_again =
            queued_or_stopping.wait_for(lock, kept_idle, [&] { return stopping || !queue.empty(); });
        --idle;
        if (stopping) return;
        if (!wanted_again) return ended.splice(ended.end(), workers, self);
        JobPointer job = std::move(queue.front());
        queue.pop_front();
        lock.unlock();
        execute(*job);
        bool wanted = !job->stop.stop_requested();
        if (!wanted) job.reset(); // here, without the mutex: what it computed may be large
        lock.lock();
        if (wanted) finished.push_back(std::move(job));
        job_ended.notify_all();
        if (!wanted || !wake) continue;
        lock.unlock();
        wake();
        lock.lock();
    }
}

JobPointer Jobs::Impl::drop(const std::string& key) {
    auto found = newest.find(key);
    if (found == newest.end()) return nullptr;
    JobPointer dropped = std::move(found->second);
    newest.erase(found);
    std::erase(queue, dropped);
    dropped->stop.request_stop();
    return dropped;
}

Jobs::Jobs(int threads, std::function<void()> wake, int niceness) : impl_(std::make_unique<Impl>()) {
    impl_->wake = std::move(wake);
    impl_->most_workers = static_cast<size_t>(std::max(threads, 1));
    impl_->niceness = niceness;
}

Jobs::~Jobs() {
    cancel_all();
    {
        std::lock_guard lock(impl_->mutex);
        impl_->stopping = true;
    }
    impl_->queued_or_stopping.notify_all();
}

void Jobs::submit(std::string key, std::function<Delivery(std::stop_token)> work, std::function<void(Error)> failed) {
    auto job = std::make_shared<Job>();
    job->key = std::move(key);
    job->work = std::move(work);
    job->failed = std::move(failed);
    JobPointer older;
    std::list<std::jthread> ended; // joined without the mutex
    {
        std::lock_guard lock(impl_->mutex);
        older = impl_->drop(job->key);
        impl_->newest[job->key] = job;
        impl_->queue.push_back(job);
        impl_->want_worker();
        ended.swap(impl_->ended);
    }
    impl_->queued_or_stopping.notify_one();
}

void Jobs::cancel(const std::string& key) {
    JobPointer dropped;
    std::lock_guard lock(impl_->mutex);
    dropped = impl_->drop(key);
}

void Jobs::cancel_all() {
    std::map<std::string, JobPointer> dropped;
    std::lock_guard lock(impl_->mutex);
    dropped.swap(impl_->newest);
    impl_->queue.clear();
    for (auto& [key, job] : dropped) job->stop.request_stop();
}

bool Jobs::collect() {
    std::vector<JobPointer> finished;
    {
        std::lock_guard lock(impl_->mutex);
        finished.swap(impl_->finished);
    }
    bool delivered = false;
    for (const JobPointer& job : finished) {
        {
            // An earlier delivery of this loop, or a start() since the job ended, may have replaced it.
            std::lock_guard lock(impl_->mutex);
            auto found = impl_->newest.find(job->key);
            if (found == impl_->newest.end() || found->second != job) continue;
            impl_->newest.erase(found);
        }
        job->delivery();
        delivered = true;
    }
    return delivered;
}

bool Jobs::busy() const {
    std::lock_guard lock(impl_->mutex);
    return !impl_->newest.empty();
}

bool Jobs::busy(const std::string& key) const {
    std::lock_guard lock(impl_->mutex);
    return impl_->newest.contains(key);
}

void Jobs::wait() {
    while (busy()) {
        collect();
        std::unique_lock lock(impl_->mutex);
        impl_->job_ended.wait(lock, [&] { return impl_->newest.empty() || !impl_->finished.empty(); });
    }
}

} // namespace base
