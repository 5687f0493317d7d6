// A PTX file, parsed: functions, variables, instructions with their lines. Built by ptx::parse (parser.h).
#pragma once

#include "base/dim3.h"
#include "base/sentence.h"
#include "ptx/isa.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptx {

enum class Space : uint8_t { none, reg, global, shared, local, param, constant };

// A named piece of memory: of the file, of a function, or a parameter.
struct Variable {
    std::string name;
    Space space = Space::none;
    Type type = Type::b8; // of an element
    uint32_t align = 1;   // bytes
    uint64_t bytes = 0;   // 0 with `external`: dynamic shared memory
    bool external = false;
    std::vector<std::byte>
        initial;     // of a .global or .const with an initialiser, as far as that is written, zeros follow; else empty
    struct Pointer { // the initialiser's symbols: the address of a variable or function + `addend` lies at `at`
        uint64_t at = 0;
        std::string name;
        int64_t addend = 0;
    };
    std::vector<Pointer> pointers;
    int line = 0;
};

enum class OperandKind : uint8_t {
    none,
    reg,
    immediate, // `bits`: integers sign-extended, 0f as the pattern of a float, 0d of a double
    special,   // `index` is a Special
    variable,  // the address of Module::variables[index], plus `offset`
    address,   // [element + offset]: elements[0] is a reg, variable or immediate
    vector,    // {a, b, ...}
    pair,      // a|p
    label,     // `index` into Function::labels
    function,  // `index` into Module::functions: of a call, or its address
    list,      // (a, b, ...) of a call
};
enum class Literal : uint8_t { integer, float32, float64 };

// The part of a register that a video instruction takes or writes: ".h1", ".b3"; of those with two or four parts ".h10", ".b7654".
struct Part {
    uint8_t bits = 0; // of each; 0: the whole register
    uint8_t count = 0;
    uint8_t number[4] = {}; // the last one written comes first
};

struct Operand {
    OperandKind kind = OperandKind::none;
    Literal literal = Literal::integer;
    bool negated = false; // "!%p1" or "-%r1"
    int32_t index = -1;   // register: number in the function
    int64_t offset = 0;
    uint64_t bits = 0;
    Part part;                     // of a register
    std::vector<Operand> elements; // of an address, vector, pair or list
};

struct Instruction {
    Opcode opcode = Opcode::unknown;
    std::string mnemonic; // as written, with its suffixes in their order
    Modifiers modifiers;
    std::vector<Type> types; // as written, in order
    std::vector<Operand> operands;
    int32_t guard = -1;         // predicate register; -1: none
    bool guard_negated = false; // "@!%p"
    int32_t unknown = -1;       // index into Module::unknown, for Opcode::unknown
    int line = 0;               // 1-based, in the PTX text
    int source_line = 0;        // of the file that the function is in, inlined code at its call; 0: unknown
    int own_line = 0;           // the same, inlined code where it is written; 0: in another file
    int kernel_line =
        0; // the same, inlined code at the outermost call: where functions inline each other, the first of several
    int source_file = 0; // that file's number in Module::files; 0: unknown
    size_t begin = 0;    // where it stands in Module::text, its guard included
};

// Registers declared together: "%r<9>" gives %r0 to %r8.
struct RegisterRange {
    std::string name; // "%r", or the whole name of a single register
    bool numbered = true;
    Type type = Type::b32;
    int32_t first = 0, count = 0;
};

struct Label {
    std::string name;
    int32_t target = -1;          // index into Function::instructions (may be one past the end); -1: undefined
    std::vector<int32_t> targets; // of a .branchtargets list: indices into Function::labels
    int line = 0;
    std::vector<int32_t> functions = {}; // of a .calltargets list: indices into Module::functions
};

struct Function {
    std::string name;
    bool entry = false, defined = false;
    std::optional<base::Dim3> cluster = {};   // in blocks, as .reqnctapercluster demands
    std::vector<int32_t> results, parameters; // indices into Module::variables
    std::vector<RegisterRange> registers;     // ascending by `first`, without gaps
    int32_t register_count = 0;
    std::vector<Instruction> instructions;
    std::vector<Label> labels;
    int line = 0;
    size_t parameters_end =
        0; // in Module::text: the ")" of its parameters; without a list of them where one would stand
    size_t body_begin = 0, body_end = 0; // likewise: behind the body's "{", and its "}"
};
std::string register_name(const Function&, int32_t number); // "%r7"
Type register_type(const Function&, int32_t number);

// A statement outside the table. Parsing went on after it.
struct Unknown {
    int line = 0;
    std::string text; // as it stands in the file
    base::Sentence why;
};

struct Module {
    std::string text;                // the whole file
    std::string version, target;     // "9.0", "sm_90"
    std::vector<Variable> variables; // of all scopes
    std::vector<Function> functions;
    std::map<int, std::string> files; // .file number -> path; without those that need not be told apart
    std::vector<Unknown> unknown;
};

// Printed from the parsed form: one instruction on one line, with its guard and semicolon.
std::string print(const Module&, const Function&, const Instruction&);

} // namespace ptx
