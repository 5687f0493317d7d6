// Both sides of a comparison are counted at the size of speeds.
#include "session/sample.h"
#include "stage.h"
#include "ui/panel.h"

namespace {

struct Sides {
    session::Subject baseline, current;
};

Sides at_size_of_speeds(const session::View& view) {
    const auto catalog = catalog::load({kernel_folder()});
    const auto launch = [&](session::Subject subject) {
        subject.parameters = *catalog::with(*catalog.find(subject.kernel), subject.parameters);
        subject.problem = view.speed_problem;
        return subject;
    };
    return {launch(*view.baseline), launch(view.subject)};
}

session::View comparison(const std::string& baseline, const std::string& current) {
    session::View view = view_of(current, {64, 64, 32});
    view.baseline = view.subject;
    view.baseline->kernel = baseline;
    view.baseline->parameters.clear();
    view.speed_problem = {4096, 4096, 4096};
    return view;
}

TEST(Compare, CountsBothSidesAtTheSizeOfSpeeds) {
    const session::View view = comparison("shared_tile", "double_buffer");
    Stage stage(view);
    stage.show(ui::draw_compare);
    stage.settle();
    stage.frames(2);
    stage.settle();
    const Sides sides = at_size_of_speeds(view);
    for (const session::Subject& side : {sides.baseline, sides.current}) {
        const auto counts = stage.session().counts(side);
        ASSERT_TRUE(counts && *counts) << side.kernel;
        EXPECT_EQ((*counts)->subject.problem, view.speed_problem);
        EXPECT_TRUE((*counts)->machine);
        ASSERT_TRUE((*counts)->run->sample);
        EXPECT_EQ((*counts)->run->totals.ffma_thread_instructions, 4096ull * 4096 * 4096);
    }
}

TEST(Compare, OfSomethingThatCannotBeCountedThereShowsWhatWasTraced) {
    session::View view = comparison("binary_naive", "binary_tiled");
    view.baseline->parameters = {{"TABLE", 1}};
    Stage stage(view);
    stage.show(ui::draw_compare);
    stage.settle();
    stage.frames(2);
    stage.settle();
    const auto counts = stage.session().counts(at_size_of_speeds(view).baseline);
    ASSERT_TRUE(counts && *counts);
    EXPECT_NE((*counts)->subject.problem, view.speed_problem);
    stage.frames(2); // and draws them
}

} // namespace
