#include "base/job.h"

#include "base/caught.h"

#include <condition_variable>
#include <deque>
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

void execute(Job& job) {
    const std::exception_ptr thrown = caught([&] { job.delivery = job.work(job.stop.get_token()); });
    job.work = nullptr; // what it captured may be large
    if (!thrown) return;
    job.delivery = [failed = job.failed, error = error_of(thrown, Failure::check_failed)] {
        if (failed) failed(error);
    };
}

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
    std::vector<std::jthread> workers; // last, so that they are joined before the rest goes

    void run_worker();
    JobPointer drop(const std::string& key); // with the mutex held; the caller lets go of the job without it
};

void Jobs::Impl::run_worker() {
    std::unique_lock lock(mutex);
    while (true) {
        queued_or_stopping.wait(lock, [&] { return stopping || !queue.empty(); });
        if (stopping) return;
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
    for (int i = 0; i < std::max(threads, 1); ++i) {
        impl_->workers.emplace_back([impl = impl_.get(), niceness] {
            lower_priority(niceness);
            impl->run_worker();
        });
    }
}

Jobs::~Jobs() {
    cancel_all();
    {
        std::lock_guard lock(impl_->mutex);
        impl_->stopping = true;
    }
    impl_->queued_or_stopping.notify_all();
    impl_->workers.clear();
}

void Jobs::submit(std::string key, std::function<Delivery(std::stop_token)> work, std::function<void(Error)> failed) {
    auto job = std::make_shared<Job>();
    job->key = std::move(key);
    job->work = std::move(work);
    job->failed = std::move(failed);
    JobPointer older;
    {
        std::lock_guard lock(impl_->mutex);
        older = impl_->drop(job->key);
        impl_->newest[job->key] = job;
        impl_->queue.push_back(job);
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
