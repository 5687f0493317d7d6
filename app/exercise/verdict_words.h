// A verdict in words, for the window and the command line.
#pragma once

#include "exercise/grade.h"
#include "exercise/race.h"
#include "views/strings.h"

#include <string>

namespace exercise {

std::string named_text(const std::string& name, const std::string& text, const views::Strings&); // "name: text"
std::string rule_text(const Judged&, const views::Strings&);                                     // what must hold
std::string got_text(const Judged&, const views::Strings&); // what was found or counted; empty: nothing is known
std::string standing_text(Judged::Standing, const views::Strings&); // "passed"
std::string hint_text(const Judged&, const views::Strings&);        // of its rule; empty: none
std::string place_text(const Look&);                                // "mine.cu:12"; empty: no place
std::string size_of_look(const Look&);                         // "-m 37 -n 64 -k 64 --schedule seed:1", for commands
std::string see_command(const Look&, const std::string& file); // that shows it; empty: none
std::string verdict_text(const Exercise&, const Verdict&, const views::Strings&); // all of it, lines for a terminal

std::string race_question(const Race&, const views::Strings&); // how many lines to name

} // namespace exercise
