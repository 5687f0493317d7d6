// The commands and their options as data, for what is made of them: the man page, completions of shells.
#pragma once

#include "cli/command.h"

#include <string>
#include <vector>

namespace cli {

struct DescribedOption {
    std::vector<std::string> names;   // "-o", "--output"; one without a dash: a positional argument
    std::string value;                // what --help calls it: "FILE.json"; empty: a flag
    std::vector<std::string> choices; // what it may be; empty: anything
    std::string help;
    bool positional = false, repeated = false, required = false;
};

struct DescribedCommand {
    std::string name, summary, note; // the program's own options have no name
    std::vector<DescribedOption> options;
};

// Of the program itself, then of each command that --help names.
std::vector<DescribedCommand> described_commands(const Frontend&);

} // namespace cli
