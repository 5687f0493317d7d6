// One run of a kernel: what all its blocks, on all threads, have in common.
#pragma once

#include "sim/checks/global_shadow.h"
#include "sim/checks/grid_order.h"
#include "sim/engine.h"
#include "sim/lanes/warp.h"
#include "sim/program/program.h"
#include "sim/run/overlay.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

namespace sim {

class BlockForms;

struct Run {
    const Program& program;
    const Launch& launch;
    const Options& options;
    const Memory& memory;             // for names and shapes
    std::vector<Segment> segments;    // of global memory, the file's variables, the parameters; by address
    std::vector<std::byte> variables; // behind the module window
    std::vector<std::byte> parameters;
    std::atomic<uint64_t> budget; // warp instructions left
    std::chrono::steady_clock::time_point deadline;
    double seconds = 0; // that the run may take
    std::atomic<bool> stop{false};
    std::atomic<int> workers{0}, stuck{0}; // threads that execute blocks; those whose block gets nowhere
    std::mutex wide_atomics;
    GlobalShadow shadow;
    bool too_large = false; // for the shadow: nothing is watched
    GridReleases releases;
    const BlockForms* forms = nullptr; // of the program, where a block is to tell which others would do the same
    bool knows_data = true; // false: only what is counted is executed (slice.h), and what is stored may be anything

    Run(const Program&, const Launch&, Memory&, const Options&);
    // The same without changing the memory. For one thread only.
    Run(const Program&, const Launch&, const Memory&, const Options&, std::vector<Overlay>&);

private:
    void add_segments_of_the_launch();
    void start_clock();
    void watch_memory();
};

} // namespace sim
