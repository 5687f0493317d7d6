// Which registers an instruction of a PTX listing moves values between, read from its text.
#pragma once

#include "trace/listing.h"

#include <string>
#include <string_view>
#include <vector>

namespace analysis {

struct Operands {
    std::string_view mnemonic;                         // "ld.global.v4.f32", without guard
    std::vector<std::vector<std::string_view>> values; // each operand; a {list} has its members, others one entry
};
// Of "@%p1 st.shared.v2.f32 [%r7+16], {%f1, %f2};". The views point into `text`.
Operands operands(std::string_view text);

} // namespace analysis
