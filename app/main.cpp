// No command opens the window; everything else is in cli. What needs OpenGL is handed to it from here.
#include "base/heap.h"
#include "cli/commands.h"
#include "ui/draw/font_files.h"
#include "ui/opengl/offscreen.h"
#include "ui/panel.h"
#include "ui/window/window.h"

namespace {

cli::Check opengl_check() {
    auto context = ui::Offscreen::create(64, 64);
    if (context) return {"OpenGL", true, "3.3, offscreen through EGL", {}};
    return {"OpenGL", false, context.error().what.english(), context.error().todo.english()};
}

cli::Check font_check() {
    const ui::FontFiles fonts = ui::find_fonts();
    if (fonts.text.path.empty()) return {"fonts", false, "fontconfig has none", "install fonts-dejavu"};
    if (fonts.chinese.path.empty())
        return {"fonts", false, fonts.text.family + ", none with Chinese", "install fonts-noto-cjk"};
    return {"fonts", true, fonts.text.family + ", " + fonts.mono.family + ", " + fonts.chinese.family, {}};
}

cli::Frontend frontend() {
    cli::Frontend front;
    front.window = [](const cli::WindowRequest& r) {
        ui::WindowOptions options;
        options.assets = r.assets;
        options.probe_file = r.probe_file;
        options.first_start = r.first_start;
        options.lessons = r.lessons;
        options.answers = r.answers;
        options.student = r.student;
        options.hand_in = r.hand_in;
        return ui::run_window(r.options, r.view, options);
    };
    const auto wish = [](const cli::RenderRequest& r) {
        ui::RenderOptions options{r.what, r.width, r.height, r.assets, r.png, {}, {}, {}, r.caption, {}};
        if (r.animated) options.steps = ui::StepsPicture{r.steps, r.milliseconds};
        options.lessons = r.lessons;
        options.answers = r.answers;
        if (!r.lesson.empty()) options.lesson = {r.lesson, r.lesson_step, r.answered};
        return options;
    };
    front.pictures = [](const cli::PicturesRequest& r) -> base::Result<std::vector<views::PagePicture>> {
        ui::ViewPicturesOptions options{r.width, r.height, r.assets, {}};
        for (const auto& one : r.views) options.views.push_back({one.view, one.what, one.first_line, one.last_line});
        auto drawn = ui::draw_views(r.options, options);
        if (!drawn) return drawn.error();
        std::vector<views::PagePicture> views;
        for (ui::ViewPicture& one : *drawn)
            views.push_back(
                {std::move(one.file), std::move(one.type), std::move(one.alternative_text), std::move(one.caption)});
        return views;
    };
    front.render = [wish](const cli::RenderRequest& r) { return ui::render(r.options, r.view, wish(r)); };
    front.tables = [wish](const cli::RenderRequest& r) { return ui::tables(r.options, r.view, wish(r)); };
    front.views = ui::rendered_views();
    for (const ui::PanelRow& row : ui::panels()) front.panels.push_back(row.id);
    front.checks = [] { return std::vector{opengl_check(), font_check()}; };
    return front;
}

} // namespace

int main(int argc, char** argv) {
    base::keep_freed_memory();
    return cli::run(argc, argv, frontend());
}
