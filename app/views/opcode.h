// Two sentences for each PTX instruction that our kernels and checks use, from the tables' [opcode]: what it does, and what to know of it.
#pragma once

#include "views/strings.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace views {

// With names as the source has them instead of mangled ones: "ld.param.u32 %r1, [param_0];" of
// "ld.param.u32 %r1, [_Z5naiveILi32EEviiifPKfS1_fPf_param_0];".
std::string with_short_names(std::string_view instruction);

struct OpcodeHelp {
    std::string_view prefix; // of the opcode, whole words: "ld.shared"
    const char* key;         // "opcode.ld_shared"
};
std::span<const OpcodeHelp> opcode_helps();
std::span<const OpcodeHelp> machine_opcode_helps(); // likewise of SASS: "LDS"

// Those whose name or sentences hold `words`, without regard to case; by name first. All of them if it is empty.
struct OpcodeEntry {
    std::string_view opcode, language; // "LDS" of "SASS"
    std::string_view text;             // in the language in use
    bool named = false;                // found by its name
};
std::vector<OpcodeEntry> find_opcodes(const Strings&, std::string_view words);

// The sentences for the longest known prefix, and one for each modifier that changes what is meant (".v4",
// ".wide"); empty for an opcode that the table does not have.
std::string opcode_help(const Strings&, std::string_view opcode); // "ld.shared.v4.f32", "LDS.128"

} // namespace views
