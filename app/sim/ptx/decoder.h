// PTX as a front end: drafts a kernel and the device functions that it calls. Internal to app/sim.
#pragma once

#include "sim/lanes/warp.h"
#include "sim/program/draft.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace sim {

// A function being expanded: the entry, or a call with its arguments bound.
struct Frame {
    int32_t function = -1;
    const Frame* caller = nullptr;
    std::map<int32_t, uint32_t> memory =
        {}; // variable -> offset in the thread's local memory (.local, .param of calls)
    std::map<int32_t, int32_t> registers = {}; // PTX register -> virtual register
};

// A function that calls itself. It is expanded into itself again and again, as long as the program does not become too large.
struct Recursion {
    uint32_t deepest = 64;
    uint32_t expanded = 0; // calls of it that were expanded, in the whole program
};

struct Decoder {
    std::shared_ptr<const ptx::Module> module;
    std::shared_ptr<Draft> draft = std::make_shared<Draft>();
    Program* program = &draft->program;
    std::shared_ptr<trace::Listing> listing = std::make_shared<trace::Listing>();
    Lanes lanes = best_lanes();

    std::map<int32_t, uint32_t> listed = {}; // function -> pc of its first instruction
    std::unordered_map<std::string, int32_t> listed_names = {};
    std::map<int32_t, uint64_t> address = {}; // variable of the file or shared -> address in its space
    const ptx::Variable& variable(int32_t n) const { return module->variables[static_cast<size_t>(n)]; }
    uint64_t function_address(int32_t n) const { return code_window + 16 * (static_cast<uint64_t>(n) + 1); }
    const ptx::Function& function(int32_t n) const { return module->functions[static_cast<size_t>(n)]; }

    // Lays out parameters, shared variables and variables of the file. Empty, or what is wrong.
    base::Sentence lay_out(int32_t entry);
    // Appends the function's operations. Empty, or what is wrong.
    base::Sentence expand(Frame& frame);
    void list(int32_t function);
    int32_t listed_name(const std::string&); // its number in Listing::names

    // Room for a variable in the thread's local memory.
    uint32_t local_slot(Frame&, int32_t variable);
    uint32_t reserve_local(uint64_t bytes, uint32_t align);
    bool local_too_large = false;
    std::map<int32_t, Recursion> recursions = {}; // by function
    bool recurses_too_far() const;                // the whole again, not as deep
    RowAt stack_used = no_row;          // bytes, of what alloca takes from; made by the first instruction that uses it
    int64_t stack_at = 0;               // in the thread's local memory
    std::vector<int32_t> callable = {}; // functions whose addresses the kernel may know
    bool explicit_cluster = false;      // the entry demands one

    RowAt address_constant(int32_t variable, uint64_t address, uint8_t width);
    RowAt parameter_constant(uint32_t offset, uint32_t bytes, bool sign, uint8_t width);
    RowAt special(ptx::Special, uint8_t width);
};

// Operands of one instruction to rows; `error` says what is wrong.
struct Operands {
    Decoder& decoder;
    Frame& frame;
    const ptx::Instruction& instruction;
    Operation& op;
    uint8_t written = 0; // bit n: row[n] is written
    WideRows wide = {};  // more registers than rows
    base::Sentence error = {};

    const ptx::Operand* at(size_t n) const {
        return n < instruction.operands.size() ? &instruction.operands[n] : nullptr;
    }
    // Puts operand `o` into row[slot]; `width` 0: predicate. The register must have exactly that width.
    void read(int slot, const ptx::Operand& o, uint8_t width);
    void write(int slot, const ptx::Operand& o, uint8_t width);
    // Register of any width of at least `width`, at most 8; the width is noted in the operation.
    void read_any(int slot, const ptx::Operand& o, uint8_t width);
    void write_any(int slot, const ptx::Operand& o, uint8_t width);
    // The registers of a vector, or one, appended to `wide`. False, and `error` set: there are not `count` of them.
    bool read_wide(const ptx::Operand& o, size_t count, uint8_t width);
    bool write_wide(const ptx::Operand& o, size_t count, uint8_t width);
    RowAt address_row(const ptx::Operand& address, uint8_t& bytes, int64_t& offset);
    uint8_t register_width(int32_t number) const;
    RowAt register_row(int32_t number);
    uint64_t variable_address(int32_t variable, bool& known);
    void fail(base::Sentence why) {
        if (error.empty()) error = std::move(why);
    }
};

Space space_of(const ptx::Modifiers&);
uint8_t vector_elements(const ptx::Modifiers&); // 1: no vector
uint8_t value_width(ptx::Type);                 // bytes of a lane; 0: predicate
// Takes the handlers for `c` from the lanes' and the rare ones. Empty, or why there are none.
base::Sentence take_handlers(Operands&, const Choice& c);
Choice choice_of(const Operands&);

// Fills in everything of the operation but the flow's targets. Empty, or why it cannot be executed.
base::Sentence decode_instruction(Operands&);
Effect effect_of(const ptx::Instruction&, uint8_t written);

} // namespace sim
