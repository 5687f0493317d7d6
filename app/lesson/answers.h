// What one student answered: a file of JSON lines in the user's data folder, one line an answer. A line that is damaged costs that line.
#pragma once

#include "lesson/told.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lesson {

struct Given {
    std::string lesson, step;
    catalog::Values parameters; // of what was asked about
    Answer answer;
    bool right = false;
    std::string time; // UTC, "2026-11-23T20:54:49Z"
    Question::Kind kind = Question::Kind::number;
    std::string kernel; // that was asked about
    bool operator==(const Given&) const = default;
};

// FOLDER/answers.jsonl of base::state_folder().
std::filesystem::path own_answers();
std::string time_now(); // as Given::time has it

struct Answers {
    std::vector<Given> given; // in the order of the file
    size_t damaged = 0;       // lines that say nothing
};
// Errors: the file cannot be read or is larger than an answer file can be. No file: no answers.
base::Result<Answers> read_answers(const std::filesystem::path&);
Answers parse_answers(std::string_view text);
std::string to_line(const Given&); // with its end

// Adds a line; errors: it cannot be written, or the file is full.
base::Status append(const std::filesystem::path&, const Given&);

} // namespace lesson
