// Sentences as JSON, for what goes from one process to another: "text" of others, {"say": pattern, "with": [...]} or
// {"list": [...], "between": "; "}.
#pragma once

#include "base/sentence.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace base {

// What one sentence may be, with all that fills it. A sentence that is more is written as its English text, cut to the size.
inline constexpr int deepest_sentence = 5, most_parts = 256;
inline constexpr size_t longest_sentence = size_t{1} << 20; // bytes

nlohmann::json to_json(const Sentence&);
std::optional<Sentence> sentence_from(const nlohmann::json&); // nothing: it is none, or too large

// The same as text. Broken UTF-8 is replaced.
std::string json_text(const Sentence&);
std::optional<Sentence> sentence_from_text(std::string_view json);

} // namespace base
