// Small PTX kernels made at random: integer, float and predicate instructions, guards, branches, loops, switches, shared
// memory with barriers. They end, stay in bounds, race nowhere and read no register that was not written.
#pragma once

#include <cstdint>
#include <string>

struct GeneratedKernel {
    std::string text;          // test(.param .u64 out, .param .u64 in)
    uint32_t results = 0;      // of 8 bytes, each thread: result n of thread t of all lies at out[t * results + n]
    uint32_t doubles_from = 0; // results from here on are f64
    static constexpr uint32_t inputs = 256; // words of `in`
};
GeneratedKernel generate_kernel(uint32_t seed, uint32_t threads);
