// Questions with computed answers for a learning platform: Moodle XML and GIFT. Each student gets another setting.
#pragma once

#include "lesson/executions.h"
#include "lesson/told.h"

#include <string>
#include <vector>

namespace lesson {

struct QuizQuestion { // of one setting, computed
    std::string lesson, step;
    size_t variant = 0;  // counted from 1
    std::string setting; // "shared_tile, TILE = 16, M = N = K = 256"
    Title broken;        // its planted mistakes, in quotation marks; empty: none
    Text before;         // what the step says; empty where the setting is another than the step tells of
    Question::Kind kind = Question::Kind::number;
    double within = 0;
    ToldQuestion told;
};

struct Quiz {
    std::vector<QuizQuestion> questions; // the variants of a question follow each other
    std::vector<std::string> notes; // sentences: what could not be exported, and where settings are fewer than students
    std::vector<base::Error> problems; // questions that have no answer
};

// Of each question as many settings as there are students, drawn by `seed` from the legal values of the parameters that it varies; where there are
// fewer, each once. A curve cannot be drawn there and is left out.
Quiz quiz_of(Executions&, const Lesson&, size_t students, uint64_t seed);

// Each question is a category, from which Moodle draws one variant at random.
std::string to_moodle(const Quiz&, session::Language);
std::string to_gift(const Quiz&, session::Language);

} // namespace lesson
