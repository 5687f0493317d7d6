// A kernel file as it describes itself: the TOML in its first comment, and the CUDA source below.
#pragma once

#include "base/dim3.h"
#include "base/result.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace catalog {

struct Text { // in both languages; zh falls back to en
    std::string en, zh;
};

struct Parameter {
    std::string name;            // "BM"
    Text meaning;                // "rows of C per block"
    std::vector<int> values;     // what the slider offers, ascending
    int initial = 0;
};

struct Rule {
    std::string expression;      // muParser, over the parameters: "BM % TM == 0"
    Text reason;                 // one sentence, shown when the rule is broken
};

using Values = std::map<std::string, int>; // parameter name -> value; complete: one for each parameter

class Rules; // rules.h

struct Kernel {
    std::string id;              // the file's stem: "double_buffer"
    std::string family;          // "ladder"
    int rung = 0;                // order within the family
    std::string provenance;
    Text title, idea, story;     // a few words; one sentence; a paragraph
    std::vector<Parameter> parameters; // in the order of the template's arguments
    std::vector<Rule> rules;
    // Expressions over the parameters and M, N, K:
    std::string block_x, block_y, grid_x, grid_y, dynamic_shared;
    std::string path;            // of the file
    std::string source;          // the whole file
    std::string function;        // the template's (or plain kernel's) name in the source; the id
    std::shared_ptr<const Rules> compiled_rules; // made by parse(); without them everything below works, slower
};

struct Problem { // C is m x n, the sum runs over k
    int m = 256, n = 256, k = 256;
    bool operator==(const Problem&) const = default;
};

struct LaunchShape {
    base::Dim3 grid, block;
    uint32_t dynamic_shared_bytes = 0;
};

// One value of a slider: legal, or the first rule that forbids it.
struct Choice {
    int value = 0;
    const Rule* broken = nullptr;
};

Values initial_values(const Kernel&);

// The initial values changed by `given`; unknown names, values that are not offered and broken rules are errors
// that say which values would do. A value between those offered is allowed where the rules allow it.
base::Result<Values> with(const Kernel&, const Values& given);

// The rules that `values` break; empty if all is well.
std::vector<const Rule*> broken_rules(const Kernel&, const Values& values);

// Every value of parameter `name`, the others as in `values`.
std::vector<Choice> choices(const Kernel&, const Values& values, std::string_view name);

// The legal setting nearest to `values` that has `name` = `value`, others moved as little as possible; an error
// (with the reason) if there is none. Sliders use it so that a drag never gets stuck between two rules.
base::Result<Values> nearest_legal(const Kernel&, const Values& values, std::string_view name, int value);

base::Result<LaunchShape> launch_shape(const Kernel&, const Values&, Problem);

// The C++ name to instantiate: "double_buffer<128, 128, 8, 8, 8>", or the plain name.
std::string instantiation(const Kernel&, const Values&);

} // namespace catalog
