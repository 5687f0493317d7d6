#include "session/series.h"

#include "base/file.h"
#include "fixture.h"

namespace {

TEST(Profiles, WhatComesWithTheProgramIsOfSettingsThatItsKernelsHave) {
    const auto files = session::read_profiles(SOURCE_DIR "/assets");
    for (const auto& problem : files.problems) ADD_FAILURE() << problem.sentence();
    EXPECT_GE(files.profiles.size(), 12u);
    for (const measure::Profile& profile : files.profiles) {
        const auto kernel = fixture::kernels().find(profile.kernel);
        ASSERT_TRUE(kernel) << profile.kernel;
        const auto values = catalog::with(*kernel, profile.parameters);
        ASSERT_TRUE(values) << values.error().sentence();
        EXPECT_EQ(*values, profile.parameters) << "every parameter is named";
        EXPECT_LE(profile.l1_hit_percent, 100);
    }
}

TEST(Profiles, ADamagedFileIsAProblemAndTheOthersAreThere) {
    const fixture::Folder assets;
    const auto folder = assets.path / "recorded/profiles";
    const auto good = base::read_file(SOURCE_DIR "/assets/recorded/profiles/h200.json");
    ASSERT_TRUE(good);
    ASSERT_TRUE(base::write_file(folder / "a.json", "{}\n"));
    ASSERT_TRUE(base::write_file(folder / "b.json", *good));
    const auto files = session::read_profiles(assets.path);
    ASSERT_EQ(files.problems.size(), 1u);
    EXPECT_NE(files.problems[0].sentence().find("a.json:1"), std::string::npos);
    EXPECT_EQ(files.profiles.size(), 12u);
    EXPECT_EQ(files.profiles[0].file, "b.json");
}

} // namespace
