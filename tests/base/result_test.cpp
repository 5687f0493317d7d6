#include "base/result.h"

#include <gtest/gtest.h>

namespace {

TEST(Result, AnErrorIsOneSentence) {
    const base::Sentence what = base::say("what"), todo = base::say("do this");
    EXPECT_EQ((base::Error{base::Failure::usage, what, "file:3", todo}.sentence()), "file:3: what; do this");
    EXPECT_EQ((base::Error{base::Failure::usage, what, "", {}}.sentence()), "what");
}

TEST(Result, HoldsOneOrTheOther) {
    base::Result<int> good = 3, bad = base::Error{base::Failure::missing, base::say("gone"), {}, {}};
    EXPECT_TRUE(good.ok());
    EXPECT_EQ(*good, 3);
    EXPECT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().failure, base::Failure::missing);
}

} // namespace
