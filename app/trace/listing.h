// What the engine executes, as facts and as text: one entry per instruction, in program order. The index of an
// entry is the instruction's pc everywhere in gemmscope.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trace {

enum class Kind : uint8_t { // what a reader of a timeline wants to tell apart
    arithmetic,             // integer, logic, conversion, move, predicate
    fma,                    // FP32 fused multiply-add
    load,                   // from Instruction::space
    store,
    atomic,
    async_copy, // global to shared without registers (cp.async)
    bulk_copy,  // by the copy engine, for one thread (cp.async.bulk and its kind)
    wait,       // for async copies or an mbarrier
    barrier,    // of the block
    branch,
    matrix, // tensor core
    exit,
};

// `cluster`: shared memory of the blocks of a cluster, through the network between them. Such accesses do not go through the block's
// own banks as loads and stores of `shared` do, and none of their counters counts them.
enum class Space : uint8_t { none, global, shared, cluster, local, parameter, constant };

// What analyses ask of an instruction beyond its kind.
enum class Role : uint8_t {
    other,
    move,            // of registers, unchanged
    fma,             // of any type
    commit,          // closes a group of asynchronous copies
    call,            // of a function; goes on behind it
    indirect_branch, // to one of several places
    trap,            // gives up
    matrix_rows,     // ldmatrix, stmatrix: some lanes give the addresses of rows, and each lane holds parts of several
};

enum class Unit : uint8_t { other, fp32, fp64, tensor_core }; // that computes

enum class Cache : uint8_t { every_level, past_l1 }; // the caches that an access is told to go through

struct Instruction {
    std::string text;     // as printed, for showing only: "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r7+16];"
    std::string mnemonic; // "ld.shared.v4.f32"
    Kind kind = Kind::arithmetic;
    Space space = Space::none; // of a load, store or atomic; of a copy: its destination
    Role role = Role::other;
    Unit unit = Unit::other;
    Cache cache = Cache::every_level;
    uint8_t bytes = 0;          // per lane, of a memory access
    uint8_t register_bytes = 0; // per lane, that it loads or stores; `bytes`, but of ldmatrix and its kind
    uint32_t flop = 0;          // of a warp, of a product of matrices: two for each multiply-add
    int64_t groups_left = -1;   // of asynchronous copies, that a wait leaves under way; -1: it is no wait for groups

    // Registers, by their numbers in Listing::names.
    static constexpr int32_t no_register = -1;
    int32_t guard = no_register;  // the predicate that decides whether a lane executes it
    std::vector<int32_t> written; // of a load in the order of its bytes
    std::vector<int32_t> read;    // of a store in the order of its bytes, no_register for a number; no addresses
    std::vector<int32_t> address; // of the memory operands, one after the other; no_register: not made from a register
    int64_t displacement = 0;     // bytes added to the first of them

    int text_line = 0;   // 1-based line in Listing::text
    int source_line = 0; // 1-based line in source_file; 0: unknown
    int own_line = 0;    // of inlined code where it is written, source_line is that of its call; 0: in another file
    int kernel_line = 0; // of inlined code the outermost call's: the line of the kernel's own body
    int source_file = 0; // in Listing::source_files; 0: the kernel's own source
    int64_t target = -1; // pc of a direct branch's target; -1: not a branch

    bool guarded() const { return guard != no_register; }
};

constexpr uint32_t instruction_bytes = 16; // of machine code, since sm_70

enum class Engine : uint8_t { ptx, machine }; // what is executed: the PTX, or the machine code that ptxas makes of it
constexpr const char* name(Engine e) { return e == Engine::ptx ? "ptx" : "machine"; } // on the command line, in JSON
constexpr std::optional<Engine> engine_named(std::string_view text) {
    for (const Engine e : {Engine::ptx, Engine::machine})
        if (text == name(e)) return e;
    return {};
}

struct Listing {
    Engine engine = Engine::ptx;
    std::string text;                      // the whole program text that text_line counts in
    std::vector<Instruction> instructions; // of the entry and the device functions it calls
    std::vector<std::string> names;        // of registers, and of variables that addresses are made from
    // Paths of the files that functions are in and that the kernel's own includes.
    std::map<int, std::string> source_files;
};

} // namespace trace
