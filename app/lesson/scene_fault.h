// What is wrong with a setting itself, told once: every figure of it fails for the same reason.
#pragma once

#include "lesson/executions.h"
#include "lesson/lesson.h"

#include <optional>

namespace lesson {

struct SceneFault {
    base::Error error;
    uint32_t line = 0; // of the file: the key's that is wrong
};

// Nothing: the scene's block runs. `otherwise`: the line where the key is not named.
std::optional<SceneFault> setting_fault(Executions&, const Scene&, uint32_t otherwise);
// Nothing: its warp comes to the moment, too, which is no fault of a question that counts the whole grid.
std::optional<SceneFault> scene_fault(Executions&, const Lesson&, const Scene&, uint32_t otherwise);

// The scene that a step's question asks about.
Scene asked_scene(const Step&);

} // namespace lesson
