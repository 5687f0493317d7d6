#include "base/shared_library.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

TEST(SharedLibrary, TakesTheFirstThatLoads) {
    auto library = base::SharedLibrary::open({"libno_such_library.so.1", "libm.so.6"});
    ASSERT_TRUE(library) << library.error().sentence();
    EXPECT_NE(library->path().find("libm.so.6"), std::string::npos);
    auto* cosine = library->function<double(double)>("cos");
    ASSERT_NE(cosine, nullptr);
    EXPECT_EQ(cosine(0), 1);
    EXPECT_EQ(library->function<void()>("no_such_function"), nullptr);
}

TEST(SharedLibrary, SaysWhyThereIsNone) {
    auto library = base::SharedLibrary::open({"libno_such_library.so.1"});
    ASSERT_FALSE(library);
    EXPECT_EQ(library.error().failure, base::Failure::missing);
    EXPECT_NE(library.error().what.english().find("libno_such_library.so.1"), std::string::npos);
    EXPECT_FALSE(base::SharedLibrary::open({}));
}

// A file that is there but does not load tells more than one that is not there.
TEST(SharedLibrary, PrefersTheMostTellingReason) {
    auto library = base::SharedLibrary::open(
        {"libno_such_library.so.1", SOURCE_DIR "/tests/base/shared_library_test.cpp", "libneither.so"});
    ASSERT_FALSE(library);
    EXPECT_NE(library.error().what.english().find("shared_library_test"), std::string::npos)
        << library.error().what.english();
}

} // namespace
