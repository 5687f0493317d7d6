#include "exercise/grading.h"

#include "base/job.h"

#include <algorithm>
#include <thread>

namespace exercise {

struct Grading::Impl {
    struct Entry {
        std::shared_ptr<const Exercise> exercise; // that the verdict's rules are of
        std::string source;
        std::shared_ptr<const Verdict> verdict;
    };

    explicit Impl(std::function<void()> wake) : jobs(1, std::move(wake), base::background_niceness) {}

    void begin(const std::shared_ptr<const Exercise>& exercise, const std::string& source,
               const std::filesystem::path& file) {
        asked = {exercise, source, nullptr};
        auto work = [exercise, source, file](std::stop_token stop) {
            GradeOptions options;
            options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
            return std::make_shared<const Verdict>(grade(*exercise, source, file, options, stop));
        };
        auto done = [this, exercise, source](std::shared_ptr<const Verdict>&& verdict) {
            known = {exercise, source, std::move(verdict)};
        };
        auto failed = [this](base::Error) {
            asked = {};
        }; // memory ran out: asked again by the next frame that needs it
        jobs.start("grade", std::move(work), done, failed);
    }

    Entry known, asked; // `asked`: what runs now
    base::Jobs jobs;    // last: joined first
};

Grading::Grading(std::function<void()> wake) : impl_(std::make_unique<Impl>(std::move(wake))) {}
Grading::~Grading() = default;

std::shared_ptr<const Verdict> Grading::verdict(const std::shared_ptr<const Exercise>& exercise,
                                                const std::string& source, const std::filesystem::path& file) {
    const auto is = [&](const Impl::Entry& entry) { return entry.exercise == exercise && entry.source == source; };
    if (is(impl_->known)) return impl_->known.verdict;
    if (!is(impl_->asked) || !impl_->jobs.busy()) impl_->begin(exercise, source, file);
    return nullptr;
}

std::shared_ptr<const Verdict> Grading::last(const Exercise& exercise) const {
    return impl_->known.exercise.get() == &exercise ? impl_->known.verdict : nullptr;
}

bool Grading::collect() { return impl_->jobs.collect(); }
bool Grading::busy() const { return impl_->jobs.busy(); }
void Grading::wait() { impl_->jobs.wait(); }

} // namespace exercise
