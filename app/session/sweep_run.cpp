#include "session/sweep_run.h"

#include "base/random.h"
#include "compile/compiler.h"
#include "session/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace session {

using base::Error;
using base::Failure;
using base::Status;
using Clock = std::chrono::steady_clock;

namespace {

// Of a worker that does not say hello: one that never has may be a mistake in its command, and one that has comes back once its network
// or its machine does. Before each start but the first a pause, twice as long as the one before.
constexpr int most_first_starts = 3, most_starts = 10;
constexpr std::chrono::milliseconds first_pause{500}, longest_pause{60'000};
constexpr int most_deaths = 5;    // in a row, without an answer in between
constexpr int deaths_of_item = 2; // then it is left alone

double seconds_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

std::chrono::milliseconds pause_after(int failed_starts) {
    return std::min(first_pause * (1 << (failed_starts - 1)), longest_pause);
}

} // namespace

struct SweepRun::Wake {
    std::mutex mutex;
    std::condition_variable changed;
    bool called = false;
    void call() {
        {
            const std::lock_guard lock(mutex);
            called = true;
        }
        changed.notify_all();
    }
    void wait() {
        std::unique_lock lock(mutex);
        changed.wait_for(lock, std::chrono::milliseconds(100), [this] { return called; });
        called = false;
    }
};

struct SweepRun::Hand {
    std::string name; // its command
    std::unique_ptr<gpu::Worker> worker;
    bool greeted = false, given_up = false, answered = false;
    bool known = false; // has said hello once
    int failed_starts = 0, deaths = 0;
    std::optional<Clock::time_point> starts_at;
    std::optional<CompiledItem> item;
    std::vector<CompiledItem> suspects;             // at which it died
    std::map<size_t, measure::SweepSource> sources; // of each part
    gpu::Hello hello;
};

SweepRun::SweepRun(SweepPlan plan, std::function<void(const std::string&)> tell)
    : plan_(std::move(plan)), tell_(std::move(tell)), wake_(std::make_shared<Wake>()) {}

SweepRun::~SweepRun() = default;

Status SweepRun::run(const std::function<Go(const SweepProgress&)>& look) {
    if (plan_.workers.empty()) plan_.workers.emplace_back();
    for (const std::string& command : plan_.workers) {
        auto hand = std::make_unique<Hand>();
        hand->name = command.empty() ? "the worker of this machine" : command;
        hand->worker = std::make_unique<gpu::Worker>(
            gpu::Worker::Options{.command = worker_command(command),
                                 .hello_limit_s = command.empty() ? 30 : gpu::queue_limit_s,
                                 .silence_limit_s = plan_.time_limit_s,
                                 .total_limit_s = 600,
                                 .wake = [wake = wake_] { wake->call(); }});
        hand->worker->start();
        hands_.push_back(std::move(hand));
    }
    looked_ = synced_ = Clock::now();
    Status done = base::Done{};
    while (done) {
        const Go go = look(progress_);
        if (go == Go::end_now) break;
        for (const auto& hand : hands_) {
            if (go == Go::on && hand->starts_at && plan_.now() >= *hand->starts_at) {
                hand->starts_at.reset();
                hand->worker->start();
            }
            if (done) done = take_events(*hand);
        }
        if (done && go == Go::on)
            for (const auto& hand : hands_)
                if (done) done = hand_out(*hand);
        const bool busy = std::any_of(hands_.begin(), hands_.end(), [](const auto& h) { return h->item.has_value(); });
        if (done && queue_ && !busy && queue_->empty()) done = resolve_suspects();
        if (!done || all_done() || (go == Go::end_soon && !busy)) break;
        if (std::all_of(hands_.begin(), hands_.end(), [](const auto& h) { return h->given_up; })) {
            done = *last_error_;
            break;
        }
        wake_->wait();
    }
    queue_.reset();
    Status finished = finish();
    return done ? finished : done;
}

// The first worker says what kind of GPU this is about.
Status SweepRun::begin(const gpu::Hello& hello) {
    const measure::Device& device = hello.devices[static_cast<size_t>(plan_.device)];
    device_name_ = measure::printable(device.name, 100);
    arch_ = device.arch;
    for (const auto& part : plan_.parts) {
        auto compare = compare_launch(plan_.assets, *part.kernel, device);
        if (!compare) return compare.error();
        compare_.push_back(std::move(*compare));
    }
    std::deque<SweepItem> items;
    if (auto opened = open_logs(items); !opened) return opened;
    progress_.of = items.size();
    start_ = looked_ = Clock::now();
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    auto compile = [this, limit = plan_.time_limit_s](SweepItem item, const std::stop_token& stop) {
        const gpu::Launch& compare = compare_[item.job];
        return compiled(std::move(item), compare, arch_, limit, stop);
    };
    queue_ = std::make_unique<SweepQueue>(std::move(items), compile, cores, 2 * cores + 2 * hands_.size(),
                                          [wake = wake_] { wake->call(); });
    return base::Done{};
}

// What earlier runs have measured, or could not, is not measured again.
Status SweepRun::open_logs(std::deque<SweepItem>& items) {
    for (size_t i = 0; i < plan_.parts.size(); ++i) {
        const SweepPlan::Part& part = plan_.parts[i];
        auto log = measure::SweepLog::open(measure::sweep_path(plan_.folder, device_name_, part.kernel->id),
                                           *part.kernel, device_name_);
        if (!log) return log.error();
        if (!log->moved().empty())
            tell_(fmt::format("{} has changed since it was swept; what was measured of the older code is in {}",
                              part.kernel->id, log->moved().string()));
        logs_.push_back(std::move(*log));
        if (plan_.again) {
            choose_again(i, items);
            continue;
        }
        for (const catalog::Values& setting : part.settings) {
            SweepItem item{part.kernel, i, setting, {}, 0};
            for (const catalog::Problem& size : plan_.sizes)
                if (!logs_.back().known().find(setting, size)) item.sizes.push_back(size);
            if (!item.sizes.empty()) items.push_back(std::move(item));
        }
    }
    return base::Done{};
}

// Some of those that were measured, at random.
void SweepRun::choose_again(size_t part, std::deque<SweepItem>& items) const {
    const measure::SweepRecord& known = logs_[part].known();
    std::map<catalog::Values, std::vector<catalog::Problem>> measured;
    for (const measure::SweepPoint& p : known.points())
        if (p.measured() && std::find(plan_.sizes.begin(), plan_.sizes.end(), p.problem) != plan_.sizes.end())
            measured[known.setting(p)].push_back(p.problem);
    std::vector<std::pair<uint64_t, SweepItem>> order;
    const base::RandomStream random(2, part);
    for (const auto& [setting, sizes] : measured)
        order.emplace_back(random.bits(order.size()), SweepItem{plan_.parts[part].kernel, part, setting, sizes, 0});
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    order.resize(std::min(order.size(), plan_.again));
    for (auto& [number, item] : order) items.push_back(std::move(item));
}

Status SweepRun::take_events(Hand& hand) {
    Status done = base::Done{};
    for (gpu::Event& event : hand.worker->poll()) {
        if (!done || hand.given_up) break;
        if (auto* hello = std::get_if<gpu::Hello>(&event)) done = take(hand, *hello);
        else if (auto* swept = std::get_if<gpu::Swept>(&event)) done = take(hand, *swept);
        else if (auto* error = std::get_if<Error>(&event)) done = take(hand, *error);
    }
    return done;
}

Status SweepRun::take(Hand& hand, gpu::Hello& hello) {
    hand.hello = std::move(hello);
    hand.known = true;
    const auto index = static_cast<size_t>(plan_.device);
    if (index >= hand.hello.devices.size()) {
        give_up(hand,
                {Failure::usage, base::say("it has no GPU {}", plan_.device), {}, base::say("see gemmscope device")});
        return base::Done{};
    }
    if (!queue_)
        if (auto begun = begin(hand.hello); !begun) return begun;
    const std::string name = measure::printable(hand.hello.devices[index].name, 100);
    if (name != device_name_) {
        give_up(hand, {Failure::usage,
                       base::say("it has an {}, and this sweep is of an {}", name, device_name_),
                       {},
                       base::say("sweep it on its own")});
        return base::Done{};
    }
    hand.greeted = true;
    return base::Done{};
}

Status SweepRun::take(Hand& hand, const gpu::Swept& swept) {
    if (!hand.item) return base::Done{};
    if (swept.sizes.size() != hand.item->request.sizes.size()) {
        hand.worker->cancel();
        return take(hand, Error{Failure::missing,
                                base::say("the GPU worker answered of other sizes than it was asked for"),
                                {},
                                base::say("check the worker's command")});
    }
    const CompiledItem item = std::move(*hand.item);
    hand.item.reset();
    hand.answered = true;
    hand.deaths = hand.failed_starts = 0;
    if (!hand.sources.contains(item.item.job)) {
        measure::SweepSource source = source_of(hand);
        source.cuda = item.request.launch.cuda;
        source.sm_clock_mhz = swept.sm_clock_mhz > 0
                                  ? swept.sm_clock_mhz
                                  : hand.hello.devices[static_cast<size_t>(plan_.device)].sm_clock_mhz;
        for (size_t i = 0; i < swept.sizes.size(); ++i)
            if (const std::string& cublas = swept.sizes[i].cublas; !cublas.empty())
                source.cublas +=
                    fmt::format("{}{}: {}", source.cublas.empty() ? "" : "; ", item.request.sizes[i].problem.m, cublas);
        hand.sources[item.item.job] = source;
    }
    const measure::SweepSource& source = hand.sources[item.item.job];
    auto at = swept.sizes.begin();
    for (size_t i = 0; i < item.item.sizes.size(); ++i) {
        measure::SweepPoint point;
        point.problem = item.item.sizes[i];
        point.reason = item.refused[i];
        if (point.reason.empty()) {
            point.ms = at->ms, point.cublas_ms = at->cublas_ms;
            point.samples = at->samples, point.spread = at->spread;
            point.reason = at->failed;
            ++at;
        }
        if (auto kept = keep(item.item, point, source); !kept) return kept;
    }
    ++progress_.done;
    if (swept.lost) { // in one step, so that nothing is asked of a worker that is about to end
        hand.worker->cancel();
        hand.greeted = false;
        hand.worker->start();
    }
    return settle(hand);
}

// Its share goes to whoever is free next. A setting at which workers die is left alone, once it is known that they do not
// die at every other one as well.
Status SweepRun::take(Hand& hand, const Error& error) {
    last_error_ = error;
    hand.worker->cancel(); // after a refusal it still lives
    if (!hand.item) return start_again(hand, error), base::Done{};
    hand.greeted = false; // nothing is handed to it, and nothing lost, before it says hello again
    tell_(fmt::format("{}: {}; another measures what it had in hand", hand.name, error.what.english()));
    CompiledItem item = std::move(*hand.item);
    hand.item.reset();
    item.failed = error;
    if (++item.item.deaths < deaths_of_item) {
        item.failed.reset();
        queue_->give_back(std::move(item));
    } else {
        hand.suspects.push_back(std::move(item));
    }
    if (++hand.deaths >= most_deaths) give_up(hand, error);
    else hand.worker->start();
    return base::Done{};
}

void SweepRun::start_again(Hand& hand, const Error& error) {
    hand.greeted = false;
    if (++hand.failed_starts >= (hand.known ? most_starts : most_first_starts)) return give_up(hand, error);
    const auto pause = pause_after(hand.failed_starts);
    hand.starts_at = plan_.now() + pause;
    tell_(fmt::format("{}: {}; it is started again in {:.1f} s", hand.name, error.what.english(),
                      std::chrono::duration<double>(pause).count()));
}

Status SweepRun::settle(Hand& hand) {
    for (const CompiledItem& suspect : hand.suspects)
        if (auto kept = keep_failure(
                suspect, fmt::format("{} workers died of it: {}", suspect.item.deaths, suspect.failed->what.english()));
            !kept)
            return kept;
    hand.suspects.clear();
    return base::Done{};
}

// Of a worker that has answered before, the settings are to blame; of one that never has, it is itself.
Status SweepRun::resolve_suspects() {
    for (const auto& hand : hands_) {
        if (hand->suspects.empty()) continue;
        const Error why = *hand->suspects.front().failed;
        if (!hand->answered) give_up(*hand, why);
        else if (auto settled = settle(*hand); !settled) return settled;
    }
    return base::Done{};
}

Status SweepRun::hand_out(Hand& hand) {
    while (hand.greeted && !hand.given_up && !hand.item && queue_) {
        auto next = queue_->take();
        if (!next) return base::Done{};
        if (next->failed && next->failed->failure == Failure::missing) return *next->failed;
        if (next->failed || next->request.sizes.empty()) {
            const std::string reason = next->failed ? next->failed->what.english() : next->refused.front();
            if (auto kept = keep_failure(*next, reason); !kept) return kept;
            continue;
        }
        next->request.device = plan_.device;
        progress_.kernel = next->item.kernel->id;
        hand.item = std::move(*next);
        if (auto sent = hand.worker->send(hand.item->request); !sent) return sent;
    }
    return base::Done{};
}

Status SweepRun::keep_failure(const CompiledItem& item, const std::string& reason) {
    measure::SweepSource source = source_of(*hands_.front());
    source.host = "where it was compiled";
    source.cuda = compile::availability().version;
    for (size_t i = 0; i < item.item.sizes.size(); ++i) {
        measure::SweepPoint point;
        point.problem = item.item.sizes[i];
        point.reason = item.refused.size() > i && !item.refused[i].empty() ? item.refused[i] : reason;
        if (auto kept = keep(item.item, point, source); !kept) return kept;
    }
    ++progress_.done;
    return base::Done{};
}

Status SweepRun::keep(const SweepItem& item, const measure::SweepPoint& point, const measure::SweepSource& source) {
    if (plan_.again) {
        const measure::SweepPoint* known = logs_[item.job].known().find(item.setting, point.problem);
        ++progress_.compared;
        progress_.agreed += known && point.measured() && std::abs(point.ms / known->ms - 1) <= agreement;
        return base::Done{};
    }
    ++progress_.points;
    progress_.failed += !point.measured();
    unsynced_ = true;
    return logs_[item.job].append(item.setting, point, source);
}

measure::SweepSource SweepRun::source_of(const Hand& hand) const {
    measure::SweepSource source;
    source.host = hand.hello.host;
    source.gpu = plan_.device;
    source.driver = hand.hello.driver;
    source.date = measure::today();
    source.command = plan_.command;
    return source;
}

void SweepRun::give_up(Hand& hand, const Error& error) {
    hand.given_up = true;
    last_error_ = error;
    hand.worker->cancel();
    for (CompiledItem& suspect : hand.suspects) { // it may have been the worker's fault
        suspect.failed.reset();
        suspect.item.deaths = 0;
        queue_->give_back(std::move(suspect));
    }
    hand.suspects.clear();
    tell_(fmt::format("{} is left out: {}", hand.name, error.sentence()));
}

// Also tells the time, and lets the disk have what was written.
bool SweepRun::all_done() {
    const auto now = Clock::now();
    const double passed = seconds_between(looked_, now);
    looked_ = now;
    bool in_hand = false;
    progress_.workers = 0;
    for (const auto& hand : hands_) {
        in_hand |= hand->item.has_value();
        if (!hand->greeted || hand->given_up) continue;
        ++progress_.workers;
        (hand->item ? progress_.worked_s : progress_.waited_s) += passed;
    }
    if (!queue_) return false;
    progress_.seconds = seconds_between(start_, now);
    if (unsynced_ && seconds_between(synced_, now) >= 1) {
        for (measure::SweepLog& log : logs_) (void)log.sync(); // a disk that is full says so at the next line
        synced_ = now, unsynced_ = false;
    }
    return !in_hand && queue_->empty();
}

Status SweepRun::finish() {
    for (const auto& hand : hands_)
        if (hand->answered)
            if (auto settled = settle(*hand); !settled) return settled;
    for (measure::SweepLog& log : logs_)
        if (auto sorted = log.finish(); !sorted) return sorted;
    return base::Done{};
}

} // namespace session
