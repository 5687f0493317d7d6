#include "lesson/lesson.h"

namespace lesson {

const Step* Lesson::step(std::string_view wanted) const {
    for (const Step& step : steps)
        if (step.id == wanted) return &step;
    return nullptr;
}

std::shared_ptr<const Lesson> Lessons::find(std::string_view id) const {
    for (const auto& lesson : lessons)
        if (lesson->id == id) return lesson;
    return nullptr;
}

session::View scene(const Lesson& lesson, size_t step, const session::View& readers) {
    session::View view;
    view.language = readers.language;
    view.theme = readers.theme;
    view.scale = readers.scale;
    view.projector = readers.projector;
    view.layout = readers.layout;
    view.open_families = readers.open_families;
    view.stage.shown = readers.stage.shown;
    view.course = {lesson.id, static_cast<uint32_t>(step), {}, {}};
    if (step >= lesson.steps.size()) return view;
    const Scene& scene = lesson.steps[step].scene;
    view.subject = scene.subject;
    view.selection = {scene.block, scene.warp, scene.lane, 0};
    view.stage.first = scene.views.empty() ? "banks" : scene.views[0];
    view.stage.second = scene.views.size() > 1 ? scene.views[1] : "";
    view.parameter = scene.slider;
    view.speed_problem = scene.speed_size;
    return view;
}

} // namespace lesson
