// What a fuzzer calls with each input; one file of this folder defines it. Inputs are any bytes: nothing that the function
// does with them may crash, hang, or use memory without bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

inline std::string_view text_of(const uint8_t* data, size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}
