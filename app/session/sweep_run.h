// A sweep: settings by the thousand, measured by one worker or several, each point kept as soon as it is known.
#pragma once

#include "gpu/client.h"
#include "measure/sweep_log.h"
#include "session/sweep_queue.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace session {

struct SweepPlan {
    struct Part {
        std::shared_ptr<const catalog::Kernel> kernel;
        std::vector<catalog::Values> settings;
    };
    std::vector<Part> parts;
    std::vector<catalog::Problem> sizes;
    std::vector<std::string> workers; // names of machines, or commands; empty: this program's own
    int device = 0;                   // of each worker
    double time_limit_s = 20;         // of a launch, and as long again until a worker that is silent is given up
    std::filesystem::path folder, assets;
    std::string command; // as it was typed
    size_t again = 0;    // this many settings that were measured are measured again, and compared
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

struct SweepProgress {
    std::string kernel;              // that is being measured
    size_t done = 0, of = 0;         // settings, in this run
    size_t points = 0, failed = 0;   // kept in this run
    size_t workers = 0;              // that work
    double seconds = 0;              // since the first worker was there
    double waited_s = 0;             // for compilers, of all workers together
    double worked_s = 0;             // of all workers together
    size_t compared = 0, agreed = 0; // of those measured again: those within 3%
    double rate() const { return seconds > 0 ? static_cast<double>(done) / seconds : 0; } // settings a second
};

inline constexpr double agreement = 0.03;

class SweepRun {
public:
    // `tell`: what happens to workers and files, a sentence each.
    SweepRun(SweepPlan, std::function<void(const std::string&)> tell);
    ~SweepRun();

    // What to do after each look, about ten times a second.
    enum class Go { on, end_soon, end_now }; // end_soon: after what is being measured
    // Errors: no worker is left; a file cannot be read or written; no compiler. What was measured is kept in each case.
    base::Status run(const std::function<Go(const SweepProgress&)>& look);
    const SweepProgress& progress() const { return progress_; }

private:
    struct Hand; // a worker and what it has in hand
    struct Wake;
    base::Status begin(const gpu::Hello&);
    base::Status open_logs(std::deque<SweepItem>&);
    void choose_again(size_t part, std::deque<SweepItem>&) const;
    base::Status take_events(Hand&);
    base::Status take(Hand&, gpu::Hello&);
    base::Status take(Hand&, const gpu::Swept&);
    base::Status take(Hand&, const base::Error&);
    base::Status hand_out(Hand&);
    base::Status settle(Hand&); // that a worker goes on shows who was to blame for its earlier deaths
    base::Status keep_failure(const CompiledItem&, const std::string& reason);
    base::Status keep(const SweepItem&, const measure::SweepPoint&, const measure::SweepSource&);
    measure::SweepSource source_of(const Hand&) const;
    void start_again(Hand&, const base::Error&);
    void give_up(Hand&, const base::Error&);
    bool all_done();
    base::Status resolve_suspects(); // nobody is left to show who was to blame
    base::Status finish();

    SweepPlan plan_;
    std::function<void(const std::string&)> tell_;
    std::shared_ptr<Wake> wake_;
    std::vector<std::unique_ptr<Hand>> hands_;
    std::string device_name_, arch_;
    std::vector<measure::SweepLog> logs_; // of each part, once the device is known
    std::vector<gpu::Launch> compare_;    // of each part
    std::unique_ptr<SweepQueue> queue_;
    SweepProgress progress_;
    std::optional<base::Error> last_error_; // of a worker
    std::chrono::steady_clock::time_point start_, looked_, synced_;
    bool unsynced_ = false;
};

} // namespace session
