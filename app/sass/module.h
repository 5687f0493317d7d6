// A cubin to one kernel as an executor needs it: its instructions, where its parameters lie, what memory it has.
#pragma once

#include "base/result.h"
#include "sass/elf.h"
#include "sass/instruction.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sass {

struct Parameter { // bytes of c[0][Module::parameters_at + offset]
    uint32_t ordinal = 0, offset = 0, bytes = 0;
};

// Eight bytes of a bank or of a variable's first value, where the address of `symbol` plus `addend` is to be written.
struct Address {
    uint64_t offset = 0;
    std::string symbol; // a variable, a function or, without name, its section
    int64_t addend = 0;
};

// c[number]: 0 has the parameters and what the driver writes before them, 2 jump tables and long immediates, 3 __constant__ variables,
// 4 addresses of variables.
struct ConstantBank {
    int number = 0;
    std::vector<std::byte> contents;
    std::vector<Address> addresses;
    struct Variable {
        std::string name;
        uint64_t offset = 0;
    };
    std::vector<Variable> variables; // whose values `contents` has
};

struct Variable { // of global memory; `first` has its bytes, or none for one that begins with zeros
    std::string name;
    uint64_t bytes = 0;
    std::vector<std::byte> first;
};

struct JumpTable { // where the indirect branch at `address` may go, from the start of the code
    uint64_t address = 0;
    std::vector<uint64_t> targets;
};

struct Module {
    int sm = 0;
    std::string entry;
    std::vector<Instruction> instructions;

    uint32_t parameters_at = 0, parameter_bytes = 0; // in bank 0
    std::vector<Parameter> parameters;               // by ordinal
    std::vector<ConstantBank> banks;
    std::vector<Variable> variables;
    std::vector<JumpTable> jump_tables;
    std::vector<uint64_t> functions; // that the kernel's code holds behind it: where each begins

    uint32_t registers = 0;   // of a thread
    uint32_t frame_bytes = 0; // of local memory, that the kernel itself takes
    uint32_t stack_bytes = 0; // that it needs with the functions it calls; 0: recursion, or it calls none
    uint64_t shared_bytes =
        0; // static; from sm_90 on with 1,024 at its start that the system keeps, as addresses count them
    std::array<uint32_t, 3> max_threads{}; // of a block, from __launch_bounds__; 0: not said
    std::array<uint32_t, 3> cluster{};     // blocks, from __cluster_dims__; 0: not said
    std::vector<std::string> externals;    // functions of the driver that it calls: vprintf, malloc
};

// `entry` is the kernel's mangled name. Errors: damaged bytes, no such kernel, an architecture before sm_75. What a damaged file tells
// beyond its end is left out.
base::Result<Module> read_module(std::span<const std::byte> cubin, const std::string& entry);

} // namespace sass
