// A cubin: its first kernel checked for hazards, made a program, and one block of it executed.
// Coverage: app/sass app/sim/sass
#include "cubin.h"
#include "entry.h"
#include "execute.h"

#include "sass/module.h"
#include "sass/scoreboards.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto cubin = cubin_of(data, size);
    if (!cubin) return 0;
    if (const auto module = sass::read_module(cubin->bytes, cubin->entry))
        (void)sass::find_hazards(module->sm, module->instructions, module->jump_tables);
    if (const auto program = sim::prepare_machine_code(cubin->bytes, cubin->entry)) execute(**program, size);
    return 0;
}
