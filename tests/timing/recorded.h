// What the microbenchmarks of bench/gpu gave on an H200.
#pragma once

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

namespace recorded {

struct Result {
    double value = 0, spread = 0;
    std::string unit;
};

inline const std::map<std::string, Result>& microbenchmarks() {
    static const auto all = [] {
        std::ifstream in(SOURCE_DIR "/assets/recorded/microbenchmarks/h200.json");
        std::map<std::string, Result> results;
        const auto json = nlohmann::json::parse(in);
        for (const auto& [theme, rows] : json.at("themes").items())
            for (const auto& row : rows)
                results[row.at("name")] = {row.at("value"), row.value("spread", 0.0), row.at("unit")};
        return results;
    }();
    return all;
}

inline double value(const std::string& name) {
    const auto found = microbenchmarks().find(name);
    EXPECT_NE(found, microbenchmarks().end()) << name;
    return found == microbenchmarks().end() ? 0 : found->second.value;
}

} // namespace recorded
