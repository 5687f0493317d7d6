#include "base/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

std::string nested(int levels, char open = '[', char close = ']') {
    return std::string(static_cast<size_t>(levels), open) + std::string(static_cast<size_t>(levels), close);
}

std::string refusal(std::string_view text) {
    auto value = base::parse_json(text);
    return value ? "" : value.error().what.english();
}

TEST(Json, IsParsed) {
    auto value = base::parse_json(R"({"a":[1,2.5,"[[[[[[[[[[[[[[[[[[[[\"{{{{{{{{{{{{{{{{{{{{"]})");
    ASSERT_TRUE(value) << value.error().what.english();
    EXPECT_EQ(value->at("a").size(), 3u);
    for (const char* broken : {"", "{", "[1,]", "{\"a\":1}}", "]]]]", "[1] [2]", "\"\\\"", "nul"})
        EXPECT_EQ(refusal(broken), "not JSON") << broken;
}

TEST(Json, DepthIsBounded) {
    EXPECT_TRUE(base::parse_json(nested(base::deepest_json)));
    EXPECT_EQ(refusal(nested(base::deepest_json + 1)), "JSON of more than 16 levels");
    EXPECT_EQ(refusal(std::string(1 << 20, '[')), "JSON of more than 16 levels"); // as deep as it is long
    std::string objects;
    for (int i = 0; i < 1 << 18; ++i) objects += "{\"a\":";
    EXPECT_EQ(refusal(objects), "JSON of more than 16 levels");
    std::string siblings = "[[[]]";
    for (int i = 0; i < 100; ++i) siblings += ",[[]]";
    EXPECT_TRUE(base::parse_json(siblings + "]")) << "many, none of them deep";
}

TEST(Json, ValuesAreBounded) {
    std::string many = "[0";
    for (size_t i = 0; i < base::most_json_values; ++i) many += ",0";
    EXPECT_EQ(refusal(many + "]"), "JSON of more than 4194304 values");
    EXPECT_TRUE(base::parse_json('"' + std::string(base::most_json_values, ',') + '"')) << "a long text is one value";
}

} // namespace
