#include "ui/window/picture_maker.h"

#include "base/file.h"
#include "ui/opengl/animation.h"
#include "ui/panel.h"

#include <algorithm>

namespace ui {

std::vector<std::string> rendered_views() {
    std::vector<std::string> views{"window", "start", "lessons", "lesson", "machines", "log"};
    for (const PanelRow& row : panels()) views.push_back(row.id);
    return views;
}

namespace {

// Shapes as long as they are few: a timeline of a thousand instructions takes a megabyte, and its pixels a twentieth.
base::Result<ViewPicture> draw_view(PictureMaker& maker, const PictureMaker::Wish& wish) {
    constexpr size_t most_of_shapes = 256 << 10; // bytes
    if (auto shapes = maker.draw_svg(wish); shapes && shapes->size() <= most_of_shapes)
        return ViewPicture{std::move(*shapes), "image/svg+xml", maker.alternative_text(), maker.caption()};
    const auto pixels = maker.draw(wish);
    if (!pixels) return pixels.error();
    auto png = encode_png(*pixels);
    if (!png) return png.error();
    return ViewPicture{std::move(*png), "image/png", maker.alternative_text(), maker.caption()};
}

// For slides: ten seconds take at most five megabytes.
base::Status animate(PictureMaker& maker, PictureMaker::Wish wish, const StepsPicture& steps,
                     const std::filesystem::path& file) {
    constexpr double most_bytes = 5e6, of_seconds = 10;
    if (const auto first = maker.draw(wish); !first) return first.error();
    if (auto failed = maker.failed(); !failed) return failed;
    const auto events = maker.steps(steps);
    if (!events) return events.error();
    Animation animation(file.extension() == ".gif" ? Animation::Format::gif : Animation::Format::apng,
                        steps.milliseconds);
    for (const uint32_t event : *events) {
        wish.view.selection.event = event;
        const auto picture = maker.draw(wish);
        if (!picture) return picture.error();
        if (auto added = animation.add(*picture); !added) return added;
        if (static_cast<double>(animation.bytes()) > most_bytes * std::max(1.0, animation.seconds() / of_seconds))
            return base::Error{base::Failure::usage, base::say("the animation takes more than 5 MB for 10 seconds"),
                               file.string(), base::say("choose a smaller --size, fewer --steps or a longer --pace")};
    }
    return base::write_file(file, animation.done());
}

} // namespace

base::Status render(session::Options options, const session::View& view, const RenderOptions& wish) {
    auto maker =
        PictureMaker::create(std::move(options), {wish.width, wish.height, wish.assets, wish.lessons, wish.answers});
    if (!maker) return maker.error();
    const PictureMaker::Wish wanted{view, wish.what, wish.lesson, wish.caption};
    if (wish.steps) return animate(*maker, wanted, *wish.steps, wish.png);
    if (wish.png.extension() == ".svg") {
        const auto shapes = maker->draw_svg(wanted);
        if (!shapes) return shapes.error();
        if (auto written = base::write_file(wish.png, *shapes); !written) return written;
        return maker->failed();
    }
    const auto picture = maker->draw(wanted);
    if (!picture) return picture.error();
    if (auto written = write_png(*picture, wish.png, wish.caption ? maker->view() : std::string()); !written)
        return written;
    return maker->failed(); // the picture shows it at its place; a script learns it from the exit code
}

base::Result<std::vector<ViewPicture>> draw_views(session::Options options, const ViewPicturesOptions& wish) {
    auto maker = PictureMaker::create(std::move(options), {wish.width, wish.height, wish.assets, {}, {}});
    if (!maker) return maker.error();
    std::vector<ViewPicture> pictures;
    for (const ViewPicturesOptions::One& one : wish.views) {
        auto picture = draw_view(*maker, {one.view, one.what, {}, false, one.first_line, one.last_line});
        if (!picture) return picture.error();
        if (auto failed = maker->failed(); !failed) return failed.error();
        pictures.push_back(std::move(*picture));
    }
    return pictures;
}

} // namespace ui
