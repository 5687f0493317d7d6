#include "lesson/scene_fault.h"

#include "lesson/figures.h"

namespace lesson {
namespace {

// Of a subject that means nothing: it means something as soon as the guilty key is left away.
const char* guilty_key(Executions& executions, session::Subject subject) {
    if (!executions.catalog().find(subject.kernel)) return "kernel";
    subject.breaks.clear();
    if (executions.job(subject)) return "breaks";
    subject.parameters.clear();
    return executions.job(subject) ? "parameters" : "kernel";
}

bool is_inside(base::Dim3 block, base::Dim3 grid) { return block.x < grid.x && block.y < grid.y && block.z < grid.z; }

} // namespace

std::optional<SceneFault> setting_fault(Executions& executions, const Scene& scene, uint32_t otherwise) {
    const auto at = [&](base::Error error, const char* key) {
        return SceneFault{std::move(error), line_of(scene.lines, key, otherwise)};
    };
    const auto job = executions.job(scene.subject);
    if (!job) {
        base::Error error = job.error();
        if (!executions.catalog().find(scene.subject.kernel))
            error.todo = base::say("{}; if it is yours, add --kernels FOLDER", error.todo);
        return at(std::move(error), guilty_key(executions, scene.subject));
    }
    if (const auto block = executions.block(scene.subject, scene.block); !block)
        return at(block.error(), is_inside(scene.block, (*job)->shape.grid) ? "kernel" : "block");
    return std::nullopt;
}

std::optional<SceneFault> scene_fault(Executions& executions, const Lesson& lesson, const Scene& scene,
                                      uint32_t otherwise) {
    if (auto fault = setting_fault(executions, scene, otherwise)) return fault;
    Figures figures(executions, lesson, scene);
    const auto event = figures.event();
    return event ? std::nullopt : std::optional(SceneFault{event.error(), line_of(scene.lines, "moment", otherwise)});
}

Scene asked_scene(const Step& step) {
    Scene scene = step.scene;
    if (!step.question) return scene;
    scene.subject = step.question->subject;
    for (const auto& [key, line] : step.question->lines) scene.lines[key] = line;
    return scene;
}

} // namespace lesson
