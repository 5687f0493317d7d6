#include "base/json.h"

#include <nlohmann/json.hpp>

namespace base {
namespace {

Error not_taken(Sentence what) { return {Failure::usage, std::move(what), {}, {}}; }

// Up to the first byte that is not JSON, quotes and brackets are those that the parser will see.
Status within_bounds(std::string_view text) {
    if (text.size() > longest_json) return not_taken(say("JSON of more than {} bytes", longest_json));
    int depth = 0;
    size_t values = 1;
    bool quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > deepest_json) return not_taken(say("JSON of more than {} levels", deepest_json));
            ++values;
        } else if (c == ']' || c == '}') {
            --depth;
        } else if (c == ',') {
            ++values;
        }
        if (values > most_json_values) return not_taken(say("JSON of more than {} values", most_json_values));
    }
    return Done{};
}

} // namespace

Result<nlohmann::json> parse_json(std::string_view text) {
    if (auto bounded = within_bounds(text); !bounded) return bounded.error();
    auto value = nlohmann::json::parse(text, nullptr, false);
    if (value.is_discarded()) return not_taken(say("not JSON"));
    return value;
}

} // namespace base
