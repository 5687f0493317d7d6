#include "base/base64.h"

#include <gtest/gtest.h>

namespace {

std::string coded(std::string_view text) { return base::to_base64(std::as_bytes(std::span(text))); }

TEST(Base64, VectorsOfRfc4648) {
    EXPECT_EQ(coded(""), "");
    EXPECT_EQ(coded("f"), "Zg==");
    EXPECT_EQ(coded("fo"), "Zm8=");
    EXPECT_EQ(coded("foo"), "Zm9v");
    EXPECT_EQ(coded("foob"), "Zm9vYg==");
    EXPECT_EQ(coded("fooba"), "Zm9vYmE=");
    EXPECT_EQ(coded("foobar"), "Zm9vYmFy");
}

TEST(Base64, EveryByteReturns) {
    std::vector<std::byte> bytes;
    for (int i = 0; i < 256 * 3 + 1; ++i) bytes.push_back(static_cast<std::byte>(i * 7));
    auto back = base::from_base64(base::to_base64(bytes));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, bytes);
}

TEST(Base64, RefusesWhatIsNotBase64) {
    for (const char* text : {"Zg=", "Z", "Zg==Zg==", "Zm9\n", "====", "=Zg=", "Zm9v Zm9"})
        EXPECT_FALSE(base::from_base64(text)) << text;
}

} // namespace
