// The Result view drawn by OpenGL without a display: each element has the colour of its value.
#include "result_stage.h"

#include "base/file.h"
#include "ui/opengl/offscreen.h"
#include "ui/opengl/picture.h"
#include "ui/result/result.h"

#include <backends/imgui_impl_opengl3.h>
#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace {

constexpr int width = 860, height = 520;
using GpuFace = ui::LiveResult::Gpu::Face;

class ResultPicture : public testing::Test {
protected:
    void SetUp() override {
        if (!buffer_) GTEST_SKIP() << buffer_.error().sentence();
        stage_ = std::make_unique<ResultStage>(catalog::Problem{24, 40, 16});
        stage_->settle();
        stage_->result().open(base::resource_folder("shaders"));
        ASSERT_EQ(stage_->result().problem().english(), "");
        ImGui_ImplOpenGL3_Init("#version 330");
    }
    void TearDown() override {
        if (stage_) ImGui_ImplOpenGL3_Shutdown();
    }

    ui::Picture drawn() {
        stage_->resize(width, height);
        stage_->gui().prepare(stage_->view(), 1);
        for (int i = 0; i < 3; ++i) {
            ImGui_ImplOpenGL3_NewFrame();
            stage_->frame();
        }
        glViewport(0, 0, width, height);
        glClear(GL_COLOR_BUFFER_BIT);
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
        auto picture = ui::read_pixels(width, height);
        if (!picture) ADD_FAILURE() << picture.error().sentence();
        return picture ? *std::move(picture) : ui::Picture{width, height, std::vector<uint8_t>(3 * width * height)};
    }

    static gpu::Rgb pixel(const ui::Picture& picture, ImVec2 at) {
        const size_t i =
            3 * (static_cast<size_t>(at.y) * static_cast<size_t>(picture.width) + static_cast<size_t>(at.x));
        return {static_cast<float>(picture.rgb[i]), static_cast<float>(picture.rgb[i + 1]),
                static_cast<float>(picture.rgb[i + 2])};
    }

    // The colour that the legend promises for the value, 0 to 255.
    gpu::Rgb promised(float value, float largest) {
        if (largest == 0) largest = 1;
        const gpu::FieldStyle colours = ui::result_colours(stage_->gui().style());
        const float at = (value / largest * 0.5f + 0.5f) * 8;
        const auto below = static_cast<size_t>(std::min(std::floor(at), 7.0f));
        gpu::Rgb colour;
        for (size_t i = 0; i < 3; ++i)
            colour[i] =
                255 * std::lerp(colours.ramp[below][i], colours.ramp[below + 1][i], at - static_cast<float>(below));
        return colour;
    }

    void expect_colours_of(const std::vector<float>& c, const char* what) {
        const ui::Picture picture = drawn();
        float largest = 0;
        for (const float value : c) largest = std::max(largest, std::abs(value));
        for (int row = 0; row < 24; ++row)
            for (int column = 0; column < 40; ++column) {
                const float value = c[static_cast<size_t>(row) * 40 + static_cast<size_t>(column)];
                const gpu::Rgb shown = pixel(picture, stage_->place(row, column)), expected = promised(value, largest);
                for (size_t i = 0; i < 3; ++i)
                    ASSERT_NEAR(shown[i], expected[i], 2) << what << " C[" << row << "][" << column << "] = " << value;
            }
    }

    base::Result<ui::Offscreen> buffer_ = ui::Offscreen::create(width, height);
    std::unique_ptr<ResultStage> stage_;
};

TEST_F(ResultPicture, WhatOpenGlCouldNotDrawIsAnErrorAndNoBlackPicture) {
    EXPECT_TRUE(ui::read_pixels(width, height));
    glEnable(GL_RGBA8); // which is nothing that can be enabled
    const auto picture = ui::read_pixels(width, height);
    ASSERT_FALSE(picture);
    EXPECT_EQ(picture.error().what.english(), "OpenGL could not draw this (error 0x500)");
    EXPECT_TRUE(ui::read_pixels(width, height)) << "what comes next is drawn";
}

TEST_F(ResultPicture, EveryElementHasTheColourOfItsValue) {
    // Mouse elsewhere, and the selected thread's outline is one pixel at the element's edge.
    ImGui::GetIO().MousePos = {-FLT_MAX, -FLT_MAX};
    expect_colours_of(stage_->engine_c(), "dark");
    stage_->edit([](session::View& view) { view.theme = session::Theme::light; });
    expect_colours_of(stage_->engine_c(), "light");
}

TEST_F(ResultPicture, TheErrorHasItsOwnColours) {
    ImGui::GetIO().MousePos = {-FLT_MAX, -FLT_MAX};
    stage_->edit([](session::View& view) { view.result_field = session::ResultField::error; });
    const ui::Picture picture = drawn();
    const gpu::FieldStyle colours = ui::error_colours(stage_->gui().style());
    const std::span<const float> errors = stage_->result().look(stage_->session()).errors;
    ASSERT_EQ(errors.size(), 24u * 40u);
    for (int row = 0; row < 24; ++row)
        for (int column = 0; column < 40; ++column) {
            const float at = std::min(errors[static_cast<size_t>(row * 40 + column)] * 4 + 4, 8.0f);
            const auto below = static_cast<size_t>(std::min(std::floor(at), 7.0f));
            const gpu::Rgb shown = pixel(picture, stage_->place(row, column));
            for (size_t i = 0; i < 3; ++i)
                ASSERT_NEAR(
                    shown[i],
                    255 * std::lerp(colours.ramp[below][i], colours.ramp[below + 1][i], at - static_cast<float>(below)),
                    2)
                    << "C[" << row << "][" << column << "]";
        }
}

TEST_F(ResultPicture, ZeroIsTheMiddleOfTheRamp) {
    stage_->edit([](session::View& view) { view.subject.alpha = 0; });
    stage_->settle();
    expect_colours_of(std::vector<float>(24 * 40, 0.0f), "alpha 0");
}

// On a machine with a GPU its C stands in the picture and is compared; without one the reason is said and the CPU's stays.
TEST_F(ResultPicture, ARunOnTheGpuOrTheReasonWhyNot) {
    stage_->result().run(stage_->session());
    while (stage_->result().busy()) {
        stage_->result().update(stage_->session());
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const ui::LiveResult::Gpu& gpu = stage_->result().gpu();
    const ui::ResultShown& shown = stage_->result().look(stage_->session());
    if (gpu.face == GpuFace::failed) {
        EXPECT_NE(gpu.reason.english().find("driver"), std::string::npos) << gpu.reason.english();
        EXPECT_EQ(shown.source, ui::ResultShown::Source::cpu);
    } else {
        ASSERT_EQ(gpu.face, GpuFace::shown) << gpu.reason.english();
        EXPECT_EQ(shown.source, ui::ResultShown::Source::gpu);
        EXPECT_NE(shown.device, "");
        const bool nvidia =
            std::string(reinterpret_cast<const char*>(glGetString(GL_VENDOR))).find("NVIDIA") != std::string::npos;
        EXPECT_EQ(shown.reason.empty(), nvidia) << shown.reason.english();
        ASSERT_TRUE(shown.difference);
        EXPECT_LE(shown.difference->largest, 2 * shown.verification->tolerance);
        std::cout << shown.device << ", kernel " << shown.kernel_ms << " ms, "
                  << (shown.reason.empty() ? "interop" : shown.reason.english()) << ", " << shown.difference->elements
                  << " elements differ\n";
    }
    expect_colours_of(floats_of(shown.values), "after R");
}

} // namespace
