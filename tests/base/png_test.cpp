#include "base/png.h"

#include <gtest/gtest.h>

namespace {

using base::png_chunk;

std::string small() {
    return std::string(base::png_signature) + png_chunk("IHDR", std::string(13, '\1')) + png_chunk("IEND", "");
}

TEST(Png, ASumIsThatOfTheStandard) {
    // The last chunk of every PNG file.
    EXPECT_EQ(png_chunk("IEND", ""), std::string("\0\0\0\0IEND\xae\x42\x60\x82", 12));
}

TEST(Png, ATextReturns) {
    const std::string words = "{\"language\":\"zh\",\"x\":\"\u5b58\u50a8\u4f53\"}";
    const std::string file = base::with_png_text(small(), "gemmscope", words);
    const auto chunks = base::png_chunks(file);
    ASSERT_EQ(chunks.size(), 3u);
    EXPECT_EQ(chunks[0].type, "IHDR"); // stays the first
    EXPECT_EQ(chunks[1].type, "iTXt");
    EXPECT_EQ(base::png_text(file, "gemmscope"), words);
    EXPECT_EQ(base::png_text(file, "gemm"), std::nullopt);
    EXPECT_EQ(base::png_text(small(), "gemmscope"), std::nullopt);
}

TEST(Png, ATextTakesThePlaceOfThoseBefore) {
    const std::string once = base::with_png_text(small(), "gemmscope", "before");
    const std::string twice =
        base::with_png_text(once + png_chunk("iTXt", std::string("gemmscope\0\0\0\0\0third", 19)), "gemmscope", "now");
    EXPECT_EQ(base::png_text(twice, "gemmscope"), "now");
    EXPECT_EQ(base::png_chunks(twice).size(), 3u);
    EXPECT_EQ(base::png_text(base::with_png_text(once, "other", "beside"), "gemmscope"), "before");
    // Without a header, too: damaged, and still the newest is found.
    const std::string headless =
        std::string(base::png_signature) + png_chunk("iTXt", std::string("gemmscope\0\0\0\0\0old", 17));
    EXPECT_EQ(base::png_text(base::with_png_text(headless, "gemmscope", "now"), "gemmscope"), "now");
}

TEST(Png, WhatIsCutOrNoneHasNoText) {
    const std::string file = base::with_png_text(small(), "gemmscope", "text");
    for (size_t size = 0; size < file.size() - 12; ++size)
        EXPECT_EQ(base::png_text(file.substr(0, size), "gemmscope"), std::nullopt) << size;
    EXPECT_EQ(base::png_text("GIF89a", "gemmscope"), std::nullopt);
    const std::string open = std::string(base::png_signature) + png_chunk("iTXt", std::string("gemmscope\0\0\0en", 14));
    EXPECT_EQ(base::png_text(open, "gemmscope"), std::nullopt);
    EXPECT_EQ(base::with_png_text("no picture", "gemmscope", "text"), "no picture");
}

} // namespace
