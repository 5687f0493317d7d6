#include "base/file.h"
#include "gl_context.h"
#include "gpu/driver/device.h"
#include "gpu/live/live_picture.h"
#include "kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

namespace {

namespace fs = std::filesystem;
using gpu::FieldStyle;
using gpu::LivePicture;

// Beside the test where it was carried to another machine, else in the source tree.
const fs::path shaders = base::resource_folder("shaders") ? *base::resource_folder("shaders") : fs::path();

struct Pixel {
    int r, g, b;
    bool operator==(const Pixel&) const = default;
};
std::ostream& operator<<(std::ostream& out, Pixel p) { return out << "(" << p.r << " " << p.g << " " << p.b << ")"; }

class Live : public testing::Test {
protected:
    void SetUp() override {
        if (!gl_.ok()) GTEST_SKIP() << "no OpenGL 3.3 without a display on this machine";
    }

    // Black at -largest, grey in the middle, white at +largest.
    static FieldStyle grey() {
        FieldStyle style;
        for (size_t i = 0; i < style.ramp.size(); ++i) {
            float level = static_cast<float>(i) / 8;
            style.ramp[i] = {level, level, level};
        }
        style.not_a_number = {1, 0, 0};
        style.outside = {0, 0, 1};
        return style;
    }

    static std::vector<Pixel> read(unsigned texture, int width, int height) {
        std::vector<unsigned char> bytes(static_cast<size_t>(width) * static_cast<size_t>(height) * 4);
        glBindTexture(GL_TEXTURE_2D, texture);
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes.data());
        glBindTexture(GL_TEXTURE_2D, 0);
        std::vector<Pixel> pixels;
        for (size_t i = 0; i < bytes.size(); i += 4) pixels.push_back({bytes[i], bytes[i + 1], bytes[i + 2]});
        return pixels;
    }

    static std::unique_ptr<LivePicture> made() {
        auto picture = LivePicture::create(shaders);
        EXPECT_TRUE(picture) << picture.error().sentence();
        return picture ? std::move(*picture) : nullptr;
    }

    GlContext gl_;
};

TEST_F(Live, EachElementIsItsPixelRowZeroFirst) {
    auto live = made();
    ASSERT_TRUE(live);
    EXPECT_EQ(live->picture(3, 2, grey()), 0u) << "no picture yet";
    std::vector<float> c{-2, 0, 2, 1, -1, 0.5f}; // 2 x 3
    ASSERT_TRUE(live->show(c, 2, 3));
    EXPECT_EQ(live->state().path, LivePicture::Path::host);
    EXPECT_EQ(live->state().largest, 2);
    EXPECT_TRUE(live->state().finite);
    auto pixels = read(live->picture(3, 2, grey()), 3, 2);
    std::vector<Pixel> expected;
    for (float value : c) {
        int level = static_cast<int>(std::lround((value / 2 * 0.5f + 0.5f) * 255));
        expected.push_back({level, level, level});
    }
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(pixels[i].r, expected[i].r, 1) << "element " << i;
    EXPECT_EQ(pixels[0], (Pixel{0, 0, 0}));
    EXPECT_EQ(pixels[2], (Pixel{255, 255, 255}));
}

// A frame has no time for a large C: OpenGL gets it in pieces, and there is no picture before the last.
TEST_F(Live, ALargeCComesInPieces) {
    auto live = made();
    ASSERT_TRUE(live);
    constexpr int m = 1500, n = 3000;
    std::vector<float> c(size_t{m} * n, -1.0f);
    std::fill(c.end() - n, c.end(), 1.0f); // the last row
    const auto exact = std::make_shared<std::vector<double>>(c.size(), -1.0);
    auto field = std::make_shared<const gpu::HostField>(gpu::host_field(c, m, n, {exact, 2}));
    ASSERT_TRUE(live->show(field));
    int pieces = 0;
    for (; live->uploading(); ++pieces) {
        ASSERT_LT(pieces, 100);
        EXPECT_EQ(live->picture(1, 2, grey()), 0u) << "after " << pieces;
        const bool done = live->update();
        EXPECT_EQ(done, !live->uploading());
    }
    EXPECT_GT(pieces, 1);
    EXPECT_EQ(field.use_count(), 1) << "it is let go";
    EXPECT_EQ(live->state().largest_error, 1.0f);
    FieldStyle last = grey();
    last.first_row = m - 2, last.rows = 2, last.first_column = n - 1, last.columns = 1;
    for (const auto which : {LivePicture::Field::c, LivePicture::Field::error}) {
        const auto pixels = read(live->picture(1, 2, last, which), 1, 2);
        EXPECT_EQ(pixels[0].r, which == LivePicture::Field::c ? 0 : 128) << "the row before it";
        EXPECT_EQ(pixels[1].r, 255);
    }
    ASSERT_TRUE(live->show(field));
    ASSERT_TRUE(live->show(std::vector<float>{-1, 1}, 1, 2)) << "another before the last piece";
    EXPECT_FALSE(live->uploading());
    EXPECT_EQ(read(live->picture(2, 1, grey()), 2, 1)[1].r, 255);
}

