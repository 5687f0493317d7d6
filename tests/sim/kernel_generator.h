// Small PTX kernels made at random: integer, float and predicate instructions, guards, branches, loops, switches, shared
// memory with barriers. They end, stay in bounds, race nowhere and read no register that was not written.
#pragma once

#include <cstdint>
#include <string>

// What stands once at the beginning of a module of them.
inline std::string generated_header(int sm = 90) {
    return ".version 8.7\n.target sm_" + std::to_string(sm) + "\n.address_size 64\n";
}

struct GeneratedKernel {
    std::string text;     // name(.param .u64 out, .param .u64 in)
    uint32_t results = 0; // of 8 bytes, each thread: result n of thread t of all lies at out[t * results + n]
    uint32_t floats_from = 0, floats_to = 0; // these results are bits of f32
    uint32_t doubles_from = 0;               // results from here on are f64
    static constexpr uint32_t inputs = 256;  // words of `in`
};
// for_ptxas: without what ptxas may compute otherwise than the PTX says. It folds constant fields of bits that reach beyond their register,
// takes the least integer without its sign for positive, and contracts products and sums that do not say how they round. ptxas 13.0 also has
// two mistakes that 13.4 has not: of equal mad.hi, as of an unrolled loop, it drops some though what they add to has changed; and in a loop it
// takes the predicate of a branch around the loop for what it was there, though the loop writes it.
enum class Flavour : uint8_t { any, for_ptxas };
GeneratedKernel generate_kernel(uint32_t seed, uint32_t threads, const std::string& name = "test",
                                Flavour flavour = Flavour::any);
