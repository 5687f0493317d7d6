#include "sim/engine.h"

#include "sim/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

namespace sim {
namespace {

constexpr uint64_t most_shared_bytes = 256u << 10; // more than any GPU has

base::Status check(const Program& p, const Launch& l, const Options& o) {
    auto wrong = [](std::string what, std::string todo) { return base::Error{.what = std::move(what), .where = {}, .todo = std::move(todo)}; };
    if (l.grid.count() == 0 || l.block.count() == 0) return wrong("the grid or the block has no threads", "give sizes of at least 1");
    if (l.block.x > 1024 || l.block.y > 1024 || l.block.z > 64 || l.block.count() > 1024)
        return wrong(fmt::format("a block of {} x {} x {} threads is more than a GPU launches", l.block.x, l.block.y, l.block.z), "use at most 1024 threads");
    if (l.grid.x > 0x7FFFFFFF || l.grid.y > 65535 || l.grid.z > 65535) return wrong("the grid is larger than a GPU launches", "");
    const uint64_t shared = uint64_t{p.dynamic_shared_at} + l.dynamic_shared_bytes;
    if (shared > most_shared_bytes) return wrong(fmt::format("the block needs {} bytes of shared memory, more than any GPU has", shared), "use smaller tiles");
    if (l.parameters.size() < p.parameter_bytes)
        return wrong(fmt::format("the kernel takes {} bytes of parameters, {} were given", p.parameter_bytes, l.parameters.size()), "");
    const base::Dim3 c = p.cluster;
    if (c.count() > most_cluster_blocks)
        return wrong(fmt::format("the kernel asks for clusters of {} blocks", c.count()), fmt::format("use at most {}, which every GPU with clusters launches", most_cluster_blocks));
    if (l.grid.x % c.x != 0 || l.grid.y % c.y != 0 || l.grid.z % c.z != 0)
        return wrong(fmt::format("a grid of {} x {} x {} blocks cannot be cut into clusters of {} x {} x {}", l.grid.x, l.grid.y, l.grid.z, c.x, c.y, c.z),
                     "make each side of the grid a multiple of the cluster's");
    if (o.traced_block && (o.traced_block->x >= l.grid.x || o.traced_block->y >= l.grid.y || o.traced_block->z >= l.grid.z))
        return wrong(fmt::format("block ({}, {}, {}) is not in the grid of {} x {} x {}", o.traced_block->x, o.traced_block->y, o.traced_block->z, l.grid.x, l.grid.y, l.grid.z), "choose a block inside");
    const uint64_t warps = (l.block.count() + trace::warp_size - 1) / trace::warp_size;
    if (o.schedule.kind == trace::Schedule::Kind::warp_first && o.schedule.number >= warps)
        return wrong(fmt::format("warp {} cannot run first: the block's warps are 0 to {}", o.schedule.number, warps - 1), "choose one of them");
    constexpr uint64_t most_local = uint64_t{1} << 30;
    if (uint64_t{p.local_bytes} * l.block.count() > most_local) return wrong("the block's local memory is larger than 1 GB", "");
    return base::Done{};
}

// The clusters of a run, handed out to threads.
class Grid {
public:
    Grid(Run& run, Outcome& out) : run_(run), out_(out) {}

    void work(trace::Observer* observer) {
        Cluster cluster(run_, observer);
        const base::Dim3 clusters = cluster_of(run_.launch.grid);
        if (run_.options.traced_block_only) {
            if (run_.options.traced_block && next_++ == 0) one(cluster, cluster_of(*run_.options.traced_block));
        } else {
            for (uint64_t n = next_++; n < clusters.count() && !run_.stop; n = next_++) one(cluster, base::position(n, clusters));
        }
        --run_.workers;
        const std::lock_guard lock(mutex_);
        cluster.merge_findings(findings_);
        const trace::Counts counts = cluster.counts();
        for (size_t pc = 0; pc < out_.counts.size(); ++pc) {
            out_.counts[pc].executed += counts[pc].executed;
            out_.counts[pc].threads += counts[pc].threads;
            out_.counts[pc].diverged += counts[pc].diverged;
        }
    }
    Findings& findings() { return findings_; }

private:
    Run& run_;
    Outcome& out_;
    std::atomic<uint64_t> next_{0}, done_{0};
    std::mutex mutex_;
    Findings findings_;

    // Of a block's index, or a number of blocks.
    base::Dim3 cluster_of(base::Dim3 blocks) const {
        const base::Dim3 shape = run_.program.cluster;
        return {blocks.x / shape.x, blocks.y / shape.y, blocks.z / shape.z};
    }

    void one(Cluster& cluster, base::Dim3 index) {
        const base::Dim3 shape = run_.program.cluster;
        const std::optional<base::Dim3>& traced = run_.options.traced_block;
        if (traced && cluster_of(*traced) == index) cluster.execute(*traced, &out_.trace); // exactly one thread meets it
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

} // namespace

base::Result<Outcome> run(const Program& program, const Launch& launch, Memory& memory, const Options& options) {
    if (auto status = check(program, launch, options); !status) return status.error();
    const auto start = std::chrono::steady_clock::now();
    Outcome out;
    out.counts.resize(program.listing->instructions.size());
    out.trace = empty_trace(program, launch, memory, options);
    Run common(program, launch, memory, options);
    Grid grid(common, out);
    const uint64_t clusters = options.traced_block_only ? 1 : launch.grid.count() / program.cluster.count();
    const auto threads = static_cast<int>(std::min<uint64_t>(static_cast<uint64_t>(std::max(options.threads, 1)), clusters));
    common.workers = threads;
    {
        std::vector<std::jthread> workers;
        for (int n = 1; n < threads; ++n)
            workers.emplace_back([&grid, observer = options.observer ? options.observer() : nullptr] { grid.work(observer); });
        grid.work(options.observer ? options.observer() : nullptr);
    }
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

base::Result<BlockState> state_at(const Program& program, const Launch& launch, const Memory& memory, base::Dim3 index, uint64_t steps, trace::Schedule schedule) {
    Options options;
    options.schedule = schedule;
    options.traced_block = index;
    options.traced_block_only = true;
    if (auto status = check(program, launch, options); !status) return status.error();
    const auto shown = program.with_own_rows();
    if (!shown) return shown.error();
    std::vector<Overlay> overlays;
    Run run(**shown, launch, memory, options, overlays);
    Cluster cluster(run, nullptr);
    const Block& block = cluster.execute_until(index, steps);
    BlockState state;
    state.shared = block.shared().data;
    for (uint8_t s : block.shared().state) {
        state.shared_written.push_back(s == SharedMemory::written || s == SharedMemory::mbarrier);
        state.shared_in_flight.push_back(s == SharedMemory::pending);
    }
    for (const Warp& w : block.warps()) {
        auto& rows = state.registers.emplace_back();
        for (const NamedRow& n : (*shown)->names) {
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
