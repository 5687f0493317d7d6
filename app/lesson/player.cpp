#include "lesson/player.h"

#include "base/file_watch.h"
#include "base/job.h"
#include "lesson/tell.h"

#include <algorithm>
#include <deque>
#include <thread>

namespace lesson {
namespace {

constexpr const char *tell_job = "tell a step", *read_job = "read the lessons";
constexpr size_t most_told = 64; // some kilobytes each

struct Key {
    std::shared_ptr<const Lesson> lesson;
    size_t step = 0;
    session::Subject subject;
    bool operator==(const Key&) const = default;
};

} // namespace

struct Player::Impl {
    // What only the job uses, one after the other.
    struct Workshop {
        std::shared_ptr<Recorded> recorded;
        std::unique_ptr<Executions> executions;
    };
    struct Entry {
        Key key;
        std::shared_ptr<const catalog::Kernel> kernel; // a file that has changed is another
        std::shared_ptr<const Told> told;
    };

    explicit Impl(Options given)
        : options(std::move(given)), workshop(std::make_shared<Workshop>()), disk(1, options.wake),
          jobs(1, options.wake, base::background_niceness) {
        if (options.watch)
            watch.emplace([wake = options.wake] {
                if (wake) wake();
            });
        take(Read(options.lessons)); // the first ones are there before anything is drawn
    }

    struct Read {
        explicit Read(const std::vector<std::filesystem::path>& places)
            : look(base::look_at(places)), lessons(load(places)) {}
        base::Look look;
        Lessons lessons;
    };

    // Frames are drawn while the disk, or a server behind it, takes its time.
    void read() {
        disk.start(
            read_job, [places = options.lessons](const std::stop_token&) { return Read(places); },
            [this](Read&& read) { take(std::move(read)); });
    }

    void take(Read read) {
        loaded = std::move(read.lessons);
        ++reads;
        if (watch) watch->watch(options.lessons, std::move(read.look));
    }

    void begin(const Key& key, std::shared_ptr<const catalog::Kernel> kernel, const catalog::Catalog& catalog) {
        auto work = [key, catalog, place = workshop, assets = options.assets](std::stop_token stop) {
            auto& executions = place->executions;
            if (!place->recorded) place->recorded = std::make_shared<Recorded>(assets, catalog);
            const auto unchanged = [&] {
                const auto &before = executions->catalog().kernels, &now = catalog.kernels;
                return before == now;
            };
            const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
            if (!executions || !unchanged())
                executions = std::make_unique<Executions>(catalog, place->recorded, threads);
            executions->use(stop);
            auto told = std::make_shared<const Told>(tell(*executions, *key.lesson, key.step, key.subject));
            return std::pair(std::move(told), executions->bytes());
        };
        auto show = [this, key, kernel](std::shared_ptr<const Told> told) {
            std::erase_if(entries, [&](const Entry& one) { return one.key == key; });
            entries.push_front({key, kernel, std::move(told)});
            if (entries.size() > most_told) entries.pop_back();
        };
        auto done = [this, show](std::pair<std::shared_ptr<const Told>, size_t>&& made) {
            remembered_bytes = made.second;
            show(std::move(made.first));
        };
        auto failed = [show](base::Error error) {
            Told told;
            told.problems.push_back(std::move(error));
            show(std::make_shared<const Told>(std::move(told)));
        };
        jobs.start(tell_job, std::move(work), done, failed);
    }

    Options options;
    Lessons loaded;
    uint64_t reads = 0;
    std::shared_ptr<Workshop> workshop;
    size_t remembered_bytes = 0;          // by the workshop, when the latest was told
    std::deque<Entry> entries;            // the latest first
    std::optional<base::FileWatch> watch; // of the lessons
    base::Jobs disk, jobs;                // last: joined first
};

Player::Player(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Player::~Player() = default;

const Lessons& Player::lessons() const { return impl_->loaded; }
uint64_t Player::reads() const { return impl_->reads; }

void Player::add(const std::filesystem::path& place) {
    auto& places = impl_->options.lessons;
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    impl_->read();
}

bool Player::reading() const { return impl_->disk.busy(); }

std::shared_ptr<const Told> Player::told(const std::shared_ptr<const Lesson>& lesson, size_t step,
                                         const session::Subject& subject, const catalog::Catalog& catalog) {
    if (!lesson || step >= lesson->steps.size()) return nullptr;
    const Key key{lesson, step, subject};
    const auto kernel = catalog.find(subject.kernel);
    for (const auto& entry : impl_->entries)
        if (entry.key == key && entry.kernel == kernel) return entry.told;
    if (!impl_->jobs.busy()) impl_->begin(key, kernel, catalog);
    return nullptr;
}

bool Player::collect() {
    const bool told = impl_->jobs.collect(), read = impl_->disk.collect();
    if (impl_->watch && impl_->watch->take_change()) impl_->read();
    return told || read;
}
size_t Player::remembered_bytes() const { return impl_->remembered_bytes; }
bool Player::busy() const { return impl_->jobs.busy() || reading(); }
void Player::wait() {
    impl_->disk.wait();
    impl_->jobs.wait();
}

} // namespace lesson
