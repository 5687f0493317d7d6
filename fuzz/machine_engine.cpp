// A cubin: its first kernel checked for hazards, made a program, and one block of it executed.
#include "cubin.h"
#include "entry.h"
#include "execute.h"

#include "sass/module.h"
#include "sass/scoreboards.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    constexpr size_t most_bytes = 256 << 10;
    if (size > most_bytes) return 0;
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
    const auto entry = first_kernel(bytes);
    if (!entry) return 0;
    if (const auto module = sass::read_module(bytes, *entry))
        (void)sass::find_hazards(module->sm, module->instructions, module->jump_tables);
    if (const auto program = sim::prepare_machine_code(bytes, *entry)) execute(**program, size);
    return 0;
}
