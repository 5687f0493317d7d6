// What `gemmscope lesson --check` holds of a lesson, without a window.
#pragma once

#include "lesson/executions.h"
#include "lesson/lesson.h"

#include <string>
#include <vector>

namespace lesson {

constexpr int most_words = 40; // of a step's text in one language

// Every fault, in the order of the lesson, with file and line: a step that does not load, a statement that does not hold, a figure or an answer
// that cannot be computed, a text that is too long. `views`: those that a step may show.
std::vector<base::Error> check(Executions&, const Lesson&, const std::vector<std::string>& views);

} // namespace lesson
