// pack: what comes compiled with the program. scripts/pack.sh runs the lessons, the stories and the first screen on a cache of its
// own before.
#include "cli/command.h"
#include "compile/packed.h"
#include "lesson/tell.h"
#include "session/compile_ahead.h"

#include <fmt/format.h>

#include <algorithm>

namespace cli {
namespace {

base::Status compile_all(const catalog::Catalog& catalog, const std::vector<session::Subject>& subjects) {
    for (const session::Subject& subject : subjects) {
        const auto job = session::resolve(catalog, subject);
        if (!job) return job.error();
        const auto code = session::machine_code(*job);
        if (code.failed) return error_of(*code.failed);
    }
    return base::Done{};
}

// Every kernel with each of its planted mistakes, and where one move leads to from the first screen.
std::vector<session::Subject> one_move_away(const catalog::Catalog& catalog) {
    session::Subject first = session::View{}.subject;
    if (const auto kernel = catalog.find(first.kernel)) first.parameters = catalog::initial_values(*kernel);
    std::vector<session::Subject> subjects = session::likely_next(catalog, first, first);
    for (const auto& kernel : catalog.kernels)
        for (const catalog::Break& one : kernel->breaks) {
            session::Subject subject;
            subject.kernel = kernel->id;
            subject.breaks = {one.name};
            subjects.push_back(std::move(subject));
        }
    return subjects;
}

// What a lesson tells where its sliders are moved to. It may be that something cannot be told there.
base::Status tell_stops(lesson::Executions& engine, const lesson::Lesson& lesson) {
    for (size_t i = 0; i < lesson.steps.size(); ++i) {
        const lesson::Scene& scene = lesson.steps[i].scene;
        const auto kernel = engine.catalog().find(scene.subject.kernel);
        const catalog::Parameter* slider = kernel ? catalog::find_parameter(*kernel, scene.slider) : nullptr;
        if (!slider) continue;
        const auto now = catalog::with(*kernel, scene.subject.parameters);
        if (!now) return now.error();
        for (const int value : slider->values) {
            const auto moved = catalog::nearest_legal(*kernel, *now, slider->name, value);
            if (!moved) continue;
            session::Subject subject = scene.subject;
            subject.parameters = *moved;
            if (auto compiled = compile_all(engine.catalog(), {subject}); !compiled) return compiled;
            (void)lesson::tell(engine, lesson, i, subject);
        }
    }
    return base::Done{};
}

base::Status pack(const std::string& file, const std::vector<std::string>& ids, const Common& common) {
    const auto lessons = load_lessons(common);
    if (!lessons) return lessons.error();
    auto engine = lesson_executions(common);
    if (!engine) return engine.error();
    for (const auto& lesson : lessons->lessons) {
        if (!ids.empty() && std::find(ids.begin(), ids.end(), lesson->id) == ids.end()) continue;
        if (auto told = tell_stops(*engine, *lesson); !told) return told;
    }
    if (ids.empty())
        if (auto compiled = compile_all(engine->catalog(), one_move_away(engine->catalog())); !compiled)
            return compiled;
    const auto kernels = compile::write_pack(file);
    if (!kernels) return kernels.error();
    print(fmt::format("{} kernels in {}\n", *kernels, file));
    return base::Done{};
}

} // namespace

Action define_pack(Options& app, const Common& common) {
    app.hide(); // scripts/pack.sh types it
    auto file = std::make_shared<std::string>();
    auto lessons = std::make_shared<std::vector<std::string>>();
    app.add_option("FILE", *file, "where it is written to").required();
    app.add_option("LESSON", *lessons, "only these lessons, not every kernel");
    return [file, lessons, &common] { return pack(*file, *lessons, common); };
}

} // namespace cli
