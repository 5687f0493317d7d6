#include "base/png.h"

#include <array>

namespace base {
namespace {

constexpr size_t around_data = 12; // bytes of a chunk: length, type, sum

constexpr std::array<uint32_t, 256> make_sums() {
    std::array<uint32_t, 256> sums{};
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t sum = i;
        for (int bit = 0; bit < 8; ++bit) sum = sum & 1 ? 0xedb88320u ^ sum >> 1 : sum >> 1;
        sums[i] = sum;
    }
    return sums;
}
constexpr std::array<uint32_t, 256> sums = make_sums();

// CRC-32 of type and data.
uint32_t crc(std::string_view bytes) {
    uint32_t sum = ~0u;
    for (const char c : bytes) sum = sums[(sum ^ static_cast<uint8_t>(c)) & 255] ^ sum >> 8;
    return ~sum;
}

uint32_t number(std::string_view four) {
    uint32_t value = 0;
    for (const char c : four.substr(0, 4)) value = value << 8 | static_cast<uint8_t>(c);
    return value;
}

} // namespace

std::string png_number(uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 255);
    return bytes;
}

std::string png_chunk(std::string_view type, std::string_view data) {
    std::string summed(type);
    summed += data;
    return png_number(static_cast<uint32_t>(data.size())) + summed + png_number(crc(summed));
}

std::vector<PngChunk> png_chunks(std::string_view file) {
    std::vector<PngChunk> chunks;
    if (!file.starts_with(png_signature)) return chunks;
    for (file.remove_prefix(png_signature.size()); file.size() >= around_data;) {
        const size_t size = number(file);
        if (size > file.size() - around_data) break;
        chunks.push_back({file.substr(4, 4), file.substr(8, size)});
        file.remove_prefix(size + around_data);
    }
    return chunks;
}

std::string with_png_text(std::string_view png, std::string_view keyword, std::string_view text) {
    const auto chunks = png_chunks(png);
    if (chunks.empty()) return std::string(png);
    std::string begin(keyword), carrying(png_signature);
    begin += '\0';
    std::string data = begin;
    data.append(4, '\0'); // not compressed, by no method, no language, the keyword not translated
    data += text;
    size_t at = png_signature.size();
    for (size_t n = 0; n < chunks.size(); ++n) {
        const size_t size = around_data + chunks[n].data.size();
        if (chunks[n].type != "iTXt" || !chunks[n].data.starts_with(begin)) carrying += png.substr(at, size);
        if (n == 0) carrying += png_chunk("iTXt", data);
        at += size;
    }
    return carrying += png.substr(at);
}

std::optional<std::string> png_text(std::string_view png, std::string_view keyword) {
    const std::string begin = std::string(keyword) + std::string(3, '\0'); // uncompressed
    for (const PngChunk& chunk : png_chunks(png)) {
        if (chunk.type != "iTXt" || !chunk.data.starts_with(begin)) continue;
        const size_t language = chunk.data.find('\0', begin.size());
        if (language == chunk.data.npos) continue;
        const size_t translated = chunk.data.find('\0', language + 1);
        if (translated == chunk.data.npos) continue;
        return std::string(chunk.data.substr(translated + 1));
    }
    return {};
}

} // namespace base
