#include "session/series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

// What was recorded with LEVELS = 0 is no Strassen: it is compared with, but is not the kernel's speed.
TEST(SeriesFiles, ARecordOfAnotherVariantIsAmongTheSettingsOnly) {
    const std::filesystem::path root = SOURCE_DIR;
    const auto catalog = catalog::load({root / "kernels"});
    const auto files = session::read_series(root / "assets", catalog);
    EXPECT_TRUE(files.problems.empty());
    const auto strassen = std::find_if(files.series.begin(), files.series.end(), [](const measure::Series& series) {
        return series.kernel == "strassen" && series.origin == measure::Origin::recorded;
    });
    ASSERT_NE(strassen, files.series.end());
    EXPECT_FALSE(strassen->samples.empty());
    for (const measure::Sample& sample : strassen->samples) EXPECT_EQ(sample.parameters.at("LEVELS"), 1);
    std::set<int> levels;
    for (const measure::Sample& sample : strassen->settings) levels.insert(sample.parameters.at("LEVELS"));
    EXPECT_EQ(levels, (std::set{0, 1, 2}));
}

} // namespace
