#include "lesson/executions.h"

#include "session/sample.h"
#include "session/series.h"

#include <algorithm>

namespace lesson {
namespace {

constexpr size_t most_entries = 24;
constexpr size_t most_bytes = 400u << 20;
// Of larger products some blocks stand for all, as `gemmscope trace` does it.
constexpr double whole_products = 512.0 * 512 * 512;
constexpr double most_products = 2048.0 * 2048 * 2048; // some seconds
double products(const catalog::Problem& size) { return static_cast<double>(size.m) * size.n * size.k; }

base::Error stopped() { return {base::Failure::check_failed, base::say("stopped"), {}, {}}; }

} // namespace

Recorded::Recorded(const std::filesystem::path& assets, const catalog::Catalog& catalog)
    : series_(session::read_series(assets, catalog).series), sweeps_(assets / "recorded" / "sweeps", {}) {}

base::Result<session::Speed> Recorded::speed(std::shared_ptr<const catalog::Kernel> kernel,
                                             const catalog::Values& values, const catalog::Problem& size) {
    const std::vector<session::KernelSweep> sweeps = sweeps_.of(*kernel);
    std::vector<std::string> devices;
    for (const auto& sweep : sweeps)
        if (!sweep.stale) devices.push_back(sweep.record->device());
    for (const measure::Series& one : series_)
        if (one.kernel == kernel->id && one.origin == measure::Origin::recorded) devices.push_back(one.device);
    for (const std::string& device : devices) {
        const auto speed = session::Speeds(kernel, sweeps, series_, device).at(values, size);
        if (speed && speed->gflops > 0) return *speed;
    }
    return base::Error{
        base::Failure::check_failed,
        base::say("no speed of this setting of {} at {} x {} x {} comes with the program", kernel->id, size.m, size.n,
                  size.k),
        {},
        base::say("choose a setting and a speed_size that were recorded: gemmscope speed {}", kernel->id)};
}

base::Result<Executions::Entry*> Executions::entry(const session::Subject& subject) {
    const auto known =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& one) { return one.subject == subject; });
    if (known != entries_.end()) {
        std::rotate(entries_.begin(), known, known + 1);
        return &entries_.front();
    }
    auto job = session::resolve(catalog_, subject);
    if (!job) return job.error();
    Entry made;
    made.subject = subject;
    made.job = std::make_shared<const session::Job>(std::move(*job));
    entries_.push_front(std::move(made));
    trim();
    return &entries_.front();
}

// The large parts.
size_t Executions::bytes_of(const Entry& entry) {
    size_t bytes = 0;
    if (entry.job && entry.job->inputs)
        for (const auto& buffer : entry.job->inputs->memory.buffers()) bytes += buffer.bytes;
    return entry.block ? bytes + session::bytes_of(*entry.block->block.block) : bytes;
}

void Executions::trim() {
    size_t bytes = 0, kept = 0;
    auto entry = entries_.begin();
    for (; entry != entries_.end(); ++entry, ++kept) {
        bytes += bytes_of(*entry);
        if (kept > 0 && (kept >= most_entries || bytes > most_bytes)) break;
    }
    entries_.erase(entry, entries_.end());
}

size_t Executions::bytes() const {
    size_t bytes = 0;
    for (const Entry& entry : entries_) bytes += bytes_of(entry);
    return bytes;
}

base::Status Executions::prepare(Entry& entry) {
    if (entry.prepared) return base::Done{};
    const auto prepared = session::prepare(*entry.job, stop_);
    if (prepared.failed) return prepared.failed->error;
    entry.prepared = prepared.value;
    return base::Done{};
}

base::Status Executions::fill(Entry& entry) {
    if (auto ready = prepare(entry); !ready || entry.job->inputs) return ready;
    auto inputs = session::share_inputs(*entry.job, *entry.prepared->program, nullptr, stop_);
    if (!inputs) return inputs.error();
    auto job = std::make_shared<session::Job>(*entry.job);
    job->inputs = *inputs;
    entry.job = job;
    return base::Done{};
}

base::Status Executions::assemble(Entry& entry) {
    if (entry.machine) return base::Done{};
    if (auto ready = prepare(entry); !ready) return ready;
    const auto machine = session::machine_code(*entry.job, entry.prepared->ptx.get(), stop_);
    if (machine.failed) return machine.failed->error;
    entry.machine = machine.value;
    return base::Done{};
}

