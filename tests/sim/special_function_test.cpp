// The special function unit against what a GPU gave: tests/data/mufu says which, when and for which arguments.
#include "sim/lanes/special_function.h"

#include "base/hash.h"

#include <bit>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Function = uint32_t (*)(uint32_t);

const std::map<std::string, Function>& functions() {
    using namespace sim;
    static const std::map<std::string, Function> all = {{"rcp", mufu::rcp},           {"rsqrt", mufu::rsqrt},
                                                        {"sqrt", mufu::sqrt},         {"ex2", mufu::ex2},
                                                        {"lg2", mufu::lg2},           {"sin", mufu::sin},
                                                        {"cos", mufu::cos},           {"tanh", mufu::tanh},
                                                        {"rcp64h", mufu::rcp64h},     {"rsqrt64h", mufu::rsqrt64h},
                                                        {"ex2_f16", mufu::ex2_f16},   {"tanh_f16", mufu::tanh_f16},
                                                        {"ex2_bf16", mufu::ex2_bf16}, {"tanh_bf16", mufu::tanh_bf16}};
    return all;
}

// The rows of a file, without its comments and the names of its columns.
std::vector<std::vector<std::string>> rows_of(const std::string& name) {
    std::ifstream input(TEST_DATA "/mufu/" + name);
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(input, line);) {
        if (line.starts_with("#")) continue;
        std::stringstream fields(line);
        auto& row = rows.emplace_back();
        for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
    }
    rows.erase(rows.begin());
    return rows;
}

uint32_t hexadecimal(const std::string& text) { return static_cast<uint32_t>(std::stoul(text, nullptr, 16)); }

// The angle over 2 pi, rounded to zero.
uint32_t turns_of(uint32_t angle) {
    const double exact = static_cast<double>(std::bit_cast<float>(angle)) * static_cast<double>(0.15915494309189535f);
    const auto near = static_cast<float>(exact);
    const auto bits = std::bit_cast<uint32_t>(near);
    return std::fabs(near) > std::fabs(exact) ? bits - 1 : bits;
}

TEST(SpecialFunction, GivesWhatTheGpuGaveForSegmentsAndExtremes) {
    std::map<std::string, int> seen, wrong;
    for (const auto& row : rows_of("values.csv")) {
        const uint32_t argument = hexadecimal(row[1]), ours = functions().at(row[0])(argument);
        ++seen[row[0]];
        if (ours != hexadecimal(row[2]) && wrong[row[0]]++ < 3)
            ADD_FAILURE() << row[0] << " of " << row[1] << std::hex << ": " << ours << ", the GPU gives " << row[2];
    }
    EXPECT_EQ(seen.size(), 10u);
    for (const auto& [function, count] : seen) EXPECT_GT(count, 600) << function;
}

class SpecialFunctions : public testing::TestWithParam<std::string> {};

TEST_P(SpecialFunctions, GiveWhatTheGpuGaveForWholeRuns) {
    const Function function = functions().at(GetParam());
    const bool of_angle = GetParam() == "sin" || GetParam() == "cos";
    int runs = 0;
    for (const auto& row : rows_of("runs.csv")) {
        if (row[0] != GetParam()) continue;
        const uint32_t first = hexadecimal(row[1]), step = static_cast<uint32_t>(std::stoul(row[2]));
        const auto count = static_cast<uint32_t>(std::stoul(row[3]));
        std::vector<uint32_t> results(count ? count : 1u << 20);
        for (uint32_t i = 0; i < results.size(); ++i) {
            const uint32_t argument = count ? first + i * step : i * 4096 + (i * 2654435761u >> 20);
            results[i] = function(of_angle ? turns_of(argument) : argument);
        }
        EXPECT_EQ(base::hash({reinterpret_cast<const char*>(results.data()), results.size() * 4}), row[4])
            << count << " from " << row[1] << " on";
        ++runs;
    }
    EXPECT_GT(runs, 0);
}

INSTANTIATE_TEST_SUITE_P(Mufu, SpecialFunctions, testing::ValuesIn([] {
                             std::vector<std::string> names;
                             for (const auto& [name, function] : functions()) names.push_back(name);
                             return names;
                         }()),
                         [](const auto& test) { return test.param; });

} // namespace
