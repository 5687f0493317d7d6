// Sheets and results as text and as pages that need nothing else.
#pragma once

#include "exercise/sheet_grade.h"

namespace exercise {

struct ToldSheet { // of one student
    const Sheet& sheet;
    std::string student;
    const std::vector<Asked>& items;
    bool key = false; // with the answers
};
std::string to_text(const ToldSheet&, const views::Strings&);
std::string to_html(const ToldSheet&, const views::Strings&);

std::string to_html(const Sheet&, const std::vector<StudentResult>&, const views::Strings&); // of a class

} // namespace exercise
