// A cubin: read, decoded, printed. The bytes as they are, and as the code of a kernel alone.
// Coverage: app/sass
#include "cubin.h"
#include "entry.h"

#include "sass/decoder.h"
#include "sass/module.h"
#include "sass/printer.h"
#include "sass/reader.h"

#include <algorithm>
#include <cstring>

namespace {

constexpr size_t most_bytes = 256 << 10;

void decode_all(const uint8_t* data, size_t size) {
    for (const int sm : {75, 80, 90, 120}) {
        for (size_t at = 0; at + sass::instruction_bytes <= size; at += sass::instruction_bytes) {
            sass::Word word;
            std::memcpy(&word, data + at, sizeof word);
            const sass::Instruction i = sass::decode(sm, word, at);
            (void)sass::print(i);
            (void)sass::print(i.control);
            (void)sass::facts_of(i);
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size > most_bytes) return 0;
    decode_all(data, std::min<size_t>(size, 4096));
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
    if (const auto entry = first_kernel(bytes)) {
        (void)sass::read(bytes, *entry);
        (void)sass::read_module(bytes, *entry);
    }
    return 0;
}