TEST_F(Live, MagnifiedAndPartOfIt) {
    auto live = made();
    ASSERT_TRUE(live);
    ASSERT_TRUE(live->show(std::vector<float>{-1, 1, 1, -1}, 2, 2));
    auto pixels = read(live->picture(8, 8, grey()), 8, 8); // 4 x 4 pixels an element
    for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x)
            EXPECT_EQ(pixels[static_cast<size_t>(y * 8 + x)].r, (x < 4) == (y < 4) ? 0 : 255) << x << " " << y;
    FieldStyle corner = grey();
    corner.first_column = 1;
    corner.first_row = 0;
    corner.columns = corner.rows = 2; // element (0, 1), then beside the matrix
    pixels = read(live->picture(2, 2, corner), 2, 2);
    EXPECT_EQ(pixels[0], (Pixel{255, 255, 255}));
    EXPECT_EQ(pixels[1], (Pixel{0, 0, 255}));
    EXPECT_EQ(pixels[2], (Pixel{0, 0, 0}));
    EXPECT_EQ(pixels[3], (Pixel{0, 0, 255}));
}

TEST_F(Live, APixelOverManyElementsIsTheirMean) {
    auto live = made();
    ASSERT_TRUE(live);
    std::vector<float> c(64 * 64, 1.0f);
    for (size_t i = 0; i < c.size(); i += 2) c[i] = 0; // mean 0.5 everywhere
    c[0] = -1;                                         // sets no other scale
    ASSERT_TRUE(live->show(c, 64, 64));
    auto pixels = read(live->picture(8, 8, grey()), 8, 8);
    EXPECT_NEAR(pixels[9].r, 191, 1);
    EXPECT_NEAR(pixels[63].r, 191, 1);
}

// Means of one element here and of two there would beat as a pattern that the matrix does not have.
TEST_F(Live, APixelOverLittleMoreThanAnElementShowsOne) {
    auto live = made();
    ASSERT_TRUE(live);
    std::vector<float> c(100 * 100);
    for (size_t i = 0; i < c.size(); ++i) c[i] = (i / 100 + i) % 2 ? 1 : -1; // a chess board
    ASSERT_TRUE(live->show(c, 100, 100));
    for (const Pixel& pixel : read(live->picture(92, 92, grey()), 92, 92)) EXPECT_TRUE(pixel.r == 0 || pixel.r == 255);
}

TEST_F(Live, TheErrorIsInUnitsOfTheTolerance) {
    auto live = made();
    ASSERT_TRUE(live);
    const gpu::Exact exact{std::make_shared<const std::vector<double>>(std::vector<double>{1, 2, 3.25, 4}), 0.5};
    ASSERT_TRUE(live->show(std::vector<float>{1, 2.5f, 3, std::nanf("")}, 2, 2, exact));
    EXPECT_EQ(live->state().largest_error, 1.0f);
    FieldStyle style = grey();
    style.largest = 1;
    auto pixels = read(live->picture(2, 2, style, LivePicture::Field::error), 2, 2);
    EXPECT_NEAR(pixels[0].r, 128, 1);
    EXPECT_EQ(pixels[1], (Pixel{255, 255, 255}));
    EXPECT_NEAR(pixels[2].r, 191, 1);
    EXPECT_EQ(pixels[3], (Pixel{255, 0, 0}));
    ASSERT_TRUE(live->show(std::vector<float>{1}, 1, 1));
    EXPECT_EQ(live->picture(1, 1, style, LivePicture::Field::error), 0u) << "there is no reference";
}

