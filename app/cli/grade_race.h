// grade --race: one planted mistake, handed out and judged without a sheet.
#pragma once

#include "cli/command.h"
#include "views/strings.h"

#include <string>

namespace cli {

struct RaceOptions { // as typed
    std::string race, lines;
    bool given() const { return !race.empty() || !lines.empty(); }
};

void add_race_options(Options&, RaceOptions&);

// Without lines prints what is handed out. Otherwise says whether they are the lines in conflict; lines that are not are
// Failure::check_failed. `alone`: no file or exercise is named beside it.
base::Status grade_race(const RaceOptions&, bool alone, bool json, const Common&, const views::Strings&);

} // namespace cli
