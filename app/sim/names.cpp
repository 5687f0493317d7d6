#include "sim/names.h"

namespace sim {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// <length> <name> at the start of `text`, which is shortened by it; empty: there is none.
std::string_view take_name(std::string_view& text) {
    size_t length = 0, digits = 0;
    while (digits < text.size() && digits < 6 && is_digit(text[digits]))
        length = length * 10 + static_cast<size_t>(text[digits++] - '0');
    if (length == 0 || length > text.size() - digits) return {};
    const std::string_view name = text.substr(digits, length);
    text.remove_prefix(digits + length);
    return name;
}

// "_" digit, or "__" digits "_": tells apart variables of one name in one function.
bool is_discriminator(std::string_view text) {
    if (text.empty()) return true;
    if (text.size() == 2) return text[0] == '_' && is_digit(text[1]);
    if (text.size() < 4 || !text.starts_with("__") || text.back() != '_') return false;
    for (char c : text.substr(2, text.size() - 3))
        if (!is_digit(c)) return false;
    return true;
}

} // namespace

std::string source_name(std::string_view symbol) {
    if (symbol.starts_with("_ZZ")) { // of a function: after the E that ends the function's own name
        for (size_t e = symbol.find('E'); e != std::string_view::npos; e = symbol.find('E', e + 1)) {
            std::string_view rest = symbol.substr(e + 1);
            const std::string_view name = take_name(rest);
            if (!name.empty() && is_discriminator(rest)) return std::string(name);
        }
    } else if (symbol.starts_with("_ZN")) { // of a namespace
        std::string_view rest = symbol.substr(3), last;
        for (std::string_view name = take_name(rest); !name.empty(); name = take_name(rest)) last = name;
        if (!last.empty() && rest == "E") return std::string(last);
    } else if (symbol.starts_with("_Z")) { // of the file: a function, or with L a static variable
        std::string_view rest = symbol.substr(symbol.starts_with("_ZL") ? 3 : 2);
        if (const std::string_view name = take_name(rest); !name.empty()) return std::string(name);
    }
    return std::string(symbol);
}

} // namespace sim
