// A session and a Gui that draw the Result view, for tests with and without OpenGL.
#pragma once

#include "ui/draw.h"
#include "ui/gui.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

class ResultStage {
public:
    explicit ResultStage(catalog::Problem problem, const std::string& kernel = "double_buffer", std::filesystem::path kernels = {}) : session_(options(kernels)) {
        session::View view;
        view.subject.kernel = kernel;
        view.subject.problem = problem;
        view.middle_tab = session::MiddleTab::result;
        session_.apply(view, {});
        auto strings = ui::Strings::load(std::filesystem::path(SOURCE_DIR) / "assets/i18n");
        EXPECT_TRUE(strings.ok());
        gui_ = std::make_unique<ui::Gui>(std::move(*strings), "");
        gui_->probe().on = true;
        ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    }

    void settle() {
        session_.wait();
        session_.update(0);
    }
    void frame(float width = 860, float height = 400) {
        if (gui_->prepare(session_.view(), 1)) {
            unsigned char* pixels = nullptr;
            int w = 0, h = 0;
            ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &w, &h);
        }
        ImGui::GetIO().DisplaySize = {width, height};
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        gui_->frame(session_, {}, [&](ui::Context& context) {
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize({width, height});
            ImGui::PushFont(context.style.text);
            ImGui::Begin("view", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
            ui::draw_result(context);
            ImGui::End();
            ImGui::PopFont();
        });
        session_.update(1.0 / 60);
    }
    void edit(const std::function<void(session::View&)>& change) {
        session::View view = session_.view();
        change(view);
        session_.apply(view, {});
    }
    ui::Mark mark(const std::string& name) {
        for (const ui::Mark& each : gui_->probe().marks())
            if (each.name == name) return each;
        ADD_FAILURE() << "no mark " << name;
        return {};
    }
    // The middle of element (row, column) in the picture.
    ImVec2 place(int row, int column) {
        const ui::Mark picture = mark("result.picture");
        const ui::ResultShown& shown = result().look(session_);
        return {picture.x + picture.width * (static_cast<float>(column) + 0.5f) / static_cast<float>(shown.n),
                picture.y + picture.height * (static_cast<float>(row) + 0.5f) / static_cast<float>(shown.m)};
    }
    void click(ImVec2 at) {
        ImGuiIO& io = ImGui::GetIO();
        io.MousePos = at;
        frame();
        frame();
        io.MouseDown[0] = true;
        frame();
        io.MouseDown[0] = false;
        frame();
    }
    // C as the engine left it.
    std::vector<float> engine_c() const {
        const sim::Memory& memory = session_.products().grid.value->memory;
        std::vector<float> values;
        for (const trace::Buffer& buffer : memory.buffers()) {
            if (buffer.name != "C") continue;
            values.resize(buffer.bytes / sizeof(float));
            std::memcpy(values.data(), memory.bytes(buffer.address).data(), buffer.bytes);
        }
        return values;
    }

    session::Session& session() { return session_; }
    ui::Gui& gui() { return *gui_; }
    ui::LiveResult& result() { return gui_->result(); }

private:
    static session::Options options(const std::filesystem::path& kernels) {
        session::Options options;
        options.kernel_folders = {kernels.empty() ? std::filesystem::path(SOURCE_DIR) / "kernels" : kernels};
        options.assets = std::filesystem::path(SOURCE_DIR) / "assets";
        options.threads = 1;
        return options;
    }
    session::Session session_;
    std::unique_ptr<ui::Gui> gui_;
};
