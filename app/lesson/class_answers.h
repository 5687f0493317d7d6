// What a class answered, question by question: a bar for each answer that was given.
#pragma once

#include "lesson/answers.h"

#include <map>

namespace lesson {

struct Histogram { // of one question about one setting
    std::string lesson, step;
    Title title; // of the question; empty: the lesson is not known here
    struct Bar {
        Title answer; // as a reader says it: "8", "two words", "lane 3"
        size_t students = 0;
        bool right = false;
    };
    std::vector<Bar> bars; // most students first
    size_t students = 0, right = 0;
    size_t right_at_last = 0; // with their last answer
};

struct Class {
    std::vector<Histogram> questions; // by lesson and step
    size_t students = 0;              // files
    size_t damaged = 0;               // lines
};

// Of each student the first answer to a question counts: the prediction. `lessons`: for titles and items.
Class class_of(const std::vector<Answers>& students, const Lessons& lessons);

std::string to_text(const Class&, session::Language);
std::string to_csv(const Class&, session::Language);  // RFC 4180: lesson, step, question, answer, students, right
std::string to_html(const Class&, session::Language); // one page that needs nothing else

} // namespace lesson
