// A machine without EGL, such as a cluster node, or with an old one: only render needs it.
#include "program.h"

#include "../library_path.h"

namespace {

// An EGL that cannot be loaded stands before the machine's own.
std::string without_egl() {
    program::file("libEGL.so.1", "not a library");
    return before_other_libraries(program::folder().string());
}

TEST(WithoutEgl, RenderSaysWhatIsMissing) {
    const program::Result rendered =
        program::run({"render", "map", "naive", "-m", "16", "-n", "16", "-k", "4", "-o", "x.png"}, without_egl());
    EXPECT_EQ(rendered.code, 3);
    EXPECT_NE(rendered.err.find("EGL"), std::string::npos) << rendered.err;
    EXPECT_NE(rendered.err.find("install libegl1"), std::string::npos) << rendered.err;
    EXPECT_FALSE(std::filesystem::exists(program::folder() / "x.png"));
}

TEST(WithoutEgl, AllElseRuns) {
    EXPECT_EQ(program::run({"list"}, without_egl()).code, 0);
    EXPECT_EQ(program::run({"trace", "naive", "-m", "16", "-n", "16", "-k", "4"}, without_egl()).code, 0);
}

TEST(WithoutEgl, AViewIsToldAsText) {
    const program::Result told =
        program::run({"render", "map", "naive", "-m", "16", "-n", "16", "-k", "4", "--table"}, without_egl());
    EXPECT_EQ(told.code, 0) << told.err;
    EXPECT_NE(told.out.find("touched by the block"), std::string::npos) << told.out;
}

// An old card, or a display without its driver; invented, as no driver but Mesa's can be told to be old.
TEST(OpenGl21, IsNamed) {
    const std::string old = before_other_libraries(FAKE_EGL);
    const program::Result rendered =
        program::run({"render", "map", "naive", "-m", "16", "-n", "16", "-k", "4", "-o", "x.png"}, old);
    EXPECT_EQ(rendered.code, 3);
    EXPECT_NE(rendered.err.find("draws with OpenGL 3.3 and this machine has 2.1, an old card"), std::string::npos)
        << rendered.err;
    EXPECT_NE(program::run({"doctor"}, old).out.find("this machine has 2.1"), std::string::npos);
}

} // namespace
