// Chunks of PNG files (ISO 15948): what a picture carries beside its pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace base {

inline constexpr std::string_view png_signature = "\x89PNG\r\n\x1a\n";

std::string png_number(uint32_t); // four bytes, the highest first
std::string png_chunk(std::string_view type, std::string_view data);

struct PngChunk {
    std::string_view type, data; // of the file's bytes
};
// In the order of the file, as far as they are whole; their sums are not checked. Empty: it is no PNG file.
std::vector<PngChunk> png_chunks(std::string_view file);

// A text of UTF-8 under a keyword (iTXt, not compressed), behind the header, in place of those that it has. `png` is a whole file.
std::string with_png_text(std::string_view png, std::string_view keyword, std::string_view text);
std::optional<std::string> png_text(std::string_view png, std::string_view keyword); // nothing: it has none

} // namespace base
