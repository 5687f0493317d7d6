#include "sim/engine.h"

#include "base/caught.h"
#include "sim/budget.h"
#include "sim/run/cluster.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

namespace sim {
namespace {

constexpr uint64_t most_shared_bytes = 256u << 10; // more than any GPU has

} // namespace

std::shared_ptr<const trace::Listing> listing(const Program& p) { return p.listing; }

base::Sentence not_executed(const Program& p) {
    const auto unknown = [](const Operation& op) { return op.flow == Flow::unknown; };
    const auto first = std::find_if(p.operations.begin(), p.operations.end(), unknown);
    if (first == p.operations.end()) return {};
    const trace::Instruction& at = p.listing->instructions[first->pc];
    const base::Sentence& why = p.reasons[first->detail.number];
    if (p.listing->engine == trace::Engine::ptx) return base::say("line {}, {}: {}", at.text_line, at.text, why);
    return base::say("address {:#06x}, {}: {}", first->pc * trace::instruction_bytes, at.text, why);
}

std::shared_ptr<const trace::MachineListing> machine_listing(const Program& p) { return p.machine_listing; }

std::span<const Parameter> parameters(const Program& p) { return p.parameters; }
uint32_t static_shared_bytes(const Program& p) { return p.static_shared; }
base::Dim3 cluster_shape(const Program& p) { return p.cluster; }

base::Status check(const Program& p, const Launch& l, const Options& o) {
    auto wrong = [](base::Sentence what, base::Sentence todo) {
        return base::Error{.what = std::move(what), .where = {}, .todo = std::move(todo)};
    };
    if (l.grid.count() == 0 || l.block.count() == 0)
        return wrong(base::say("the grid or the block has no threads"), base::say("give sizes of at least 1"));
    if (l.block.x > 1024 || l.block.y > 1024 || l.block.z > 64 || l.block.count() > 1024)
        return wrong(
            base::say("a block of {} x {} x {} threads is more than a GPU launches", l.block.x, l.block.y, l.block.z),
            base::say("use at most 1024 threads"));
    if (l.grid.x > 0x7FFFFFFF || l.grid.y > 65535 || l.grid.z > 65535)
        return wrong(base::say("the grid is larger than a GPU launches"), {});
    const uint64_t shared = uint64_t{p.dynamic_shared_at} + l.dynamic_shared_bytes;
    if (shared > most_shared_bytes)
        return wrong(base::say("the block needs {} bytes of shared memory, more than any GPU has", shared),
                     base::say("use smaller tiles"));
    if (l.parameters.size() < p.parameter_bytes)
        return wrong(
            base::say("the kernel takes {} bytes of parameters, {} were given", p.parameter_bytes, l.parameters.size()),
            {});
    const base::Dim3 c = p.cluster;
    if (c.count() > most_cluster_blocks)
        return wrong(base::say("the kernel asks for clusters of {} blocks", c.count()),
                     base::say("use at most {}, which every GPU with clusters launches", most_cluster_blocks));
    if (l.grid.x % c.x != 0 || l.grid.y % c.y != 0 || l.grid.z % c.z != 0)
        return wrong(base::say("a grid of {} x {} x {} blocks cannot be cut into clusters of {} x {} x {}", l.grid.x,
                               l.grid.y, l.grid.z, c.x, c.y, c.z),
                     base::say("make each side of the grid a multiple of the cluster's"));
    if (o.traced_block &&
        (o.traced_block->x >= l.grid.x || o.traced_block->y >= l.grid.y || o.traced_block->z >= l.grid.z))
        return wrong(base::say("block ({}, {}, {}) is not in the grid of {} x {} x {}", o.traced_block->x,
                               o.traced_block->y, o.traced_block->z, l.grid.x, l.grid.y, l.grid.z),
                     base::say("choose a block inside"));
    const uint64_t warps = (l.block.count() + trace::warp_size - 1) / trace::warp_size;
    if (o.schedule.kind == trace::Schedule::Kind::warp_first && o.schedule.number >= warps)
        return wrong(base::say("warp {} cannot run first: the block's warps are 0 to {}", o.schedule.number, warps - 1),
                     base::say("choose one of them"));
    return base::Done{};
}

namespace {

// The clusters of a run, handed out to threads.
class Grid {
public:
    Grid(Run& run, Outcome& out) : run_(run), out_(out) {}

    // On a thread of its own, which must let no exception out: the first is kept, and the others stop.
    void work(trace::Observer* observer) {
        const std::exception_ptr thrown = base::caught([&] { take_clusters(observer); });
        --run_.workers;
        if (thrown) give_up(thrown);
    }
    void give_up(const std::exception_ptr& thrown) {
        run_.stop = true;
        const std::lock_guard lock(mutex_);
        if (!thrown_) thrown_ = thrown;
    }
    const std::exception_ptr& thrown() const { return thrown_; }
    Findings& findings() { return findings_; }

private:
    Run& run_;
    Outcome& out_;
    std::atomic<uint64_t> next_{0}, done_{0};
    std::mutex mutex_;
    Findings findings_;
    std::exception_ptr thrown_;

    void take_clusters(trace::Observer* observer) {
        Cluster cluster(run_, observer);
        const base::Dim3 clusters = cluster_of(run_.launch.grid);
        if (run_.options.traced_block_only) {
            if (run_.options.traced_block && next_++ == 0) one(cluster, cluster_of(*run_.options.traced_block));
        } else {
            for (uint64_t n = next_++; n < clusters.count() && !stopped(); n = next_++)
                one(cluster, base::position(n, clusters));
        }
        const std::lock_guard lock(mutex_);
        cluster.merge_findings(findings_);
        const trace::Counts counts = cluster.counts();
        for (size_t pc = 0; pc < out_.counts.size(); ++pc) {
            out_.counts[pc].executed += counts[pc].executed;
            out_.counts[pc].threads += counts[pc].threads;
            out_.counts[pc].diverged += counts[pc].diverged;
        }
    }

