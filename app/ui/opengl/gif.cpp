#include "ui/opengl/gif.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace ui {
namespace {

constexpr size_t most_colours = 255; // beside the transparent one, which is 0

struct Indexed {
    std::vector<std::array<uint8_t, 3>> colours; // the first is the transparent one
    std::vector<uint8_t> pixels;
};

uint32_t packed(const uint8_t* p) { return static_cast<uint32_t>(p[0] << 16 | p[1] << 8 | p[2]); }

int distance(uint32_t one, const std::array<uint8_t, 3>& other) {
    int sum = 0;
    for (size_t i = 0; i < 3; ++i) {
        const int difference = static_cast<int>(one >> (16 - 8 * i) & 255) - other[i];
        sum += difference * difference;
    }
    return sum;
}

// The most frequent colours; text on a few grounds has many rare ones, which lie between them.
Indexed indexed(const std::vector<uint8_t>& rgba) {
    std::unordered_map<uint32_t, size_t> count;
    for (size_t i = 0; i < rgba.size(); i += 4)
        if (rgba[i + 3]) ++count[packed(&rgba[i])];
    std::vector<std::pair<size_t, uint32_t>> by_count;
    for (const auto& [colour, times] : count) by_count.emplace_back(times, colour);
    std::sort(by_count.rbegin(), by_count.rend()); // the same order with every library
    Indexed done{{{0, 0, 0}}, {}};
    std::unordered_map<uint32_t, uint8_t> index;
    for (const auto& [times, colour] : by_count) {
        if (done.colours.size() <= most_colours) {
            index[colour] = static_cast<uint8_t>(done.colours.size());
            done.colours.push_back({static_cast<uint8_t>(colour >> 16), static_cast<uint8_t>(colour >> 8 & 255),
                                    static_cast<uint8_t>(colour & 255)});
            continue;
        }
        const auto nearest =
            std::min_element(done.colours.begin() + 1, done.colours.end(),
                             [&, of = colour](auto& a, auto& b) { return distance(of, a) < distance(of, b); });
        index[colour] = static_cast<uint8_t>(nearest - done.colours.begin());
    }
    done.pixels.reserve(rgba.size() / 4);
    for (size_t i = 0; i < rgba.size(); i += 4) done.pixels.push_back(rgba[i + 3] ? index[packed(&rgba[i])] : 0);
    return done;
}

// Lempel, Ziv and Welch, as GIF has it: codes grow from 9 bits to 12, then the dictionary begins anew.
class Compressor {
public:
    std::string compress(const std::vector<uint8_t>& pixels) {
        begin_anew();
        int prefix = -1;
        for (const uint8_t pixel : pixels) {
            if (prefix < 0) {
                prefix = pixel;
                continue;
            }
            const auto [entry, is_new] = dictionary_.try_emplace(prefix << 8 | pixel, last_ + 1);
            if (!is_new) {
                prefix = entry->second;
                continue;
            }
            emit(prefix);
            if (++last_ >= 1 << bits_) ++bits_;
            if (last_ == longest) begin_anew();
            prefix = pixel;
        }
        if (prefix >= 0) emit(prefix);
        emit(end);
        if (held_ > 0) bytes_ += static_cast<char>(waiting_ & 255);
        return std::move(bytes_);
    }

private:
    static constexpr int clear = 256, end = 257, longest = 4095;

    void begin_anew() {
        emit(clear);
        dictionary_.clear();
        bits_ = 9, last_ = end;
    }
    void emit(int code) {
        waiting_ |= static_cast<uint32_t>(code) << held_;
        for (held_ += bits_; held_ >= 8; held_ -= 8, waiting_ >>= 8) bytes_ += static_cast<char>(waiting_ & 255);
    }

    std::unordered_map<int, int> dictionary_; // prefix and pixel
    int bits_ = 9, last_ = end, held_ = 0;
    uint32_t waiting_ = 0;
    std::string bytes_;
};

} // namespace

std::string gif_number(int value) { return {static_cast<char>(value & 255), static_cast<char>(value >> 8 & 255)}; }

std::string gif_header(int width, int height) {
    return "GIF89a" + gif_number(width) + gif_number(height) + std::string("\x70\0\0", 3) +
           std::string("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19);
}

std::string gif_picture(int x, int y, int width, int height, const std::vector<uint8_t>& rgba, int centiseconds) {
    const Indexed picture = indexed(rgba);
    std::string file = std::string("\x21\xf9\x04\x05", 4) + gif_number(centiseconds) + std::string(2, '\0'); // stays
    file +=
        ',' + gif_number(x) + gif_number(y) + gif_number(width) + gif_number(height) + '\x87'; // 256 colours of its own
    for (size_t i = 0; i <= most_colours; ++i)
        for (const uint8_t part : picture.colours[std::min(i, picture.colours.size() - 1)])
            file += static_cast<char>(part);
    file += '\x08'; // bits of a pixel
    const std::string bytes = Compressor().compress(picture.pixels);
    constexpr size_t longest_block = 255;
    for (size_t at = 0; at < bytes.size(); at += longest_block) {
        const std::string block = bytes.substr(at, longest_block);
        file += static_cast<char>(block.size()) + block;
    }
    return file + '\0';
}

} // namespace ui
