// Small PTX kernels made at random: integer, float and predicate instructions, guards, branches, loops, switches, shared
// memory with barriers. They end, stay in bounds, race nowhere and read no register that was not written.
#pragma once

#include <cstdint>
#include <string>

// What stands once at the beginning of a module of them.
inline constexpr const char* generated_header = ".version 8.0\n.target sm_90\n.address_size 64\n";

struct GeneratedKernel {
    std::string text;     // name(.param .u64 out, .param .u64 in)
    uint32_t results = 0; // of 8 bytes, each thread: result n of thread t of all lies at out[t * results + n]
    uint32_t floats_from = 0, floats_to = 0; // these results are bits of f32
    uint32_t doubles_from = 0;               // results from here on are f64
    static constexpr uint32_t inputs = 256;  // words of `in`
};
// for_ptxas: without what ptxas may compute otherwise than the PTX says. It folds constant fields of bits that reach beyond their register,
// takes the least integer without its sign for positive, and contracts products and sums that do not say how they round.
enum class Flavour : uint8_t { any, for_ptxas };
GeneratedKernel generate_kernel(uint32_t seed, uint32_t threads, const std::string& name = "test",
                                Flavour flavour = Flavour::any);
