// A sheet of homework (docs/homework.md): items whose sizes, tiles, lanes and strides are drawn from a student's number. Nothing here is
// computed; answers stand in asked.h.
#pragma once

#include "exercise/exercise.h"

#include <array>
#include <map>
#include <utility>
#include <variant>

namespace exercise {

// What a variable of an item is drawn from: one of these, or a whole number of the range.
using Drawn = std::variant<std::vector<int>, SizePattern::Range>;

// A warp's access to shared memory that is written down, not executed: lane n accesses `bytes` at `offset`.
struct WarpAccess {
    bool load = true;
    int bytes = 4;
    std::string offset; // expression over `lane` and the variables, in bytes
};

struct Item {
    std::string id;
    uint32_t line = 0; // of the file
    int points = 1;
    std::vector<std::pair<std::string, Drawn>> draw; // variables, in the order of the file
    catalog::Text ask;                               // with {VARIABLE} where its value stands
    // Of a number: a formula over figures, as lessons name them, and variables. Empty: another kind of item.
    std::string answer;
    double within = 0;                                    // right as far as this share of it
    std::string kernel;                                   // whose figures; empty: none
    std::map<std::string, std::string> parameters;        // of it: expressions over the variables
    std::array<std::string, 3> size{"256", "256", "256"}; // M, N and K: likewise
    std::string moment;                                   // as lessons say it: "load of As"
    std::string warp = "0", lane = "0";                   // expressions
    std::optional<WarpAccess> access;
    // Of a kernel that is handed in, ITEM.cu.
    std::shared_ptr<const Exercise> exercise;
    // Of a planted race whose lines are asked for, "12, 15": one is drawn, KERNEL or KERNEL:BREAK.
    std::vector<std::string> races;
};

struct Sheet {
    std::string id; // the file's name without .toml
    std::filesystem::path path;
    catalog::Text title, text;
    std::vector<Item> items;
    int points() const;
};

// `known`: exercises that an item may name by id; else it gives a folder, from the sheet's. Errors say file, line and the way out.
base::Result<Sheet> read_sheet(const std::filesystem::path& file, const Exercises& known);
base::Result<Sheet> parse_sheet(const std::string& toml, const std::filesystem::path& file, const Exercises& known);

} // namespace exercise
