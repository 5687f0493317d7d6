// A lesson in any bytes, alone and with itself as its translation; and a file of answers.
// Coverage: app/lesson/lesson_reader.cpp app/lesson/formula.cpp app/lesson/answers.cpp app/lesson/step_table.cpp
#include "entry.h"

#include "lesson/answers.h"
#include "lesson/formula.h"
#include "lesson/lesson.h"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    const std::string text(reinterpret_cast<const char*>(bytes), size);
    const auto zero = [](const std::string&) -> base::Result<double> { return 0.0; };
    if (const auto read = lesson::parse(text, "lesson.md"))
        for (const lesson::Step& step : read->steps)
            for (const lesson::Formula& formula : step.checks) (void)lesson::evaluate(formula.text, zero);
    (void)lesson::parse(text, "lesson.md", text);
    (void)lesson::evaluate(text.substr(0, text.find('\n')), zero);
    (void)lesson::parse_answers(text);
    return 0;
}
