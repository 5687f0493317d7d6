#include "ui/window/picture_maker.h"

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
    const auto picture = maker->draw({view, wish.what, wish.lesson, wish.caption});
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
        const auto picture = maker->draw({one.view, one.what, {}, false, one.first_line, one.last_line});
        if (!picture) return picture.error();
        if (auto failed = maker->failed(); !failed) return failed.error();
        auto png = encode_png(*picture);
        if (!png) return png.error();
        pictures.push_back({std::move(*png), maker->alternative_text(), maker->caption()});
    }
    return pictures;
}

} // namespace ui
