// One sentence for each common PTX instruction, from the tables' [opcode].
#pragma once

#include "views/strings.h"

#include <span>
#include <string>
#include <string_view>

namespace views {

// Without the guard: "ld.shared.v4.f32" of "@%p1 ld.shared.v4.f32 {...}, [%r7+16];"
std::string_view bare_opcode(std::string_view instruction);

// With names as the source has them instead of mangled ones: "ld.param.u32 %r1, [param_0];" of
// "ld.param.u32 %r1, [_Z5naiveILi32EEviiifPKfS1_fPf_param_0];".
std::string with_short_names(std::string_view instruction);

struct OpcodeHelp {
    std::string_view prefix; // of the opcode, whole words: "ld.shared"
    const char* key;         // "opcode.ld_shared"
};
std::span<const OpcodeHelp> opcode_helps();

// The sentence for the longest known prefix, and one for each modifier that changes what is meant (".v4",
// ".wide"); empty for an opcode that the table does not have.
std::string opcode_help(const Strings&, std::string_view instruction);

} // namespace views