TEST_F(Live, OneWrongElementOfManyIsSeen) {
    auto live = made();
    ASSERT_TRUE(live);
    std::vector<float> c(64 * 64, 0.0f);
    const gpu::Exact exact{std::make_shared<const std::vector<double>>(c.begin(), c.end()), 0.5};
    c[20 * 64 + 10] = -3; // of the 8 x 8 elements of pixel (2, 1)
    ASSERT_TRUE(live->show(c, 64, 64, exact));
    FieldStyle style = grey();
    style.largest = 1;
    style.take_largest = true;
    auto pixels = read(live->picture(8, 8, style, LivePicture::Field::error), 8, 8);
    for (size_t i = 0; i < 64; ++i) EXPECT_NEAR(pixels[i].r, i == 2 * 8 + 1 ? 255 : 128, 1) << i;
}

TEST_F(Live, WhatIsNoNumberShowsAndSetsNoScale) {
    auto live = made();
    ASSERT_TRUE(live);
    std::vector<float> c{1, std::nanf(""), -std::numeric_limits<float>::infinity(), -4};
    ASSERT_TRUE(live->show(c, 2, 2));
    EXPECT_FALSE(live->state().finite);
    EXPECT_EQ(live->state().largest, 4);
    auto pixels = read(live->picture(2, 2, grey()), 2, 2);
    EXPECT_EQ(pixels[1], (Pixel{255, 0, 0}));
    EXPECT_EQ(pixels[2], (Pixel{255, 0, 0}));
    EXPECT_EQ(pixels[3], (Pixel{0, 0, 0}));
}

TEST_F(Live, ValuesComeBackAsTheyAre) {
    auto live = made();
    ASSERT_TRUE(live);
    EXPECT_TRUE(live->values().empty());
    std::vector<float> c{1.1f, -2.25f, 3e-38f, 4, 5, -6e30f};
    glPixelStorei(GL_PACK_ALIGNMENT, 8); // rows of three floats would be padded
    ASSERT_TRUE(live->show(c, 2, 3));
    EXPECT_EQ(live->values(), base::Numbers(c));
    const std::vector<double> doubles{0.1, -0.3}; // which no float is
    ASSERT_TRUE(live->show(doubles, 1, 2));
    EXPECT_EQ(live->values(), base::Numbers(std::vector{0.1f, -0.3f})) << "the picture's";
    GLint alignment = 0;
    glGetIntegerv(GL_PACK_ALIGNMENT, &alignment);
    EXPECT_EQ(alignment, 8);
}

TEST_F(Live, AllZeroIsMiddleGrey) {
    auto live = made();
    ASSERT_TRUE(live);
    ASSERT_TRUE(
        live->show(std::vector<float>(5, 0.0f), 1, 5)); // a row of five: no row of ours is a multiple of 4 pixels
    for (Pixel pixel : read(live->picture(5, 1, grey()), 5, 1)) EXPECT_NEAR(pixel.r, 128, 1);
}

TEST_F(Live, NewValuesNewPicture) {
    auto live = made();
    ASSERT_TRUE(live);
    ASSERT_TRUE(live->show(std::vector<float>{-1, 1}, 1, 2));
    unsigned first = live->picture(2, 1, grey());
    EXPECT_EQ(read(first, 2, 1)[0].r, 0);
    ASSERT_TRUE(live->show(std::vector<float>{1, -1}, 1, 2));
    EXPECT_EQ(read(live->picture(2, 1, grey()), 2, 1)[0].r, 255);
    ASSERT_TRUE(live->show(std::vector<float>{-1, 1, 1}, 3, 1));
    EXPECT_EQ(live->state().m, 3);
    EXPECT_EQ(read(live->picture(1, 3, grey()), 1, 3)[0].r, 0);
}

