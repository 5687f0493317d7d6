// Animated PNGs, chunk by chunk (PNG's third edition).
#include "ui/opengl/animation.h"

#include "base/png.h"

#include <gtest/gtest.h>

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
    ui::Animation animation(250);
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

} // namespace
