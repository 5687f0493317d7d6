// A step as it is told: its moment found, its figures computed, its question answered. All from the executed kernel.
#pragma once

#include "lesson/lesson.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lesson {

struct Amount {
    double value = 0;
    std::string text; // with thousands separators and significant digits
};

// What the engine says, or what a student answers: of it that which belongs to the kind of question.
struct Answer {
    double number = 0;         // of a number
    std::vector<size_t> items; // of a choice one, of an order all, counted from 0
    uint32_t lanes = 0;        // bit n: lane n; a student clicks one
    struct Point {             // of a curve
        int x = 0;             // value of the parameter
        double y = 0;
        bool operator==(const Point&) const = default;
    };
    std::vector<Point> curve; // ascending; only values that are known
    bool operator==(const Answer&) const = default;
};

struct ToldQuestion {
    Text title, ask, explanation;
    std::vector<Text> items;
    Answer answer;
    std::optional<Amount> number{}; // the step's, of what is asked about; nothing: it has none there
};

struct Told {
    session::Subject subject;               // that it was computed for
    uint32_t event = 0;                     // of the scene's warp: the moment
    uint32_t first_line = 0, last_line = 0; // of the kernel's source: what is to be shown; 0: nothing
    Text text;
    std::optional<Amount> number, before;
    std::optional<ToldQuestion> question; // nothing: the step asks nothing, or it cannot be answered
    std::vector<base::Error> problems;    // what could not be computed; in a text it reads "?"
    std::vector<base::Sentence>
        roots; // of the problems those of the setting itself: whoever names its figures meets them, too
};

// Is what the student answered what the engine says? A curve: is every point within a quarter of the true one?
bool is_right(const Question&, const Answer& truth, const Answer& given);

} // namespace lesson
