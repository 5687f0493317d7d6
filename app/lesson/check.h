// What `gemmscope lesson --check` holds of a lesson, without a window.
#pragma once

#include "lesson/executions.h"
#include "lesson/lesson.h"

#include <string>
#include <vector>

namespace lesson {

constexpr int most_words = 40; // of a step's text in one language

// Every fault, in the order of the lesson, with file and line: a step that does not load, a statement that does not hold, a figure or an answer
// that cannot be computed, a text that is too long, a lesson that it needs and that is not there. `views`: those that a step may show.
// `lessons`: ids of those that are known; a lesson beside its file is known, too.
std::vector<base::Error> check(Executions&, const Lesson&, const std::vector<std::string>& views,
                               const std::vector<std::string>& lessons);

} // namespace lesson
