#include "base/utf8.h"

namespace base {
namespace {

bool is_character(char32_t code) { return code < 0xD800 || (code >= 0xE000 && code < 0x110000); } // no surrogate

char32_t least_of(size_t bytes) { return bytes == 1 ? 0 : bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000; }

} // namespace

Character first_character(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC0 || lead >= 0xF8 || bytes > text.size()) return {};
    char32_t code = lead & (0xFF >> (bytes + 1));
    for (size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3F);
    }
    if (code < least_of(bytes) || !is_character(code)) return {};
    return {code, bytes};
}

std::string utf8(char32_t code) {
    if (!is_character(code)) return {};
    if (code < 0x80) return {static_cast<char>(code)};
    const size_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    std::string text(bytes, '\0');
    for (size_t i = bytes - 1; i > 0; --i, code >>= 6) text[i] = static_cast<char>(0x80 | (code & 0x3F));
    text[0] = static_cast<char>((0xFF00 >> bytes & 0xFF) | code);
    return text;
}

std::string well_formed(std::string_view text) {
    std::string done;
    while (!text.empty()) {
        const Character first = first_character(text);
        done += utf8(first.code);
        text.remove_prefix(first.bytes);
    }
    return done;
}

} // namespace base
