// One block of a program that a fuzzer made, executed: in a small memory, for a short time.
#pragma once

#include "sim/engine.h"

#include <algorithm>
#include <cstring>

// Every parameter that may be a pointer leads to the one buffer. The input's length says how many blocks and threads there are.
inline sim::Launch launch_into(uint64_t buffer, size_t length, const sim::Program& program) {
    constexpr uint64_t most_parameters = 4096;
    sim::Launch launch{.grid = {length % 8 == 0 ? 8u : 2u, 1, 1},
                       .block = {static_cast<uint32_t>(1 + length % 96), 1, 1},
                       .dynamic_shared_bytes = 64,
                       .parameters = {}};
    uint64_t bytes = 0;
    for (const sim::Parameter& p : sim::parameters(program)) bytes = std::max(bytes, uint64_t{p.offset} + p.bytes);
    launch.parameters.resize(std::min(bytes, most_parameters));
    for (size_t at = 0; at + sizeof buffer <= launch.parameters.size(); at += sizeof buffer)
        std::memcpy(launch.parameters.data() + at, &buffer, sizeof buffer);
    return launch;
}

inline void execute(const sim::Program& program, size_t length) {
    sim::Memory memory;
    const uint64_t buffer = memory.allocate({.name = "buffer", .bytes = 64 * 256, .element = base::NumberType::f64});
    const sim::Launch launch = launch_into(buffer, length, program);
    sim::Options options;
    options.traced_block = base::Dim3{0, 0, 0};
    options.instruction_budget = 5000;
    options.trace_bytes = 1 << 20;
    const sim::Memory before = memory;
    auto outcome = sim::run(program, launch, memory, options);
    if (!outcome || outcome->trace.events.empty()) return;
    (void)sim::state_at(program, launch, before, {0, 0, 0}, outcome->trace.events.size() / 2);
}
