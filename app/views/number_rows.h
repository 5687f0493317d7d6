// Every number that the window shows of one subject, named, with its unit: for the numbers panel, the
// baseline's column beside it, the comparison and the table twin.
#pragma once

#include "analysis/intensity.h"
#include "analysis/occupancy.h"
#include "session/session.h"

#include <optional>
#include <string>
#include <vector>

namespace views {

struct Number {
    std::string key;       // of its label in the tables; the definition is at key + "_tip"
    std::string value;     // as shown; empty while unknown
    const char* unit = ""; // key of the unit; empty: none
    double amount = 0;     // what two columns are compared by, where `value` is a number
    bool alarming = false; // shown in the colour of findings
    std::string word{};    // key of a word to show in the place of `value`
};

struct NumberGroup {
    std::string key;
    std::vector<Number> numbers;
    std::optional<double> bar{}; // 0..1, drawn under the heading
    std::string note{};          // what kind of numbers all of them are, where that is not what was counted
    const char* space = "";      // of a kind of access: key of the memory; groups of one memory have the same columns
};

// Always the same groups and numbers in the same order, except that a kernel without async copies has no
// group for them. What a product that is not ready would say is left empty. `kernel` may be nullptr.
std::vector<NumberGroup> number_groups(const catalog::Kernel* kernel, const session::Subject&,
                                       const session::Products&);

// How long a launch takes, and the three largest reasons for which its warps wait, as predicted; nullptr: nothing is known yet, and the
// reasons are left out. `note` says which launch, and that it is predicted.
std::vector<NumberGroup> time_groups(const session::PredictedSpeed*, const std::string& note);

// Keys of the words for a counter, and for one of its numbers: "numbers.shared_load", "numbers.wavefronts".
std::string counter_key(const analysis::CounterRow&);
std::string field_key(const analysis::CounterRow&, const analysis::CounterField&);

std::string limiter_key(analysis::Limiter); // of the resource that limits occupancy

// What Nsight Compute calls the number: a column of its Source page, summed over an opcode, as scripts/counters/counters.py reads it, or a
// row of its Details page, sections Launch Statistics and Occupancy.
struct NsightName {
    const char* page; // key of the sentence that names the page: "numbers.nsight"
    std::string name; // empty where Nsight Compute has no such number
};
NsightName nsight_name(std::string_view group_key, std::string_view number_key);

// Of which program and by which rule the accesses, wavefronts and sectors are counted: the key of a sentence.
const char* counters_key(const session::Products&);

} // namespace views
