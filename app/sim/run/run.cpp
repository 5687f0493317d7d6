#include "sim/run/run.h"

#include <algorithm>
#include <cstring>

namespace sim {

Run::Run(const Program& p, const Launch& l, Memory& m, const Options& o)
    : program(p), launch(l), options(o), memory(m), variables(p.variables), parameters(l.parameters),
      budget(o.instruction_budget), shadow(o.shadow_bytes) {
    for (const trace::Buffer& b : m.buffers()) segments.push_back({b.address, b.bytes, m.bytes(b.address).data()});
    add_segments_of_the_launch();
}

Run::Run(const Program& p, const Launch& l, const Memory& m, const Options& o, std::vector<Overlay>& overlays)
    : program(p), launch(l), options(o), memory(m), variables(p.variables), parameters(l.parameters),
      budget(o.instruction_budget), shadow(o.shadow_bytes) {
    for (const trace::Buffer& b : m.buffers()) overlays.emplace_back(m.bytes(b.address));
    for (size_t n = 0; n < overlays.size(); ++n)
        segments.push_back({.first = m.buffers()[n].address, .bytes = m.buffers()[n].bytes, .overlay = &overlays[n]});
    add_segments_of_the_launch();
}

void Run::start_clock() {
    constexpr double least = 600, slowest = 1e7; // seconds; warp instructions a second
    seconds = options.seconds.value_or(std::max(least, static_cast<double>(options.instruction_budget) / slowest));
    constexpr double for_ever = 1e9;
    deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                      std::chrono::duration<double>(std::min(seconds, for_ever)));
}

void Run::add_segments_of_the_launch() {
    start_clock();
    parameters.resize(std::max<size_t>(parameters.size(), program.parameter_bytes));
    for (const Program::FileVariable& v : program.file_variables)
        segments.push_back({module_window + v.at, v.bytes, variables.data() + v.at, v.writable});
    segments.push_back({parameter_window + program.parameters_at, parameters.size(), parameters.data(), false});
    watch_memory();
}

// Only what the kernel may write to: nothing can be in conflict with reads of the rest.
void Run::watch_memory() {
    const bool alone = launch.grid.count() == 1 || options.traced_block_only;
    if (!options.checks || alone || options.shadow_bytes == 0) return;
    too_large =
        launch.grid.count() > GlobalTouch::most_blocks || program.listing->instructions.size() > GlobalTouch::most_pcs;
    if (too_large) return;
    for (Segment& s : segments) {
        if (!s.writable || s.bytes == 0) continue;
        const bool of_file = s.first >= module_window && s.first < parameter_window;
        bool stored = program.stores_anywhere || (of_file && program.stores_variables);
        for (const uint32_t at : program.stored_parameters) {
            uint64_t pointer = 0;
            if (at + sizeof pointer <= parameters.size()) std::memcpy(&pointer, parameters.data() + at, sizeof pointer);
            stored |= s.holds(pointer, pointer);
        }
        if (stored) s.watched = shadow.watch(s.bytes);
    }
}

} // namespace sim
