// Draws views without a display, one after the other, each once every job is done.
#pragma once

#include "ui/opengl/picture.h"
#include "ui/window/window.h"

#include <memory>

namespace ui {

class PictureMaker {
public:
    struct Options {
        int width = 1600, height = 900;
        std::filesystem::path assets;
        std::vector<std::filesystem::path> lessons, answers; // as of RenderOptions
    };
    // Errors: no OpenGL, a size that it cannot draw, no tables of words.
    static base::Result<PictureMaker> create(session::Options, const Options&);
    PictureMaker(PictureMaker&&) noexcept;
    ~PictureMaker();

    struct Wish {
        session::View view;
        std::string what = "window"; // one of rendered_views()
        std::optional<LessonPicture> lesson{};
        bool with_caption = false;              // a line more at the lower edge
        uint32_t first_line = 0, last_line = 0; // of the source, marked as a lesson's; 0: none
    };
    // The picture shows what failed, too: failed() then says why.
    base::Result<Picture> draw(const Wish&);
    // The same as shapes and text. Errors: it has an image, too.
    base::Result<std::string> draw_svg(const Wish&);

    // Steps of the selected warp in the block that was drawn last, as StepsPicture says. Errors: there are none, or too many.
    base::Result<std::vector<uint32_t>> steps(const StepsPicture&) const;

    // Of what was drawn last.
    base::Status failed() const;
    std::string view() const; // as JSON
    const std::string& caption() const;
    const std::string& alternative_text() const;

private:
    struct Impl;
    explicit PictureMaker(std::unique_ptr<Impl>);
    std::unique_ptr<Impl> impl_;
};

} // namespace ui
