#include "session/sample.h"

#include "analysis/counting.h"
#include "base/clock.h"
#include "base/random.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace session {
namespace {

// A counter for each block.
class Counters {
public:
    Counters(const Job& job, const Prepared& prepared)
        : rule_(analysis::bank_rule(job.source.arch)), instructions_(prepared.listing->instructions.size()) {}

    trace::Observer* observer() { // from any thread
        auto counting = std::make_unique<analysis::Counting>(rule_, instructions_);
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
    std::mutex mutex_;
    std::map<trace::Observer*, std::unique_ptr<analysis::Counting>> of_;
};

struct SampleRun {
    Inputs inputs; // zeros
    sim::Launch launch;
    sim::Options options;
};

// The memory takes room only where the blocks reach it: no matrix is filled.
base::Result<SampleRun> make_run(const Job& job, const sim::Program& program, int threads, std::stop_token stop) {
    Job empty = job;
    for (Argument& argument : empty.arguments) argument.fill = Argument::Fill::zero;
    auto inputs = make_inputs(empty, program, stop);
    if (!inputs) return inputs.error();
    sim::Options options;
    options.checks = job.checks;
    options.instruction_budget = instruction_budget(job);
    options.schedule = job.schedule;
    options.threads = std::max(threads, 1);
    options.stop = std::move(stop);
    sim::Launch launch{job.shape.grid, job.shape.block, job.shape.dynamic_shared_bytes, inputs->parameters};
    return SampleRun{std::move(*inputs), std::move(launch), std::move(options)};
}

// A division of floats is one instruction of the PTX. ptxas makes it a function that branches by what it divides, which no form tells.
base::Status branches_as_ptx(const Prepared& prepared) {
    const auto computes_floats = [](const trace::Instruction& i) {
        return i.unit == trace::Unit::fp32 || i.unit == trace::Unit::fp64;
    };
    std::set<int> float_lines; // of the PTX
    for (const trace::Instruction& i : prepared.ptx_listing->instructions)
        if (computes_floats(i)) float_lines.insert(i.text_line);
    const auto& all = prepared.listing->instructions;
    for (size_t pc = 0; pc < all.size(); ++pc) {
        if (all[pc].role != trace::Role::call) continue;
        const int line = prepared.machine_code->instructions[pc].ptx_line;
        if (line == 0 || float_lines.contains(line))
            return base::Error{
                base::Failure::missing,
                base::say("no block can stand for another: line {} calls a function that branches by data",
                          all[pc].source_line),
                {},
                {}};
    }
    return base::Done{};
}

// The kinds are those of the PTX. ptxas decides by what the PTX decides by, so blocks that do the same there do the same in its machine
// code, of which one block of each kind is executed. check_sample() looks at others.
base::Status count_machine_code(const Job& job, const Prepared& prepared, Counters& counters, int threads,
                                std::stop_token stop, sim::Representatives& found) {
    const auto start = base::Clock::now();
    auto run = make_run(job, *prepared.program, threads, std::move(stop));
    if (!run) return run.error();
    run->options.observer = [&counters] { return counters.observer(); };
    std::vector<base::Dim3> blocks;
    for (const sim::Representative& kind : found.kinds) blocks.push_back(kind.block);
    auto done =
        sim::run_blocks(*prepared.program, run->launch, run->inputs.memory, run->options, blocks, &found.findings);
    if (!done) return done.error();
    found.stopped = run->options.stop.stop_requested();
    if (done->size() < blocks.size() && !found.stopped) // one of the findings says why
        return base::Error{base::Failure::missing, base::say("a block did not end"), {}, {}};
    for (size_t n = 0; n < done->size(); ++n) (*done)[n].times = found.kinds[n].times;
    found.kinds = std::move(*done);
    found.wall_s += base::seconds_since(start);
    return base::Done{};
}

void add(trace::InstructionCounts& to, const trace::InstructionCounts& c, uint64_t times) {
    to.executed += times * c.executed;
    to.threads += times * c.threads;
    to.wavefronts += times * c.wavefronts;
    to.wavefronts_ideal += times * c.wavefronts_ideal;
    to.sectors += times * c.sectors;
    to.sectors_ideal += times * c.sectors_ideal;
    to.diverged += times * c.diverged;
}

} // namespace

Stage<FullRun> run_sample(const Job& job, const Prepared& prepared, int threads, std::stop_token stop,
                          const std::function<void(float)>& progress) {
    const bool is_ptx = prepared.listing->engine == Engine::ptx;
    if (!is_ptx)
        if (auto clear = branches_as_ptx(prepared); !clear) return {nullptr, failed(clear.error())};
    Counters counters(job, prepared);
    auto run = make_run(job, *prepared.ptx_program, threads, stop);
    if (!run) return {nullptr, failed(run.error())};
    if (is_ptx) run->options.observer = [&counters] { return counters.observer(); };
    else run->options.checks = false; // what is counted is checked
    const auto blocks = static_cast<float>(job.shape.grid.count());
    if (progress) run->options.progress = [&](uint64_t done) { progress(static_cast<float>(done) / blocks); };
    auto found = sim::run_representatives(*prepared.ptx_program, run->launch, run->inputs.memory, run->options);
    if (!found) return {nullptr, failed(found.error())};
    if (!is_ptx && !found->stopped)
        if (auto counted = count_machine_code(job, prepared, counters, threads, stop, *found); !counted)
            return {nullptr, failed(counted.error())};
    if (found->stopped) found->kinds.clear();

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

bool count_the_same(const trace::Listing& listing, const trace::Counts& a, const trace::Counts& b) {
    if (listing.engine == Engine::ptx) return a == b;
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& one, const auto& other) {
        const trace::Instruction& i = listing.instructions[static_cast<size_t>(&one - a.data())];
        const bool is_arithmetic = i.kind == trace::Kind::arithmetic && i.role != trace::Role::fma;
        if (!i.guarded() || !is_arithmetic) return one == other;
        trace::InstructionCounts same_threads = other;
        same_threads.threads = one.threads;
        return one == same_threads;
    });
}

Stage<SampleCheck> check_sample(const Job& job, const Prepared& prepared, const Sample& sample, uint64_t blocks,
                                std::stop_token stop) {
    std::vector<base::Dim3> drawn;
    const base::RandomStream random(job.seed, ~uint64_t{0});
    for (uint64_t n = 0; n < std::min(blocks, sample.blocks()); ++n)
        drawn.push_back(base::position((random.bits(n) >> 32) * sample.blocks() >> 32, job.shape.grid));

    Counters counters(job, prepared);
    auto run = make_run(job, *prepared.program, 1, stop);
    if (!run) return {nullptr, failed(run.error())};
    run->options.observer = [&counters] { return counters.observer(); };
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
        if (count_the_same(*prepared.listing, one.counts, sample.kinds[kind].counts)) continue;
        check.differs = one.block;
        break;
    }
    return {std::make_shared<const SampleCheck>(check), {}};
}

} // namespace session
