// The files of answers that a class has handed in, as they lie in a folder or come from a learning platform.
#pragma once

#include "lesson/answers.h"

namespace lesson {

struct ClassFiles {
    std::vector<Answers> students;     // one for each file
    std::vector<base::Error> left_out; // files that hold no answers, and what is beyond the bounds; the rest is there
    size_t damaged = 0;                // lines, of files that are there
};

// Whether it is a file of answers, or a folder with one: by its name, answers.jsonl, or else by the first line. Reads no more than that of
// a file.
bool holds_answers(const std::filesystem::path&);

// Files as they are given, and those of folders and their folders, by name. An empty file is a student who has answered nothing.
// Bounded in files, bytes and depth.
ClassFiles read_class(const std::vector<std::filesystem::path>& places);

} // namespace lesson
