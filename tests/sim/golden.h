// Files of tests/data/ptx: a kernel of PTX that writes a table of results, and what a GPU gave (record.py).
#pragma once

#include "sim/engine.h"
#include "trace/tensor_map.h"

#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace golden {

struct Golden {
    std::string name, text = {};
    uint32_t blocks = 1, threads = 32;
    std::vector<trace::TensorMap> maps = {}; // parameters after the first, each aligned to 64
    std::map<int, std::vector<uint64_t>> expected = {};
    std::set<int> any_nan = {}; // results in f64 whose NaNs may be others
};

inline void PrintTo(const Golden& g, std::ostream* out) { *out << g.name; }

std::vector<Golden> goldens();

// Runs `program`, which was made of the golden's kernel. What is not as the GPU gave it, and what is found wrong (errors alone, where `warnings` is
// false), one a line; empty: nothing.
std::string differences(const Golden&, const sim::Program& program, bool warnings);

} // namespace golden
