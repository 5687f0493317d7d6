// A session and a Gui without a screen, for every test that draws: shows one panel or the whole window, moves a mouse,
// presses keys, and finds what can be clicked.
#pragma once

#include "ui/window/gui.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

inline std::filesystem::path kernel_folder() { return std::filesystem::path(SOURCE_DIR) / "kernels"; }

// The default view of a catalogue kernel.
inline session::View view_of(const std::string& kernel, catalog::Problem problem = {256, 256, 64}) {
    session::View view;
    view.subject.kernel = kernel;
    view.subject.problem = problem;
    return view;
}

class Stage {
public:
    using Draw = std::function<void(ui::Context&)>;

    // The session starts with `view`; nothing has been computed yet.
    explicit Stage(const session::View& view, std::vector<std::filesystem::path> kernels = {kernel_folder()},
                   const std::filesystem::path& assets = std::filesystem::path(SOURCE_DIR) / "assets",
                   const std::string& worker = "false") // ends at once: no GPU here
        : session_(options(std::move(kernels), assets, worker)) {
        session_.apply(view, {});
        auto strings = ui::Strings::load(std::filesystem::path(SOURCE_DIR) / "assets" / "i18n");
        EXPECT_TRUE(strings.ok());
        gui_ = std::make_unique<ui::Gui>(*std::move(strings), ui::characters_of(session_.catalog()));
        gui_->probe().on = true;
        ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset; // as the window's renderer has
        ImGui::GetIO().MousePos = {-FLT_MAX, -FLT_MAX};
        resize(860, 400);
    }

    // What the following frames draw: a panel in a window of its own, which it fills.
    void show(Draw panel) {
        draw_ = [panel = std::move(panel)](ui::Context& context) {
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
            ImGui::PushFont(context.style.text);
            ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
            panel(context);
            ImGui::End();
            ImGui::PopFont();
        };
    }
    void show_as_it_is(Draw draw) { draw_ = std::move(draw); } // draws its own windows
    void resize(float width, float height) { size_ = {width, height}; }

    void frame(std::span<const ui::KeyPress> keys = {}) {
        if (gui_->prepare(session_.view(), 1)) {
            unsigned char* pixels = nullptr;
            int width = 0, height = 0;
            ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
            gui_->chrome().notices.clear(); // of fonts that this machine lacks: Esc would take them first
        }
        ImGui::GetIO().DisplaySize = size_;
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        gui_->frame(session_, keys, draw_);
        if (!frozen_) session_.update(1.0 / 60);
    }
    void frames(int count) {
        for (int i = 0; i < count; ++i) frame();
    }
    void type(const std::vector<ui::KeyPress>& keys) { frame(keys); }

    // Finished jobs are no longer taken over: the panels stay in the face they have.
    void freeze() { frozen_ = true; }
    // Waits for everything that is shown.
    void settle() {
        gui_->classroom().wait();
        gui_->classroom().update();
        session_.wait();
        session_.update(0);
    }
    // The lessons that come with the program, and where answers go.
    void open_lessons(const std::filesystem::path& answers = {}) {
        const std::filesystem::path assets = std::filesystem::path(SOURCE_DIR) / "assets";
        gui_->classroom().open(ui::lesson_places(assets, {assets / "lessons"}), answers);
    }
    // Frames until nothing that is shown is missing: a step, its moment, its answer.
    void tell() {
        for (int i = 0; i < 6; ++i) frame(), settle();
        frame();
    }
    void edit(const std::function<void(session::View&)>& change) {
        session::View view = session_.view();
        change(view);
        session_.apply(view, {});
        settle();
    }

    bool has_mark(const std::string& name) const { return find(name) != nullptr; }
    ui::Mark mark(const std::string& name) const {
        if (const ui::Mark* found = find(name)) return *found;
        ADD_FAILURE() << "no mark " << name;
        return {};
    }

    void point(ImVec2 at) {
        ImGui::GetIO().MousePos = at;
        frames(2); // hover is the last frame's
    }
    // Moves there, presses and releases, a frame each.
    void click(ImVec2 at) {
        point(at);
        ImGui::GetIO().MouseDown[0] = true;
        frame();
        ImGui::GetIO().MouseDown[0] = false;
        frames(2);
    }
    // In the middle of what is marked, once it has stopped moving about.
    void click_mark(const std::string& name) {
        frames(3);
        const ui::Mark at = mark(name);
        if (at.width > 0) click({at.x + at.width / 2, at.y + at.height / 2});
    }
    // Presses at `from`, moves by `by` in steps, lets go.
    void drag(ImVec2 from, ImVec2 by) {
        constexpr int steps = 8;
        point(from);
        ImGui::GetIO().MouseDown[0] = true;
        frame();
        for (int i = 0; i < steps; ++i) {
            ImGui::GetIO().MousePos.x += by.x / steps;
            ImGui::GetIO().MousePos.y += by.y / steps;
            frame();
        }
        ImGui::GetIO().MouseDown[0] = false;
        frames(2);
    }
    void turn_wheel(ImVec2 at, int notches) {
        point(at);
        for (int i = 0; i < std::abs(notches); ++i) {
            ImGui::GetIO().MouseWheel = notches < 0 ? -1.0f : 1.0f;
            frame();
            ImGui::GetIO().MouseWheel = 0;
            frames(2);
        }
    }

    void expect_no_missing_text() const {
        for (const std::string& key : gui_->strings().missing()) ADD_FAILURE() << "no text for " << key;
    }

    session::Session& session() { return session_; }
    const session::View& view() const { return session_.view(); }
    const session::BlockRun& block() const { return *session_.products().block.value; }
    const trace::Trace& trace() const { return block().trace; }
    const trace::Listing& listing() const { return *session_.products().prepared.value->listing; }
    uint32_t current_pc() const { return trace().events.at(view().selection.event).pc; }
    ui::Gui& gui() { return *gui_; }
    ui::LiveResult& result() { return gui_->result(); }

private:
    static session::Options options(std::vector<std::filesystem::path> kernels, const std::filesystem::path& assets,
                                    const std::string& worker) {
        session::Options options;
        options.kernel_folders = std::move(kernels);
        options.assets = assets;
        options.threads = 1;
        options.worker = worker;
        return options;
    }
    const ui::Mark* find(const std::string& name) const {
        for (const ui::Mark& each : gui_->probe().marks())
            if (each.name == name) return &each;
        return nullptr;
    }

    session::Session session_;
    std::unique_ptr<ui::Gui> gui_;
    Draw draw_;
    ImVec2 size_{};
    bool frozen_ = false;
};
