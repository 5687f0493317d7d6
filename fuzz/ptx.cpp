// PTX text: parsed, printed, decoded, and one block of it executed.
#include "entry.h"

#include "ptx/parser.h"
#include "sim/engine.h"

#include <cstring>

namespace {

constexpr size_t most_text = 64 << 10;

// Every parameter that is a pointer leads to the one buffer. The text's length says how many blocks and threads there are.
sim::Launch launch_into(uint64_t buffer, size_t length) {
    sim::Launch launch{.grid = {length % 8 == 0 ? 8u : 2u, 1, 1},
                       .block = {static_cast<uint32_t>(1 + length % 96), 1, 1},
                       .dynamic_shared_bytes = 64,
                       .parameters = std::vector<std::byte>(512)};
    for (size_t at = 0; at + sizeof buffer <= launch.parameters.size(); at += sizeof buffer) {
        std::memcpy(launch.parameters.data() + at, &buffer, sizeof buffer);
    }
    return launch;
}

void execute(const sim::Program& program, size_t length) {
    sim::Memory memory;
    const sim::Launch launch =
        launch_into(memory.allocate({.name = "buffer", .bytes = 64 * 256, .element = base::NumberType::f64}), length);
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
    if (size > most_text) return 0;
    auto module = ptx::parse(text_of(data, size));
    if (!module) return 0;
    auto program = sim::prepare(std::make_shared<const ptx::Module>(std::move(*module)), "");
    if (program) execute(**program, size);
    return 0;
}
