#include "changed_view.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using session::View;

TEST(View, ReadsBackWhatItWrote) {
    const View view = changed::every_field();
    auto read = session::view_from_json(session::to_json(view));
    ASSERT_TRUE(read.ok()) << read.error().sentence();
    EXPECT_EQ(*read, view);
    EXPECT_EQ(*session::view_from_json(session::to_json(View{})), View{});
}

TEST(View, ReadsBackEachField) {
    for (const auto& [field, view] : changed::one_field()) {
        EXPECT_NE(view, View{}) << field;
        EXPECT_EQ(*session::view_from_json(session::to_json(view)), view) << field;
    }
}

TEST(View, ReadsBackTheLargestNumbers) {
    View view;
    view.subject.seed = 18446744073709551615u;
    view.selection.event = 4294967295u;
    view.map_y = 1e9f;
    EXPECT_EQ(*session::view_from_json(session::to_json(view)), view);
}

// The table says each enumerator's name once.
TEST(View, TabsHaveNamesOfTheirOwn) {
    const auto is_of_all = [](auto last) {
        const auto names = session::names_of(last);
        return static_cast<size_t>(last) + 1 == names.size() &&
               std::set<std::string>(names.begin(), names.end()).size() == names.size();
    };
    EXPECT_TRUE(is_of_all(session::MiddleTab::stream));
    EXPECT_TRUE(is_of_all(session::PlotTab::device));
    EXPECT_TRUE(is_of_all(session::CodeTab::machine));
    EXPECT_TRUE(is_of_all(session::BlockColours::multiprocessor));
    EXPECT_TRUE(is_of_all(session::Digits::hex));
}

TEST(View, LeavesHoverOut) {
    View view;
    view.hover.lane = 5;
    EXPECT_EQ(session::to_json(view), session::to_json(View{}));
}

TEST(View, KeepsDefaultsOfMissingFieldsAndIgnoresUnknownOnes) {
    auto view =
        session::view_from_json(R"({"projector": true, "from_the_future": {"a": [1]}, "selection": {"lane": 13}})");
    ASSERT_TRUE(view.ok());
    View expected;
    expected.projector = true;
    expected.selection.lane = 13;
    EXPECT_EQ(*view, expected);
}

TEST(View, AWrongScheduleIsNamed) {
    for (const char* wrong : {R"("sideways")", "7", R"("warp:99")"}) {
        auto view = session::view_from_json(std::string(R"({"subject": {"schedule": )") + wrong + "}}");
        ASSERT_FALSE(view.ok()) << wrong;
        EXPECT_NE(view.error().sentence().find("subject.schedule is"), std::string::npos) << view.error().sentence();
    }
}

TEST(View, WritesShortNumbers) {
    const auto json = nlohmann::json::parse(session::to_json(View{}));
    EXPECT_EQ(json["layout"]["left"].dump(), "0.16");
}

struct Damage {
    const char* json;
    const char* field; // that the error names
};
class DamagedView : public testing::TestWithParam<Damage> {};

TEST_P(DamagedView, NamesTheField) {
    auto view = session::view_from_json(GetParam().json);
    ASSERT_FALSE(view.ok());
    EXPECT_TRUE(view.error().what.english().starts_with(std::string(GetParam().field) + " is"))
        << view.error().what.english();
    EXPECT_EQ(view.error().what.english().find('\n'), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(
    Session, DamagedView,
    testing::Values(
        Damage{"", "the state"}, Damage{"{", "the state"}, Damage{"[]", "the state"}, Damage{"7", "the state"},
        Damage{R"({"subject": 3})", "subject"}, Damage{R"({"subject": {"kernel": null}})", "subject.kernel"},
        Damage{R"({"subject": {"m": 0}})", "subject.m"}, Damage{R"({"subject": {"m": -1}})", "subject.m"},
        Damage{R"({"subject": {"k": 2147483648}})", "subject.k"}, Damage{R"({"subject": {"n": 1.5}})", "subject.n"},
        Damage{R"({"subject": {"parameters": {"BM": "x"}}})", "subject.parameters.BM"},
        Damage{R"({"subject": {"parameters": {"BM": 18446744073709551615}}})", "subject.parameters.BM"},
        Damage{R"({"subject": {"parameters": []}})", "subject.parameters"},
        Damage{R"({"subject": {"alpha": 1e300}})", "subject.alpha"},
        Damage{R"({"subject": {"seed": -1}})", "subject.seed"},
        Damage{R"({"selection": {"block": [1, 2]}})", "selection.block"},
        Damage{R"({"selection": {"block": [1, 2, -3]}})", "selection.block"},
        Damage{R"({"selection": {"lane": 32}})", "selection.lane"},
        Damage{R"({"selection": {"warp": 99}})", "selection.warp"}, Damage{R"({"baseline": "naive"})", "baseline"},
        Damage{R"({"baseline": {"arch": 90}})", "baseline.arch"}, Damage{R"({"language": "fr"})", "language"},
        Damage{R"({"theme": 1})", "theme"}, Damage{R"({"middle_tab": "bank"})", "middle_tab"},
        Damage{R"({"playing": 1})", "playing"}, Damage{R"({"layout": {"left": 2}})", "layout.left"},
        Damage{R"({"layout": {"plot": "yes"}})", "layout.plot"}, Damage{R"({"speed_n": 0})", "speed_n"},
        Damage{R"({"map_zoom": 0})", "map_zoom"}, Damage{R"({"events_per_second": null})", "events_per_second"}));

} // namespace
