#include "session/sample.h"

#include "analysis/counting.h"
#include "analysis/machine_counts.h"
#include "base/random.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace session {
namespace {

// A counter for each block.
class Counters {
public:
    Counters(const Job& job, const Prepared& prepared)
        : rule_(analysis::bank_rule(job.source.arch)), instructions_(prepared.listing->instructions.size()),
          fusible_(analysis::fusible(*prepared.listing)) {}

    trace::Observer* observer() { // from any thread
        auto counting = std::make_unique<analysis::Counting>(rule_, instructions_, fusible_);
        trace::Observer* const observer = counting->observer();
        const std::lock_guard lock(mutex_);
        of_[observer] = std::move(counting);
        return observer;
    }
    void complete(sim::Representative& one) const {
        of_.at(one.observer)->add_to(one.counts);
        one.observer = nullptr;
    }

private:
    analysis::BankRule rule_;
    size_t instructions_;
    std::vector<bool> fusible_;
    std::mutex mutex_;
    std::map<trace::Observer*, std::unique_ptr<analysis::Counting>> of_;
};

struct SampleRun {
    Inputs inputs; // zeros
    sim::Launch launch;
    sim::Options options;
};

// The memory takes room only where the blocks reach it: no matrix is filled.
base::Result<SampleRun> make_run(const Job& job, const Prepared& prepared, Counters& counters, std::stop_token stop) {
    Job empty = job;
    for (Argument& argument : empty.arguments) argument.fill = Argument::Fill::zero;
    auto inputs = make_inputs(empty, *prepared.program, stop);
    if (!inputs) return inputs.error();
    sim::Options options;
    options.checks = job.checks;
    options.instruction_budget = instruction_budget(job);
    options.schedule = job.schedule;
    options.observer = [&counters] { return counters.observer(); };
    options.stop = std::move(stop);
    sim::Launch launch{job.shape.grid, job.shape.block, job.shape.dynamic_shared_bytes, inputs->parameters};
    return SampleRun{std::move(*inputs), std::move(launch), std::move(options)};
}

void add(trace::InstructionCounts& to, const trace::InstructionCounts& c, uint64_t times) {
    to.executed += times * c.executed;
    to.threads += times * c.threads;
    to.wavefronts += times * c.wavefronts;
    to.wavefronts_ideal += times * c.wavefronts_ideal;
    to.sectors += times * c.sectors;
    to.sectors_ideal += times * c.sectors_ideal;
    to.diverged += times * c.diverged;
    for (size_t i = 0; i < c.wider.size(); ++i) {
        to.wider[i].wavefronts += times * c.wider[i].wavefronts;
        to.wider[i].ideal += times * c.wider[i].ideal;
    }
}

} // namespace

Stage<FullRun> run_sample(const Job& job, const Prepared& prepared, int threads, std::stop_token stop,
                          const std::function<void(float)>& progress) {
    Counters counters(job, prepared);
    auto run = make_run(job, prepared, counters, stop);
    if (!run) return {nullptr, failed(run.error())};
    run->options.threads = std::max(threads, 1);
    const auto blocks = static_cast<float>(job.shape.grid.count());
    if (progress) run->options.progress = [&](uint64_t done) { progress(static_cast<float>(done) / blocks); };
    auto found = sim::run_representatives(*prepared.program, run->launch, run->inputs.memory, run->options);
    if (!found) return {nullptr, failed(found.error())};

    FullRun result;
    auto sample = std::make_shared<Sample>();
    result.counts.resize(prepared.listing->instructions.size());
    for (sim::Representative& kind : found->kinds) {
        counters.complete(kind);
        for (size_t pc = 0; pc < result.counts.size(); ++pc) add(result.counts[pc], kind.counts[pc], kind.times);
    }
    result.totals = analysis::totals(*prepared.listing, result.counts);
    result.thread_instructions = result.totals.thread_instructions;
    result.findings = std::move(found->findings);
    result.wall_s = found->wall_s;
    result.stopped = found->stopped;
    result.unwatched = job.checks;
    sample->kinds = std::move(found->kinds);
    sample->kind_of = std::move(found->kind_of);
    sample->cluster = found->cluster;
    result.sample = std::move(sample);
    return {std::make_shared<const FullRun>(std::move(result)), {}};
}

Stage<SampleCheck> check_sample(const Job& job, const Prepared& prepared, const Sample& sample, uint64_t blocks,
                                std::stop_token stop) {
    std::vector<base::Dim3> drawn;
    const base::RandomStream random(job.seed, ~uint64_t{0});
    for (uint64_t n = 0; n < std::min(blocks, sample.blocks()); ++n)
        drawn.push_back(base::position((random.bits(n) >> 32) * sample.blocks() >> 32, job.shape.grid));

    Counters counters(job, prepared);
    auto run = make_run(job, prepared, counters, stop);
    if (!run) return {nullptr, failed(run.error())};
    auto done = sim::run_blocks(*prepared.program, run->launch, run->inputs.memory, run->options, drawn);
    if (!done) return {nullptr, failed(done.error())};
    SampleCheck check;
    for (sim::Representative& one : *done) {
        counters.complete(one);
        const base::Dim3 shape = sample.cluster, grid = job.shape.grid,
                         at{one.block.x / shape.x, one.block.y / shape.y, one.block.z / shape.z};
        const uint32_t kind =
            sample.kind_of[base::index_of(at, {grid.x / shape.x, grid.y / shape.y, grid.z / shape.z})];
        ++check.blocks;
        if (one.counts == sample.kinds[kind].counts) continue;
        check.differs = one.block;
        break;
    }
    return {std::make_shared<const SampleCheck>(check), {}};
}

} // namespace session
