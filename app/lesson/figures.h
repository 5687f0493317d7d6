// The numbers that a text, a question or a check may name: of a setting and a moment, each counted when it is asked for.
#pragma once

#include "lesson/executions.h"
#include "lesson/lesson.h"

#include <optional>
#include <string>
#include <vector>

namespace lesson {

// Of a scene. A name that begins with the id of a step is that step's, or its question's: see.access.wavefronts, see.question.TILE.
class Figures {
public:
    // All must outlive it.
    Figures(Executions& executions, const Lesson& lesson, const Scene& scene)
        : executions_(executions), lesson_(&lesson), scene_(scene) {}

    // Errors: there is no such figure, or it has no value here (no access at this moment, nothing recorded).
    base::Result<double> value(const std::string& name) { return value(name, {}); }
    // The same, and what is of one lane: lane, active, address, word, bank, sector. Of the scene's own lane: selected.bank.
    base::Result<double> of_lane(const std::string& name, int lane) { return value(name, lane); }

    base::Result<std::shared_ptr<const Traced>> traced();
    base::Result<uint32_t> event(); // the moment

    const Scene& scene() const { return scene_; }
    Executions& executions() { return executions_; }

    // Of all figures but parameters, sorted: for errors and the documentation.
    static std::vector<std::string> names();

private:
    base::Result<double> value(const std::string& name, std::optional<int> lane);
    base::Result<double> of_step(const Step&, const std::string& name);

    Executions& executions_;
    const Lesson* lesson_;
    const Scene& scene_;
    std::optional<base::Result<uint32_t>> event_;
    int depth_ = 0; // 1: of another step
};

} // namespace lesson
