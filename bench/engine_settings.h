// The settings of a kernel at which bench_engine measures: what it starts with, what reaches the ends of its sliders, and what
// the counters were recorded at.
#pragma once

#include "base/file.h"
#include "catalog/catalog.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace bench {

// Each line of `cases` (tests/data/counters/cases.txt) that is of this kernel and breaks no rule: "KERNEL | -p NAME=VALUE ... | RUNS".
inline std::vector<catalog::Values> recorded_settings(const catalog::Kernel& kernel, const std::string& cases) {
    std::vector<catalog::Values> all;
    std::istringstream lines(cases);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        if (!(words >> word) || word != kernel.id || !(words >> word)) continue;
        catalog::Values given;
        while (words >> word && word == "-p" && words >> word) {
            const size_t equals = word.find('=');
            if (equals != std::string::npos)
                std::from_chars(word.data() + equals + 1, word.data() + word.size(), given[word.substr(0, equals)]);
        }
        if (auto values = catalog::with(kernel, given)) all.push_back(std::move(*values));
    }
    return all;
}

// All parameters together at their least or largest values, as far as the rules let them; the last one moved wins.
inline std::vector<catalog::Values> corner_settings(const catalog::Kernel& kernel) {
    std::vector<catalog::Values> all;
    for (const bool largest : {false, true})
        for (const bool backwards : {false, true}) {
            auto parameters = kernel.parameters;
            if (backwards) std::reverse(parameters.begin(), parameters.end());
            catalog::Values values = catalog::initial_values(kernel);
            for (const catalog::Parameter& p : parameters)
                if (auto moved =
                        catalog::nearest_legal(kernel, values, p.name, largest ? p.values.back() : p.values.front());
                    moved && !p.host)
                    values = std::move(*moved);
            all.push_back(std::move(values));
        }
    return all;
}

// Each once, the initial one first: each parameter at each value that it offers, the others moved as little as the rules ask; the
// corners; what was recorded.
inline std::vector<catalog::Values> settings_of(const catalog::Kernel& kernel, const std::string& cases) {
    const catalog::Values initial = catalog::initial_values(kernel);
    std::vector<catalog::Values> all{initial};
    const auto add = [&](catalog::Values values) {
        for (const catalog::Parameter& p : kernel.parameters)
            if (p.host) values[p.name] = initial.at(p.name); // it changes nothing of what is executed
        if (std::find(all.begin(), all.end(), values) == all.end()) all.push_back(std::move(values));
    };
    for (const catalog::Parameter& parameter : kernel.parameters)
        for (const int value : parameter.values)
            if (auto values = catalog::nearest_legal(kernel, initial, parameter.name, value); values && !parameter.host)
                add(std::move(*values));
    for (catalog::Values& values : corner_settings(kernel)) add(std::move(values));
    for (catalog::Values& values : recorded_settings(kernel, cases)) add(std::move(values));
    return all;
}

} // namespace bench
