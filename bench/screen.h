// The full window at 1600x900 into a buffer without a display, llvmpipe where there is no GPU: what benchmarks draw on.
#pragma once

#include "base/file.h"
#include "ui/opengl/offscreen.h"
#include "ui/window/frame.h"
#include "ui/window/gui.h"

#include <backends/imgui_impl_opengl3.h>
#include <glad/gl.h>

#include <functional>

namespace bench {

class Screen {
public:
    static base::Result<std::unique_ptr<Screen>> open() {
        const auto assets = base::resource_folder("assets"), kernels = base::resource_folder("kernels");
        if (!assets || !kernels)
            return base::Error{base::Failure::missing,
                               base::say("assets or kernels are missing"),
                               {},
                               base::say("run it in the repository")};
        auto strings = ui::Strings::load(*assets / "i18n");
        if (!strings) return strings.error();
        auto buffer = ui::Offscreen::create(width, height);
        if (!buffer) return buffer.error();
        session::Options options;
        options.kernel_folders = {*kernels};
        options.assets = *assets;
        return std::unique_ptr<Screen>(new Screen(std::move(options), *std::move(strings), *std::move(buffer)));
    }
    ~Screen() { ImGui_ImplOpenGL3_Shutdown(); }

    const session::Options& options() const { return options_; }

    // One frame, with `edit` applied to the view first as a panel would; returns when its last pixel is there.
    void draw(session::Session& session, const std::function<void(ui::Context&)>& edit = {}) {
        ImGui_ImplOpenGL3_NewFrame();
        gui_.frame(session, {}, [&](ui::Context& context) {
            if (edit) edit(context);
            ui::draw_window(context);
        });
        glViewport(0, 0, width, height);
        glClear(GL_COLOR_BUFFER_BIT);
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
        glFinish();
    }

    // As for the next frame of this view; its texture is not made.
    void make_type(const session::View& view) { gui_.prepare(view, 1); }

private:
    static constexpr int width = 1600, height = 900;

    Screen(session::Options options, ui::Strings strings, ui::Offscreen buffer)
        : options_(std::move(options)), buffer_(std::move(buffer)), gui_(std::move(strings), characters(), pictures_) {
        options_.on_block = [pictures = pictures_](const auto& run) { return bytes_of(*pictures->block(run)); };
        gui_.prepare(session::View{}, 1);
        ImGui_ImplOpenGL3_Init("#version 330");
        ImGui::GetIO().DisplaySize = {width, height};
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::GetIO().MousePos = {500, 450};
    }
    ui::Characters characters() const { return ui::characters_of(catalog::load(options_.kernel_folders)); }

    session::Options options_;
    std::shared_ptr<ui::Pictures> pictures_ =
        std::make_shared<ui::Pictures>(); // of blocks: jobs make them, as in the window
    ui::Offscreen buffer_;
    ui::Gui gui_;
};

} // namespace bench
