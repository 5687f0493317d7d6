// The tuned setting that the sliders offer.
#include "stage.h"

#include "catalog/catalog.h"
#include "catalog/tuned.h"

#include <unistd.h>

namespace {

namespace fs = std::filesystem;

const fs::path& folder() {
    static const struct Folder {
        const fs::path path = fs::temp_directory_path() / ("gemmscope_best_here_test." + std::to_string(::getpid()));
        ~Folder() { fs::remove_all(path); }
    } one;
    return one.path;
}

// Kernels with one that was tuned for 128 x 128 x 32.
fs::path tuned_kernels() {
    const fs::path kernels = folder() / "kernels";
    fs::create_directories(kernels);
    fs::copy_file(kernel_folder() / "naive.cu", kernels / "naive.cu", fs::copy_options::overwrite_existing);
    const auto catalog = catalog::load({kernels});
    const auto kernel = catalog.find("naive");
    catalog::Tuned best;
    best.problem = {128, 128, 32};
    best.values = {{"BX", 16}, {"BY", 16}};
    best.gflops = 100;
    best.device = "A GPU";
    best.arch = "sm_90";
    EXPECT_TRUE(catalog::keep_tuned(catalog::tuned_files(kernels / "naive.cu").back(), *kernel, best));
    return kernels;
}

TEST(BestHere, OneClickSetsTheTunedValues) {
    Stage stage(view_of("naive", {128, 128, 32}), {tuned_kernels()});
    stage.show(ui::draw_tiles);
    stage.resize(260, 500);
    stage.settle();
    stage.frames(2);
    ASSERT_TRUE(stage.has_mark("tiles.best"));
    stage.click_mark("tiles.best");
    EXPECT_EQ(stage.view().subject.parameters, (catalog::Values{{"BX", 16}, {"BY", 16}}));
    stage.frames(2);
    EXPECT_FALSE(stage.has_mark("tiles.best")) << "offered only where it changes something";
    stage.edit([](session::View& view) { view.subject.arch = "sm_80"; });
    stage.edit([](session::View& view) { view.subject.parameters.clear(); });
    stage.frames(2);
    EXPECT_FALSE(stage.has_mark("tiles.best")) << "tuned on another architecture";
}

} // namespace
