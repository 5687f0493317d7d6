#include "catalog/code_hash.h"

#include "base/hash.h"
#include "catalog/characters.h"

#include <algorithm>

namespace catalog {
namespace {

// Where the comment, string or character that begins at `at` ends; `at` itself: none begins there.
size_t end_of_comment(std::string_view text, size_t at) {
    const std::string_view two = text.substr(at, 2);
    if (two == "//") return std::min(text.find('\n', at), text.size());
    if (two != "/*") return at;
    const size_t end = text.find("*/", at + 2);
    return end == text.npos ? text.size() : end + 2;
}
size_t end_of_literal(std::string_view text, size_t at) {
    const char quote = text[at];
    if (quote != '"' && (quote != '\'' || (at > 0 && is_word(text[at - 1])))) return at; // 1'000 is a number
    size_t end = at + 1;
    while (end < text.size() && text[end] != quote && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
}

// Blanks that part nothing. Before a parenthesis they tell a macro's text from its arguments.
bool is_needed(char before, char after) {
    constexpr std::string_view part = "(){}[];,";
    return part.find(before) == part.npos && (after == '(' || part.find(after) == part.npos);
}

// Each run of blanks and comments is one blank, or one line end where it has any: those end a directive.
std::string without_comments(std::string_view text) {
    std::string code;
    code.reserve(text.size());
    for (size_t at = 0; at < text.size();) {
        const size_t start = at;
        for (size_t end = at; at < text.size(); at = end) {
            end = is_space(text[at]) ? at + 1 : end_of_comment(text, at);
            if (end == at) break;
        }
        if (at > start) {
            const bool line_end = text.substr(start, at - start).find('\n') != text.npos;
            if (code.empty() || at == text.size()) continue;
            if (line_end) code += '\n';
            else if (is_needed(code.back(), text[at])) code += ' ';
            continue;
        }
        const size_t end = std::max(end_of_literal(text, at), at + 1);
        code += text.substr(at, end - at);
        at = end;
    }
    return code;
}

} // namespace

std::string code_hash(const Kernel& kernel) {
    base::Hasher hasher;
    hasher.add(without_comments(kernel.source)).add(kernel.function);
    for (const Parameter& parameter : kernel.parameters) hasher.add(parameter.name).add(int64_t{parameter.host});
    for (const std::string* expression :
         {&kernel.block_x, &kernel.block_y, &kernel.grid_x, &kernel.grid_y, &kernel.dynamic_shared, &kernel.managed})
        hasher.add(*expression);
    for (const TensorMap& map : kernel.tensor_maps) {
        hasher.add(std::string(1, map.of)).add(map.rows).add(map.columns).add(map.swizzle);
        if (map.to_tf32) hasher.add("tf32"); // what was recorded of other kernels keeps its hash
    }
    hasher.add(name_of(kernel.operation)).add(name_of(kernel.operands)).add(int64_t{kernel.row_alignment});
    return hasher.digest();
}

} // namespace catalog
