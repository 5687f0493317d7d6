// Computes what a step says.
#pragma once

#include "lesson/executions.h"
#include "lesson/figures.h"
#include "lesson/formula.h"
#include "lesson/told.h"

namespace lesson {

// The step of the lesson for `subject`, its scene's or another. What cannot be computed is among Told::problems, with file and line.
Told tell(Executions&, const Lesson&, size_t step, const session::Subject& subject);

// "25", "17,301,504", "5.33", "0.0625"
std::string number_text(double value);

// What stands between {{ and }}: an expression, and behind a | how it is written: percent, bytes, or how many decimals.
base::Result<Amount> figure(const std::string& text, const Lookup&);

// `prose` with its figures filled in. `path`: of its file. Where one cannot be computed it reads "?".
Prose filled(const Prose& prose, const Lookup&, const std::string& path, std::vector<base::Error>& problems);

// What the question's answer is for the setting of `scene`; problems: it has none, or not one alone.
std::optional<Answer> answer(Executions&, const Lesson&, const Question&, const Scene& scene,
                             std::vector<base::Error>& problems);

} // namespace lesson
