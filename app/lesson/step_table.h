// What the fenced blocks of a lesson say: the state of a step, the kind of a question, and the front matter. TOML.
#pragma once

#include "lesson/lesson.h"

namespace lesson {

struct StepTable {
    Scene scene;
    std::vector<Formula> checks;
};

// `line`: of the file, that `toml` begins on.
base::Result<StepTable> read_step(const std::string& toml, const std::string& path, uint32_t line);
// What it does not say of the setting is the step's. Titles, texts and items are not set.
base::Result<Question> read_question(const std::string& toml, const std::string& path, uint32_t line,
                                     const Scene& step);

struct FrontMatter {
    std::string title;
    int minutes = 0;
    std::vector<std::string> needs;
    uint32_t needs_line = 0;
};
base::Result<FrontMatter> read_front_matter(const std::string& toml, const std::string& path, uint32_t line,
                                            bool translation);

} // namespace lesson
