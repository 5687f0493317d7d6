// The tables of tests/data/counters, which scripts/record_counters.sh makes.
#pragma once

#include "trace/machine.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace recorded {

// Lines of a file without its comments, split at semicolons.
inline std::vector<std::vector<std::string>> rows(const std::string& file) {
    std::ifstream input(std::string(TEST_DATA "/counters/") + file);
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(input, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream fields(line);
        auto& row = rows.emplace_back();
        for (std::string field; std::getline(fields, field, ';');) row.push_back(field);
    }
    return rows;
}

// "@!P0 LDS 16", "BRA if 1f0": an instruction as what() of scripts/counters/machine_code.py writes it.
inline std::string what(const trace::MachineInstruction& i) {
    std::string text;
    if (i.guarded())
        text = fmt::format("@{}{}P{} ", i.guard_negated ? "!" : "", i.text.find("UP") <= 2 ? "U" : "", // "@!UP0 SYNCS"
                           i.guard == i.always ? "T" : std::to_string(i.guard));
    text += i.opcode;
    if (i.bytes) text += fmt::format(" {}", i.bytes);
    if (i.opcode == "BRA" && i.second_predicate) text += " if";
    if (i.opcode == "BRA" || i.opcode == "CALL")
        if (i.target >= 0) text += fmt::format(" {:x}", i.target * 16);
    return text;
}

} // namespace recorded
