// An exercise as its folder has it (docs/homework.md): a starter kernel, a text, and step by step what must hold of a solution.
#pragma once

#include "exercise/size_pattern.h"
#include "trace/schedule.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace exercise {

// A figure beside those of lessons: how many tiles a warp has on their way at a moment.
inline constexpr std::string_view in_flight = "in_flight";

// What must hold at each of some sizes.
struct Rule {
    enum class Kind {
        result,   // C equals the reference
        findings, // the checks find nothing, in any of the orders of the warps
        figure,   // a count is at most or at least so much
    };
    Kind kind = Kind::result;
    uint32_t line = 0; // of exercise.toml
    std::vector<SizePattern> sizes;
    catalog::Values parameters; // that a solution must offer; those that are not named have its initial values
    double alpha = 1, beta = 0;
    std::vector<trace::Schedule> schedules; // of findings
    std::string figure;                     // as lessons name it: "counters.global_load.sectors"
    std::string most, least;                // of the figure: expressions over M, N and K; empty: no such bound
    std::string moment; // of a figure that has one, in words as in lessons; of the first block's first warp
    catalog::Text say;  // the rule in words; empty: what it says by itself
    catalog::Text hint; // a sentence for who breaks it
    std::string view;   // that shows why, as `gemmscope render` calls it; empty: none
    int points = 1;
};

struct Step {
    catalog::Text title;
    std::vector<Rule> rules;
};

struct Exercise {
    std::string id; // its folder's name
    std::filesystem::path folder;
    catalog::Text title, text;                      // text: paragraphs
    int minutes = 0, order = 0;                     // order: its place on the path from one exercise to the next
    std::string lesson;                             // that teaches what it needs: an id; empty: none
    std::shared_ptr<const catalog::Kernel> starter; // FOLDER/ID.cu
    std::vector<Step> steps;
};

// Reads FOLDER/exercise.toml and the starter. Errors say file, line and the way out. Steps, rules, sizes and texts are bounded.
base::Result<Exercise> read(const std::filesystem::path& folder);

// The same of a text, without the starter.
base::Result<Exercise> parse(const std::string& toml, const std::filesystem::path& folder);

struct Exercises {
    std::vector<std::shared_ptr<const Exercise>> exercises;          // by order, then by id
    std::vector<base::Error> problems;                               // those that could not be read; the rest is there
    std::shared_ptr<const Exercise> find(std::string_view id) const; // nullptr: there is none
};
// Every folder with an exercise.toml in one of these folders.
Exercises load(const std::vector<std::filesystem::path>& folders);

} // namespace exercise
