// Animated PNGs, chunk by chunk (PNG's third edition).
#include "ui/opengl/animation.h"

#include "base/png.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

ui::Picture grey(int width, int height) {
    return {width, height, std::vector<uint8_t>(static_cast<size_t>(width * height * 3), 128)};
}

uint32_t number(std::string_view bytes, size_t at, size_t size = 4) {
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
    return value;
}

TEST(Animation, AFrameHoldsWhatHasChangedAndTheSameOneStaysLonger) {
    ui::Picture picture = grey(40, 30);
    ui::Animation animation(ui::Animation::Format::apng, 250);
    ASSERT_TRUE(animation.add(picture));
    ASSERT_TRUE(animation.add(picture)); // stays
    for (const int y : {5, 9}) picture.rgb[static_cast<size_t>((y * 40 + y + 2) * 3 + 1)] = 7;
    ASSERT_TRUE(animation.add(picture));
    EXPECT_DOUBLE_EQ(animation.seconds(), 0.75);
    const std::string file = animation.done();
    std::vector<std::string> types;
    const auto chunks = base::png_chunks(file);
    for (const base::PngChunk& chunk : chunks) types.emplace_back(chunk.type);
    ASSERT_EQ(types, (std::vector<std::string>{"IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"}));
    EXPECT_EQ(number(chunks[0].data, 0), 40u);
    EXPECT_EQ(number(chunks[0].data, 4), 30u);
    EXPECT_EQ(chunks[0].data[9], 6) << "colours with alpha: what has not changed is transparent";
    EXPECT_EQ(number(chunks[1].data, 0), 2u) << "frames";
    EXPECT_EQ(number(chunks[1].data, 4), 0u) << "for ever";
    const std::string_view first = chunks[2].data, second = chunks[4].data;
    EXPECT_EQ(first.size(), 26u);
    EXPECT_EQ(number(first, 0), 0u) << "the order of fcTL and fdAT together";
    EXPECT_EQ(number(second, 0), 1u);
    EXPECT_EQ(number(chunks[5].data, 0), 2u);
    EXPECT_EQ(number(first, 20, 2), 500u) << "milliseconds";
    EXPECT_EQ(number(first, 22, 2), 1000u);
    EXPECT_EQ(number(second, 4), 5u) << "width"; // from 7 to 11
    EXPECT_EQ(number(second, 8), 5u) << "height";
    EXPECT_EQ(number(second, 12), 7u) << "x";
    EXPECT_EQ(number(second, 16), 5u) << "y";
    EXPECT_EQ(number(second, 20, 2), 250u);
    EXPECT_EQ(second[25], 1) << "over what was there";
    EXPECT_LT(chunks[5].data.size(), chunks[3].data.size());
}

// The pixels of one block of a GIF file, by a decoder written for this test; `at` is its first byte behind the colours.
std::vector<int> unpacked(std::string_view file, size_t at) {
    std::string bytes;
    for (++at; file[at] != 0; at += static_cast<uint8_t>(file[at]) + 1u)
        bytes += file.substr(at + 1, static_cast<uint8_t>(file[at]));
    std::vector<std::vector<int>> words;
    std::vector<int> pixels, before;
    int bits = 9;
    size_t bit = 0;
    while (bit + static_cast<size_t>(bits) <= bytes.size() * 8) {
        int code = 0;
        for (int i = 0; i < bits; ++i, ++bit) code |= (bytes[bit / 8] >> bit % 8 & 1) << i;
        if (code == 256) {
            words.clear(), before.clear(), bits = 9;
            for (int i = 0; i < 258; ++i) words.push_back({i});
            continue;
        }
        if (code == 257) break;
        const auto index = static_cast<size_t>(code);
        std::vector<int> word = index < words.size() ? words[index] : before;
        if (index >= words.size()) word.push_back(before[0]);
        pixels.insert(pixels.end(), word.begin(), word.end());
        if (!before.empty() && words.size() < 4096) {
            before.push_back(word[0]);
            words.push_back(before);
        }
        if (words.size() == size_t{1} << bits && bits < 12) ++bits;
        before = word;
    }
    return pixels;
}

TEST(Animation, AGifHoldsTheSamePixels) {
    ui::Picture picture = grey(200, 150); // enough for the dictionary to begin anew
    for (size_t i = 0; i < picture.rgb.size(); i += 3) picture.rgb[i] = static_cast<uint8_t>(i * i / 7 % 97);
    ui::Animation animation(ui::Animation::Format::gif, 250);
    ASSERT_TRUE(animation.add(picture));
    ASSERT_TRUE(animation.add(picture));
    ui::Picture next = picture;
    next.rgb[(10 * 200 + 20) * 3] ^= 1;
    next.rgb[(11 * 200 + 22) * 3] ^= 1;
    ASSERT_TRUE(animation.add(next));
    const std::string file = animation.done();
    ASSERT_TRUE(file.starts_with(std::string("GIF89a\xc8\0\x96\0", 10)));
    EXPECT_EQ(file.back(), ';');
    constexpr size_t first = 32, colours = 18; // behind the header; of a picture behind its control and place
    EXPECT_EQ(static_cast<uint8_t>(file[first + 4]), 50) << "hundredths of a second";
    const auto pixels = unpacked(file, first + colours + 768);
    ASSERT_EQ(pixels.size(), size_t{200 * 150});
    for (size_t i = 0; i < pixels.size(); ++i)
        ASSERT_EQ(static_cast<uint8_t>(file[first + colours + static_cast<size_t>(pixels[i]) * 3]), picture.rgb[i * 3])
            << i;
    const size_t second = file.find(std::string("\x21\xf9\x04", 3), first + 1);
    ASSERT_NE(second, file.npos);
    EXPECT_EQ(file.substr(second + 9, 8), std::string("\x14\0\x0a\0\x03\0\x02\0", 8)) << "x, y, width, height";
    const auto changed = unpacked(file, second + colours + 768);
    EXPECT_EQ(changed, (std::vector<int>{changed[0], 0, 0, 0, 0, changed[5]})) << "what has not changed is transparent";
    EXPECT_TRUE(changed[0] > 0 && changed[5] > 0);
}

} // namespace
