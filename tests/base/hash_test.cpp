#include "base/hash.h"

#include <gtest/gtest.h>

namespace {

TEST(Hash, IsXxh3With128Bits) {
    // The value that xxHash publishes for the empty input.
    EXPECT_EQ(base::hash(""), "99aa06d3014798d86001c324468d497f");
    EXPECT_NE(base::hash("a"), base::hash("b"));
}

TEST(Hash, FieldsDoNotRunTogether) {
    auto digest = [](auto... fields) {
        base::Hasher hasher;
        (hasher.add(fields), ...);
        return hasher.digest();
    };
    EXPECT_EQ(digest("ab", "c"), digest("ab", "c"));
    EXPECT_NE(digest("ab", "c"), digest("a", "bc"));
    EXPECT_NE(digest("ab", ""), digest("ab"));
    EXPECT_NE(digest("", "ab"), digest("ab", ""));
    EXPECT_NE(digest(int64_t{1}), digest(int64_t{2}));
    EXPECT_EQ(digest("x").size(), 32u);
}

} // namespace
