#include "sim/kinds/representatives.h"

#include "base/caught.h"
#include "base/clock.h"
#include "sim/budget.h"
#include "sim/kinds/block_forms.h"
#include "sim/run/cluster.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace sim {
namespace {

constexpr uint64_t most_blocks = 1 << 25; // of a grid: each has an entry in Representatives::kind_of
constexpr uint32_t uncovered = ~uint32_t{0}, in_progress = uncovered - 1;

base::Error unsuitable(base::Sentence why) { return {base::Failure::missing, std::move(why), {}, {}}; }

Options
without_neighbours(const Options& asked) { // nobody watches for races between blocks of which most are not executed
    Options options = asked;
    options.shadow_bytes = 0;
    options.traced_block.reset();
    options.traced_block_only = false;
    return options;
}

// Calls work(number of the thread) on each of the run's threads. What one of them throws stops the run, and is returned.
template <class F>
std::exception_ptr on_threads(Run& run, const F& work) {
    std::mutex mutex;
    std::exception_ptr first;
    const auto guarded = [&](int number) { // lets no exception out
        const std::exception_ptr thrown = base::caught([&] { work(number); });
        --run.workers;
        if (!thrown) return;
        run.stop = true;
        const std::lock_guard lock(mutex);
        if (!first) first = thrown;
    };
    run.workers = run.options.threads;
    {
        std::vector<std::jthread> workers;
        for (int n = 1; n < run.options.threads; ++n) {
            if (!base::caught([&] { workers.emplace_back([&guarded, n] { guarded(n); }); })) continue;
            run.workers -= run.options.threads - n;
            break;
        }
        guarded(0);
    }
    return first;
}

// Hands out blocks (clusters, of a kernel that has some) that no kind covers yet, from both ends of the grid: what lies at the edges differs from what lies between.
class Covering {
public:
    Covering(Run& run, BlockForms& forms, Representatives& out) : run_(run), forms_(forms), out_(out) {
        const base::Dim3 grid = run.launch.grid, shape = run.program.cluster;
        clusters_ = {grid.x / shape.x, grid.y / shape.y, grid.z / shape.z};
        last_ = clusters_.count();
        out_.cluster = shape;
        out_.kind_of.assign(last_, uncovered);
    }

    void work(bool from_the_end) {
        while (const auto number = take(from_the_end)) execute(*number);
    }
    bool too_many() const { return too_many_; }
    bool complete() const { return covered_ == run_.launch.grid.count(); }
    Findings& findings() { return findings_; }

private:
    Run& run_;
    BlockForms& forms_;
    Representatives& out_;
    std::mutex mutex_; // of all below, and of out_
    base::Dim3 clusters_;
    uint64_t first_ = 0, last_ = 0;
    uint64_t covered_ = 0;
    bool too_many_ = false;
    Findings findings_;

    std::optional<uint64_t> take(bool from_the_end) {
        if (run_.options.stop.stop_requested()) run_.stop = true;
        const std::lock_guard lock(mutex_);
        if (run_.stop || too_many_) return {};
        std::vector<uint32_t>& kind = out_.kind_of;
        while (first_ < last_ && kind[first_] != uncovered) ++first_;
        while (first_ < last_ && kind[last_ - 1] != uncovered) --last_;
        if (first_ == last_) return {};
        const uint64_t number = from_the_end ? last_ - 1 : first_;
        kind[number] = in_progress;
        return number;
    }

    void execute(uint64_t number) {
        const base::Dim3 place = base::position(number, clusters_), shape = run_.program.cluster,
                         index{place.x * shape.x, place.y * shape.y, place.z * shape.z};
        trace::Observer* const observer = run_.options.observer ? run_.options.observer() : nullptr;
        Cluster cluster(run_, observer);
        cluster.execute(index, nullptr);
        if (run_.stop) return;
        std::vector<PathCondition> told;
        for (uint32_t rank = 0; rank < cluster.size(); ++rank)
            told.push_back(cluster.block(rank).path_notes.condition());

        const std::lock_guard lock(mutex_);
        if (out_.kind_of[number] != in_progress) return; // covered meanwhile
        const auto kind = static_cast<uint32_t>(out_.kinds.size());
        uint64_t times = 0;
        forms_.like(index, told).each_row([&](uint64_t first, std::span<const uint32_t> columns) {
            for (const uint32_t column : columns) {
                uint32_t& its = out_.kind_of[first + column];
                if (its < in_progress) continue;
                its = kind;
                ++times;
            }
        });
        out_.kinds.push_back({index, times, cluster.counts(), observer});
        cluster.merge_findings(findings_);
        covered_ += times * shape.count();
        if (run_.options.progress) run_.options.progress(covered_);
        constexpr size_t few = 256;
        too_many_ = kind > few && kind > out_.kind_of.size() / 8;
        if (complete()) run_.stop = true; // what the other threads execute is known by now
    }
};

} // namespace

base::Result<Representatives> run_representatives(const Program& program, const Launch& launch, Memory& memory,
                                                  const Options& asked) {
    const auto start = std::chrono::steady_clock::now();
    if (auto status = check(program, launch, asked); !status) return status.error();
    if (launch.grid.count() > most_blocks)
        return unsuitable(base::say("the grid has too many blocks to say of each which other it does the same as"));
    const auto options = fit_memory(program, launch, memory, without_neighbours(asked));
    if (!options) return options.error();
    const auto forms = BlockForms::of(program, launch);
    if (!forms) return forms.error();

    Representatives out;
    Run run((*forms)->program(), launch, memory, *options);
    run.forms = forms->get();
    run.knows_data = false;
    Covering covering(run, **forms, out);
    if (const auto thrown = on_threads(run, [&](int number) { covering.work(number % 2 == 1); }))
        return base::error_of(thrown);
    out.stopped = asked.stop.stop_requested() && !covering.complete();
    out.findings = covering.findings().take();
    out.wall_s = base::seconds_since(start);
    if (out.stopped) return out;
    if (covering.too_many()) return unsuitable(base::say("the blocks are of more than {} kinds", out.kinds.size()));
    if (!covering.complete()) return unsuitable(base::say("a block did not end")); // one of the findings says why
    return out;
}

base::Result<std::vector<Representative>> run_blocks(const Program& program, const Launch& launch, Memory& memory,
                                                     const Options& asked, std::span<const base::Dim3> blocks,
                                                     std::vector<trace::Finding>* findings) {
    if (auto status = check(program, launch, asked); !status) return status.error();
    const auto options = fit_memory(program, launch, memory, without_neighbours(asked));
    if (!options) return options.error();
    Run run(program, launch, memory, *options);
    run.knows_data = false;
    std::vector<std::optional<Representative>> done(blocks.size());
    Findings found;
    std::mutex mutex; // of `found`
    std::atomic<size_t> next = 0;
    const auto thrown = on_threads(run, [&](int) {
        for (size_t n; (n = next++) < blocks.size() && !run.stop && !asked.stop.stop_requested();) {
            trace::Observer* const observer = asked.observer ? asked.observer() : nullptr;
            Cluster cluster(run, observer);
            cluster.execute(blocks[n], nullptr);
            if (run.stop) return;
            done[n] = {blocks[n], 1, cluster.counts(), observer};
            const std::lock_guard lock(mutex);
            cluster.merge_findings(found);
        }
    });
    if (thrown) return base::error_of(thrown);
    std::vector<Representative> ended;
    for (std::optional<Representative>& one : done)
        if (one) ended.push_back(std::move(*one));
    if (findings) *findings = found.take();
    return ended;
}

} // namespace sim
