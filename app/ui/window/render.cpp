#include "ui/window/picture_maker.h"

#include "base/file.h"
#include "ui/panel.h"

namespace ui {

std::vector<std::string> rendered_views() {
    std::vector<std::string> views{"window", "start", "lessons", "lesson"};
    for (const PanelRow& row : panels()) views.push_back(row.id);
    return views;
}

base::Status render(session::Options options, const session::View& view, const RenderOptions& wish) {
    auto maker =
        PictureMaker::create(std::move(options), {wish.width, wish.height, wish.assets, wish.lessons, wish.answers});
    if (!maker) return maker.error();
    const PictureMaker::Wish wanted{view, wish.what, wish.lesson, wish.caption};
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

namespace {

base::Result<ViewPicture> draw_view(PictureMaker& maker, const PictureMaker::Wish& wish) {
    if (auto shapes = maker.draw_svg(wish))
        return ViewPicture{std::move(*shapes), "image/svg+xml", maker.alternative_text(), maker.caption()};
    const auto pixels = maker.draw(wish); // it has an image
    if (!pixels) return pixels.error();
    auto png = encode_png(*pixels);
    if (!png) return png.error();
    return ViewPicture{std::move(*png), "image/png", maker.alternative_text(), maker.caption()};
}

} // namespace

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
