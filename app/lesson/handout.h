// A lesson as a page to print: words, pictures, tables and questions in one language, and the teacher's key.
#pragma once

#include "lesson/executions.h"
#include "lesson/told.h"
#include "views/page.h"

#include <string>
#include <utility>
#include <vector>

namespace lesson {

struct HandoutStep {
    Told told;
    std::vector<std::pair<std::string, std::string>> facts; // of a step that asks nothing: a word, and how much
    std::vector<views::PagePicture> pictures;
};

// The step's facts, in the language of `tr`: what its views count.
std::vector<std::pair<std::string, std::string>> facts(Executions&, const Lesson&, const Step&,
                                                       const views::Strings& tr);

// One HTML file that needs nothing else. `steps`: of each of the lesson's. `with_key`: the answers and the sheet for teachers follow on
// pages of their own.
std::string to_handout(const Lesson&, const std::vector<HandoutStep>& steps, const views::Strings& tr, bool with_key);

} // namespace lesson
