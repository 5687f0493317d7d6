// PTX text: parsed, printed, decoded, and one block of it executed.
// Coverage: app/ptx app/sim/ptx
#include "entry.h"
#include "execute.h"

#include "ptx/parser.h"

namespace {

constexpr size_t most_text = 64 << 10;

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size > most_text) return 0;
    auto module = ptx::parse(text_of(data, size));
    if (!module) return 0;
    auto program = sim::prepare(std::make_shared<const ptx::Module>(std::move(*module)), "");
    if (program) execute(**program, size);
    return 0;
}
