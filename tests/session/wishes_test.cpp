// What is kept of what views want to know.
#include "session/view.h"
#include "session/wishes.h"

#include <gtest/gtest.h>

namespace {

using session::Subject;
using Sizes = session::Wishes<Subject, int>;

Subject at(int size) {
    Subject subject;
    subject.problem.m = size;
    return subject;
}

TEST(Wishes, TheOldestAnswerIsForgottenFirst) {
    Sizes sizes([](const Sizes::Wish& wish, std::stop_token) { return base::Result<int>(wish.key.problem.m); }, 2, {},
                false);
    const auto kernel = std::make_shared<const catalog::Kernel>();
    for (const int size : {3, 1, 2}) {
        sizes.want({{kernel, at(size)}});
        sizes.wait();
        sizes.collect();
        ASSERT_TRUE(sizes.find(at(size)));
        EXPECT_EQ(**sizes.find(at(size)), size);
    }
    EXPECT_FALSE(sizes.find(at(3)));
    EXPECT_TRUE(sizes.find(at(1)));
    EXPECT_TRUE(sizes.find(at(2)));
}

} // namespace
