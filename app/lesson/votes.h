// What a class answered to one question of one setting, as it is drawn: where the truth lies is computed, not taken from the files.
#pragma once

#include "lesson/answers.h"

namespace lesson {

struct Votes {
    struct Bar {
        std::string answer; // "8", "B", "B, A, C", "5" of a lane; empty: all others together
        size_t students = 0;
        bool right = false;
        bool operator==(const Bar&) const = default;
    };
    // Of a number ascending; of a choice one an item, of lanes one a lane; of an order most students first; of a curve two, those
    // who were close and those who were not. The right answer has a bar also where nobody gave it.
    std::vector<Bar> bars;
    size_t students = 0; // of the class
    size_t answered = 0, right = 0;
    size_t right_at_last = 0;                              // with their last answer
    std::vector<std::vector<Answer::Point>> curves;        // that were drawn, the first few dozen
    size_t missing() const { return students - answered; } // have not answered
};

// Of each student the first answer counts: the prediction.
Votes votes(const std::vector<Answers>& students, const std::string& lesson, const Step&, const ToldQuestion&);

} // namespace lesson
