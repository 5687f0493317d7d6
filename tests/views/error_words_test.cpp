// What is said of how far a prediction may be off.
#include "views/error_words.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace {

using session::ExpectedError;

measure::Accuracy accuracy(double median, double p90) { return {20, median, p90, p90, 0, 0, 0, {}, 0}; }

TEST(ErrorWords, SayWhetherItIsValidatedAndHowFarOffItMayBe) {
    auto loaded = views::Strings::load(std::filesystem::path(SOURCE_DIR) / "assets" / "i18n");
    ASSERT_TRUE(loaded);
    const views::Strings& tr = *loaded;
    const ExpectedError good{accuracy(0.049, 0.12), {}, {}}, unknown{{}, {}, base::say("no GPU has what is asked for")},
        poor{accuracy(0.69, 0.937),
             {},
             base::say("more than one in ten of its judged predictions is off by over {} %", 25)};

    EXPECT_EQ(views::error_text(tr, good), "median error 4.9 %, 90 % within 12.0 %");
    EXPECT_EQ(views::predicted_kind(tr, good), "predicted");
    EXPECT_EQ(views::error_text(tr, poor), "unreliable: median error 69.0 %, 90 % within 93.7 %");
    EXPECT_EQ(views::predicted_kind(tr, poor), "predicted, unreliable") << "judged, and found to be far off";
    EXPECT_EQ(views::error_text(tr, unknown), "not validated: no GPU has what is asked for");
    EXPECT_EQ(views::predicted_kind(tr, unknown), "predicted, not validated");
    EXPECT_EQ(views::launch_error_text(tr, good),
              "Judged are times of whole launches: median error 4.9 %, 90 % within 12.0 %.");

    loaded->use(session::Language::zh);
    for (const ExpectedError& error : {good, poor, unknown}) {
        views::predicted_kind(tr, error), views::launch_error_text(tr, error);
        tr(error.not_validated);
    }
    EXPECT_EQ(tr.missing(), std::set<std::string>());
}

} // namespace
