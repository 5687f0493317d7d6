// grade SHEET.toml: a student's sheet, its key, and what hand-ins are worth.
#pragma once

#include "base/result.h"
#include "exercise/sheet_grade.h"

#include <string>

namespace cli {

struct SheetTools { // that must live
    const exercise::Sheet& sheet;
    lesson::Executions& executions;
    const views::Strings& tr;
    double limit_s = 60; // of each kernel
    int threads = 1;
};
struct SheetRequest { // as typed
    std::string work, student, seed, csv, html, junit;
    bool json = false, key = false;
};
base::Status grade_sheet(const SheetTools&, const SheetRequest&);

} // namespace cli