TEST_F(Live, LeavesTheStateOfOthersAsItWas) {
    auto live = made();
    ASSERT_TRUE(live);
    GLuint texture = 0, framebuffer = 0;
    glGenTextures(1, &texture);
    glGenFramebuffers(1, &framebuffer);
    glActiveTexture(GL_TEXTURE3);
    glBindTexture(GL_TEXTURE_2D, texture);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 1, 1); // would cut the picture
    glViewport(1, 2, 3, 4);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 8);
    ASSERT_TRUE(live->show(std::vector<float>{-1, 1, 1}, 1, 3));
    unsigned picture = live->picture(3, 1, grey());
    GLint value = 0, viewport[4];
    glGetIntegerv(GL_ACTIVE_TEXTURE, &value);
    EXPECT_EQ(value, GL_TEXTURE3);
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &value);
    EXPECT_EQ(static_cast<GLuint>(value), texture);
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &value);
    EXPECT_EQ(static_cast<GLuint>(value), framebuffer);
    glGetIntegerv(GL_VIEWPORT, viewport);
    EXPECT_EQ(viewport[3], 4);
    EXPECT_TRUE(glIsEnabled(GL_SCISSOR_TEST));
    glGetIntegerv(GL_UNPACK_ALIGNMENT, &value);
    EXPECT_EQ(value, 8);
    EXPECT_EQ(read(picture, 3, 1)[2].r, 255);
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    glDeleteTextures(1, &texture);
    glDeleteFramebuffers(1, &framebuffer);
}

TEST_F(Live, TooLargeIsAnErrorAndTheOldPictureStays) {
    auto live = made();
    ASSERT_TRUE(live);
    ASSERT_TRUE(live->show(std::vector<float>{-1, 1}, 1, 2));
    auto shown = live->show({}, 1 << 20, 1 << 20);
    ASSERT_FALSE(shown);
    EXPECT_NE(shown.error().what.english().find("larger than this OpenGL's"), std::string::npos);
    EXPECT_FALSE(live->show({}, 0, 3));
    EXPECT_EQ(read(live->picture(2, 1, grey()), 2, 1)[1].r, 255);
}

TEST_F(Live, BrokenShadersAreNamed) {
    auto nowhere = LivePicture::create("/no/such/folder");
    ASSERT_FALSE(nowhere);
    EXPECT_NE(nowhere.error().sentence().find("field.vert"), std::string::npos);
    fs::path folder = fs::path(testing::TempDir()) / ("shaders_" + std::to_string(getpid()));
    fs::create_directories(folder);
    fs::copy_file(shaders / "field.vert", folder / "field.vert", fs::copy_options::overwrite_existing);
    std::ofstream(folder / "field.frag") << "#version 330 core\nvoid main() { tea; }\n";
    auto broken = LivePicture::create(folder);
    ASSERT_FALSE(broken);
    EXPECT_NE(broken.error().sentence().find("OpenGL refuses the shader"), std::string::npos);
    fs::remove_all(folder);
}