base::Result<std::shared_ptr<const session::FullRun>> Executions::run(Entry& entry) {
    const catalog::Problem& size = entry.subject.problem;
    if (products(size) > whole_products) {
        const auto sample = session::run_sample(*entry.job, *entry.prepared, threads_, stop_);
        if (sample.value) return sample.value;
        if (sample.failed->error.failure != base::Failure::missing) return sample.failed->error;
        if (products(size) > most_products)
            return base::Error{base::Failure::usage,
                               base::say("a product of {} x {} x {} takes too long to execute whole, which this kernel "
                                         "needs: {}",
                                         size.m, size.n, size.k, sample.failed->error.what),
                               {},
                               base::say("choose a smaller m, n or k")};
    }
    if (auto ready = fill(entry); !ready) return ready.error();
    const auto run = session::run_grid(*entry.job, *entry.prepared, threads_, stop_);
    if (run.failed) return run.failed->error;
    return run.value;
}

base::Result<std::shared_ptr<const session::Job>> Executions::job(const session::Subject& subject) {
    auto found = entry(subject);
    if (!found) return found.error();
    return (*found)->job;
}

base::Result<trace::Engine> Executions::engine(const session::Subject& subject) {
    auto found = entry(subject);
    if (!found) return found.error();
    if (auto ready = prepare(**found); !ready) return ready.error();
    return (*found)->prepared->listing->engine;
}

base::Result<std::shared_ptr<const Traced>> Executions::block(const session::Subject& subject, base::Dim3 index) {
    auto found = entry(subject);
    if (!found) return found.error();
    Entry& entry = **found;
    if (entry.block && entry.block->block.block->trace.block_index == index) return entry.block;
    const base::Dim3 grid = entry.job->shape.grid;
    if (index.x >= grid.x || index.y >= grid.y || index.z >= grid.z)
        return base::Error{base::Failure::usage,
                           base::say("there is no block ({}, {}, {}) in a grid of {} x {} x {}", index.x, index.y,
                                     index.z, grid.x, grid.y, grid.z),
                           {},
                           base::say("choose one of the grid, counted from 0")};
    if (auto ready = fill(entry); !ready) return ready.error();
    const auto run = session::run_block(*entry.job, *entry.prepared, index, stop_);
    if (run.failed) return run.failed->error;
    if (stop_.stop_requested()) return stopped();
    session::Traced traced{catalog_.find(subject.kernel), entry.prepared, run.value};
    session::AccessedArrays arrays(traced);
    entry.block = std::make_shared<const Traced>(Traced{std::move(traced), std::move(arrays)});
    trim(); // this entry is the latest
    return entry.block;
}

base::Result<std::shared_ptr<const Grid>> Executions::grid(const session::Subject& subject) {
    auto found = entry(subject);
    if (!found) return found.error();
    Entry& entry = **found;
    if (entry.grid) return entry.grid;
    if (auto ready = prepare(entry); !ready) return ready.error();
    auto counted = run(entry);
    if (!counted) return counted.error();
    if ((*counted)->stopped || stop_.stop_requested()) return stopped();
    auto made = std::make_shared<Grid>();
    made->listing = entry.prepared->listing;
    auto kept = std::make_shared<session::FullRun>(**counted);
    kept->memory = {}; // takes room
    kept->reference.clear();
    made->run = std::move(kept);
    entry.grid = std::move(made);
    return entry.grid;
}

base::Result<std::shared_ptr<const Resources>> Executions::resources(const session::Subject& subject) {
    auto found = entry(subject);
    if (!found) return found.error();
    Entry& entry = **found;
    if (entry.resources) return entry.resources;
    if (auto ready = assemble(entry); !ready) return ready.error();
    const auto limits = analysis::multiprocessor(subject.arch);
    if (!limits) return limits.error();
    Resources made{entry.machine->resources, 0, {}};
    made.shared_bytes = made.used.static_shared_bytes + entry.job->shape.dynamic_shared_bytes;
    const auto occupancy = analysis::occupancy(*limits, static_cast<int>(entry.job->shape.block.count()),
                                               made.used.registers, static_cast<uint32_t>(made.shared_bytes));
    if (!occupancy) return occupancy.error();
    made.occupancy = *occupancy;
    entry.resources = std::make_shared<const Resources>(std::move(made));
    return entry.resources;
}

base::Result<session::Speed> Executions::speed(const session::Subject& subject, const catalog::Problem& size) {
    if (!subject.breaks.empty())
        return base::Error{base::Failure::check_failed,
                           base::say("the speed of broken code is not known"),
                           {},
                           base::say("tell speeds in a step without breaks")};
    auto known = job(subject);
    if (!known) return known.error();
    return recorded_->speed(catalog_.find(subject.kernel), (*known)->parameters, size);
}

} // namespace lesson