    // Looked at once a cluster, too: blocks without instructions use no fuel (Block::refuel).
    bool stopped() {
        if (run_.options.stop.stop_requested()) run_.stop = true;
        return run_.stop;
    }

    // Of a block's index, or a number of blocks.
    base::Dim3 cluster_of(base::Dim3 blocks) const {
        const base::Dim3 shape = run_.program.cluster;
        return {blocks.x / shape.x, blocks.y / shape.y, blocks.z / shape.z};
    }

    void one(Cluster& cluster, base::Dim3 index) {
        const base::Dim3 shape = run_.program.cluster;
        const std::optional<base::Dim3>& traced = run_.options.traced_block;
        if (traced && cluster_of(*traced) == index)
            cluster.execute(*traced, &out_.trace); // exactly one thread meets it
        else cluster.execute({index.x * shape.x, index.y * shape.y, index.z * shape.z}, nullptr);
        const uint64_t done = done_ += run_.options.traced_block_only ? 1 : shape.count();
        if (run_.options.progress) run_.options.progress(done);
    }
};

trace::Trace empty_trace(const Program& p, const Launch& l, const Memory& memory, const Options& o) {
    trace::Trace t;
    if (!o.traced_block) return t;
    t.listing = p.listing;
    t.grid = l.grid;
    t.block = l.block;
    t.block_index = *o.traced_block;
    t.schedule = o.schedule;
    t.shared_bytes = p.dynamic_shared_at + l.dynamic_shared_bytes;
    t.buffers.assign(memory.buffers().begin(), memory.buffers().end());
    return t;
}

// On Options::threads threads, or as many as the system gives: the others do the work of those that it refuses.
void execute(Run& run, Grid& grid) {
    const Options& options = run.options;
    const auto observer = [&] { return options.observer ? options.observer() : nullptr; };
    run.workers = options.threads;
    std::vector<std::jthread> workers;
    const std::exception_ptr thrown = base::caught([&] {
        workers.reserve(static_cast<size_t>(options.threads));
        for (int n = 1; n < options.threads; ++n) {
            trace::Observer* const its = observer();
            if (!base::caught([&] { workers.emplace_back([&grid, its] { grid.work(its); }); })) continue;
            run.workers -= options.threads - n;
            break;
        }
        grid.work(observer());
    });
    if (thrown) grid.give_up(thrown); // before the threads are joined: they stop
}

} // namespace

base::Result<Outcome> run(const Program& program, const Launch& launch, Memory& memory, const Options& asked) {
    if (auto status = check(program, launch, asked); !status) return status.error();
    const auto start = std::chrono::steady_clock::now();
    const auto fitted = fit_memory(program, launch, memory, asked);
    if (!fitted) return fitted.error();
    const Options& options = *fitted;
    Outcome out;
    out.counts.resize(program.listing->instructions.size());
    out.trace = empty_trace(program, launch, memory, options);
    Run common(program, launch, memory, options);
    Grid grid(common, out);
    execute(common, grid);
    if (grid.thrown()) return base::error_of(grid.thrown());
    out.findings = grid.findings().take();
    for (const trace::InstructionCounts& c : out.counts) {
        out.warp_instructions += c.executed;
        out.thread_instructions += c.threads;
    }
    out.stopped = options.stop.stop_requested() && common.stop;
    out.unwatched = common.too_large || common.shadow.full();
    out.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return out;
}

base::Result<BlockState> state_at(const Program& program, const Launch& launch, const Memory& memory, base::Dim3 index,
                                  uint64_t steps, trace::Schedule schedule, std::stop_token stop) {
    Options options;
    options.schedule = schedule;
    options.stop = std::move(stop);
    options.traced_block = index;
    options.traced_block_only = true;
    if (auto status = check(program, launch, options); !status) return status.error();
    const auto shown = program.with_own_rows();
    const auto fitted = fit_memory(*shown, launch, memory, options);
    if (!fitted) return fitted.error();
    std::vector<Overlay> overlays;
    Run run(*shown, launch, memory, *fitted, overlays);
    Cluster cluster(run, nullptr);
    const Block& block = cluster.execute_until(index, steps);
    if (run.stop && options.stop.stop_requested())
        return base::Error{base::Failure::check_failed, base::say("stopped before it was done"), {}, {}};
    BlockState state;
    state.shared = block.context.shared.data;
    for (uint8_t s : block.context.shared.state) {
        state.shared_written.push_back(s == SharedMemory::written || s == SharedMemory::mbarrier);
        state.shared_in_flight.push_back(s == SharedMemory::pending);
    }
    for (const Warp& w : block.context.warps) {
        auto& rows = state.registers.emplace_back();
        for (const NamedRow& n : shown->names) {
            Row& r = rows.emplace_back();
            r.name = n.name;
            r.bits = n.width == 0 ? 1 : static_cast<uint8_t>(n.width * 8);
            for (size_t i = 0; i < 32; ++i) {
                if (n.width == 0) r.lanes[i] = *row<uint32_t>(w, n.at) >> i & 1;
                if (n.width == 2) r.lanes[i] = row<uint16_t>(w, n.at)[i];
                if (n.width == 4) r.lanes[i] = row<uint32_t>(w, n.at)[i];
                if (n.width >= 8) r.lanes[i] = row<uint64_t>(w, n.at)[i];
            }
        }
    }
    return state;
}

} // namespace sim