// Until the run has its picture or its failure.
void finish(LivePicture& live) {
    while (live.busy()) {
        live.update();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

TEST_F(Live, WithoutADriverARunSaysSoAndTheHostsPictureStays) {
    if (gpu::Driver::open()) GTEST_SKIP() << "there is a driver";
    auto live = made();
    ASSERT_TRUE(live);
    ASSERT_TRUE(live->show(std::vector<float>{-1, 1}, 1, 2));
    gpu::Launch launch;
    launch.problem = {4, 4, 4};
    live->start(std::make_shared<gpu::LiveRun>(gpu::live_run(launch)));
    EXPECT_TRUE(live->busy());
    finish(*live);
    ASSERT_TRUE(live->state().failed);
    EXPECT_EQ(live->state().failed->failure, base::Failure::missing);
    EXPECT_NE(live->state().failed->what.english().find("no NVIDIA driver"), std::string::npos);
    EXPECT_EQ(read(live->picture(2, 1, grey()), 2, 1)[1].r, 255);
    ASSERT_TRUE(live->show(std::vector<float>{1, -1}, 1, 2));
    EXPECT_FALSE(live->state().failed);
}

TEST_F(Live, ACancelledRunLeavesNoTrace) {
    auto live = made();
    ASSERT_TRUE(live);
    ASSERT_TRUE(live->show(std::vector<float>{-1, 1}, 1, 2));
    live->start([](const std::string&) -> base::Result<gpu::LiveRun> {
        return base::Error{base::Failure::check_failed, base::say("never asked for"), {}, {}};
    });
    EXPECT_TRUE(live->busy());
    live->cancel();
    finish(*live);
    EXPECT_FALSE(live->state().failed);
    EXPECT_EQ(live->state().m, 1);
}

TEST_F(Live, OnAGpuARunIsMadeForItsArchitecture) {
    auto driver = gpu::Driver::open();
    if (!driver) GTEST_SKIP() << driver.error().sentence();
    auto live = made();
    ASSERT_TRUE(live);
    std::string asked;
    live->start([&](const std::string& arch) -> base::Result<gpu::LiveRun> {
        asked = arch;
        return base::Error{base::Failure::check_failed, base::say("not compiled"), {}, {}};
    });
    finish(*live);
    EXPECT_EQ(asked.rfind("sm_", 0), 0u) << asked;
    ASSERT_TRUE(live->state().failed);
    EXPECT_EQ(live->state().failed->what.english(), "not compiled");
}

TEST_F(Live, OnAGpuTheTextureHoldsTheKernelsC) {
    auto driver = gpu::Driver::open();
    if (!driver) GTEST_SKIP() << driver.error().sentence();
    auto live = made();
    ASSERT_TRUE(live);
    for (auto [m, n, k] : {std::tuple{100, 37, 65}, {100, 37, 65}, {1, 1, 1}, {513, 700, 64}}) {
        auto launch = kernels::compiled(kernels::right, m, n, k);
        ASSERT_TRUE(launch) << launch.error().sentence();
        auto run = std::make_shared<gpu::LiveRun>(gpu::live_run(*launch));
        auto expected = kernels::on_cpu(*run);
        auto exact = std::make_shared<std::vector<double>>(expected.begin(), expected.end());
        exact->front() += 3;
        run->exact = {exact, 2};
        live->start(run);
        finish(*live);
        ASSERT_FALSE(live->state().failed) << live->state().failed->sentence();
        EXPECT_EQ(live->state().m, m);
        EXPECT_EQ(live->state().largest_error, 1.5f) << "of one element; all others are the CPU's to the bit";
        FieldStyle errors = grey();
        errors.largest = 3;
        auto off = read(live->picture(n, m, errors, LivePicture::Field::error), n, m);
        for (size_t i = 0; i < off.size(); ++i)
            ASSERT_NEAR(off[i].r, i == 0 ? 191 : 128, 1) << "error of element " << i;
        bool nvidia =
            std::string(reinterpret_cast<const char*>(glGetString(GL_VENDOR))).find("NVIDIA") != std::string::npos;
        EXPECT_EQ(live->state().path, nvidia ? LivePicture::Path::interop : LivePicture::Path::host)
            << live->state().reason.english();
        std::cout << "path "
                  << (live->state().path == LivePicture::Path::interop ? "interop"
                                                                       : "host: " + live->state().reason.english())
                  << ", kernel " << live->state().kernel_ms << " ms on " << live->state().device << "\n";
        EXPECT_EQ(live->state().reason.empty(), nvidia);
        float largest = 0;
        for (float value : expected) largest = std::max(largest, std::abs(value));
        EXPECT_EQ(live->state().largest, largest);
        EXPECT_TRUE(live->state().finite);
        FieldStyle style = grey();
        auto pixels = read(live->picture(n, m, style), n, m);
        for (size_t i = 0; i < expected.size(); ++i)
            ASSERT_NEAR(pixels[i].r, (expected[i] / largest * 0.5f + 0.5f) * 255, 1)
                << "element " << i << " of " << m << " x " << n;
    }
    ASSERT_TRUE(live->show(std::vector<float>{-1, 1}, 1, 2)) << "from the host again, after CUDA had the texture";
    EXPECT_EQ(read(live->picture(2, 1, grey()), 2, 1)[1].r, 255);
}

TEST_F(Live, OnAGpuAnEndlessKernelIsAnErrorNotAHang) {
    auto driver = gpu::Driver::open();
    if (!driver) GTEST_SKIP() << driver.error().sentence();
    auto live = made();
    ASSERT_TRUE(live);
    auto launch = kernels::compiled(kernels::slow, 64, 64, 64);
    ASSERT_TRUE(launch) << launch.error().sentence();
    auto run = std::make_shared<gpu::LiveRun>(gpu::live_run(*launch));
    run->time_limit_s = 0.2;
    live->start(run);
    finish(*live);
    ASSERT_TRUE(live->state().failed);
    EXPECT_NE(live->state().failed->what.english().find("did not end within"), std::string::npos);
    // It is slow, not endless: the GPU is free again for other tests.
    auto context = gpu::Context::open(*driver, 0);
    ASSERT_TRUE(context) << context.error().sentence();
    EXPECT_EQ((*driver)->context_synchronize(), CUDA_SUCCESS);
}

} // namespace
