// What a student's hand-in is worth by a sheet, and a class's results as files.
#pragma once

#include "exercise/asked.h"
#include "exercise/grade.h"
#include "exercise/hand_in.h"
#include "views/strings.h"

namespace exercise {

struct ItemResult {
    const Item* item = nullptr; // of the sheet, which must live
    int points = 0;
    Judged::Standing standing = Judged::Standing::waiting; // waiting: nothing was handed in
    std::string given, wanted;                             // of a number
    base::Sentence look;                                   // the first thing to look at; empty: nothing
};

struct StudentResult {
    std::string student, file;
    std::vector<ItemResult> items;         // as the sheet has them
    std::optional<base::Error> unreadable; // the hand-in: then there are no items
    double wall_s = 0;
    int points() const;
};

// Executes what the items ask for and the kernels that are handed in. `executions`: of the catalogue. `options`: of each kernel; its seed is the
// teacher's own part of what the student's hidden sizes are drawn by.
StudentResult grade(const Sheet&, const HandIn&, lesson::Executions& executions, const GradeOptions& options,
                    std::stop_token = {});

std::string first_look(const StudentResult&, const views::Strings&); // of all items; empty: all have passed
std::string to_text(const Sheet&, const StudentResult&, const views::Strings&);
std::string to_csv(const Sheet&, const std::vector<StudentResult>&, const views::Strings&); // RFC 4180
std::string to_junit(const Sheet&, const std::vector<StudentResult>&, const views::Strings&);
std::string to_junit(const Exercise&, const Verdict&, const views::Strings&);

} // namespace exercise
