// A cubin: its first kernel checked for hazards, made a program, and one block of it executed.
#include "entry.h"

#include "sass/module.h"
#include "sass/scoreboards.h"
#include "sim/engine.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace {

constexpr size_t most_bytes = 256 << 10;
constexpr uint32_t most_parameters = 4096;

// Every parameter that may be a pointer leads to the one buffer. The file's length says how many blocks and threads there are.
sim::Launch launch_into(uint64_t buffer, size_t length, const sim::Program& program) {
    sim::Launch launch{.grid = {length % 8 == 0 ? 8u : 2u, 1, 1},
                       .block = {static_cast<uint32_t>(1 + length % 96), 1, 1},
                       .dynamic_shared_bytes = 64,
                       .parameters = {}};
    uint64_t bytes = 0;
    for (const sim::Parameter& p : sim::parameters(program)) bytes = std::max(bytes, uint64_t{p.offset} + p.bytes);
    launch.parameters.resize(std::min<uint64_t>(bytes, most_parameters));
    for (size_t at = 0; at + sizeof buffer <= launch.parameters.size(); at += sizeof buffer)
        std::memcpy(launch.parameters.data() + at, &buffer, sizeof buffer);
    return launch;
}

void execute(const sim::Program& program, size_t length) {
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

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size > most_bytes) return 0;
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
    const auto elf = sass::Elf::open(bytes);
    if (!elf) return 0;
    for (const sass::Section& section : elf->sections()) {
        if (!section.name.starts_with(".text.")) continue;
        const std::string entry(section.name.substr(6));
        if (const auto module = sass::read_module(bytes, entry))
            (void)sass::find_hazards(module->sm, module->instructions, module->jump_tables);
        if (const auto program = sim::prepare_machine_code(bytes, entry)) execute(**program, size);
        break;
    }
    return 0;
}
