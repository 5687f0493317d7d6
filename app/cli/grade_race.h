// grade --race: one planted mistake, handed out and judged without a sheet.
#pragma once

#include "cli/command.h"
#include "exercise/exercise.h"
#include "views/strings.h"

#include <string>

namespace cli {

struct RaceOptions { // as typed
    std::string race, lines, starter;
    bool given() const { return !race.empty() || !lines.empty() || !starter.empty(); }
};

void add_race_options(Options&, RaceOptions&);

// Without lines prints what is handed out. Otherwise says whether they are the lines in conflict; lines that are not are
// Failure::check_failed. With a starter's name the broken kernel is written there.
base::Status grade_race(const RaceOptions&, bool json, const Common&, const views::Strings&);

// What a mended kernel is judged by.
base::Result<std::shared_ptr<const exercise::Exercise>> mending_of(const RaceOptions&, const Common&);

} // namespace cli
