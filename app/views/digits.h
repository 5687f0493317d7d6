// Values of registers and shared words as text of at most so many characters.
#pragma once

#include "session/view.h"
#include "trace/trace.h"

#include <string>
#include <string_view>

namespace views {

enum class ValueType {
    predicate,
    f32,
    f64,
    signed_integer,
    address,
    bf16_pair, // a word, the lower one first
    bits       // of +1 and -1, a word: the first element first
};

// Whether an array holds words of 32 elements each.
bool has_packed_operands(const trace::Trace&);

// By the way PTX names registers: %f12, %fd3, %r7, %rd2, %p1.
ValueType value_type(std::string_view name, int bits);

// `room` characters at most; "~0" for a real number that is too small to be told in so few, else "" if it cannot be.
std::string value_text(uint64_t bits, int width, ValueType, session::Digits, size_t room);
// Of a word of two bf16 one of them, likewise.
std::string half_text(uint32_t word, bool upper, session::Digits, size_t room);

} // namespace views
