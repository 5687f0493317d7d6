#include "measure/profile.h"

#include "base/file.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace {

const std::string line =
    R"({"kernel":"row_per_block","parameters":{"THREADS":32},"m":1024,"n":512,"k":256,"l1_hit_percent":88.92,)"
    R"("l2_hit_percent":103.32,"dram_read_bytes":9604418816,"time_ms":1.023424,"device":"GPU","driver":"1.2",)"
    R"("cuda":"13.0","tool":"Profiler 1","date":"2026-01-02","command":"profile"})";

std::string with(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& json) {
    const auto read = measure::profile_from_json(json);
    return read ? "no error" : read.error().sentence();
}

TEST(Profile, IsReadAsItWasWritten) {
    const auto read = measure::profile_from_json(line);
    ASSERT_TRUE(read) << read.error().sentence();
    EXPECT_EQ(read->kernel, "row_per_block");
    EXPECT_EQ(read->parameters, (catalog::Values{{"THREADS", 32}}));
    EXPECT_EQ(read->problem, (catalog::Problem{1024, 512, 256}));
    EXPECT_EQ(read->l1_hit_percent, 88.92);
    EXPECT_EQ(read->l2_hit_percent, 103.32) << "above 100, as the profiler printed it";
    EXPECT_EQ(read->dram_read_bytes, 9604418816.0);
    EXPECT_EQ(read->time_ms, 1.023424);
    EXPECT_EQ(read->device + read->driver + read->cuda + read->tool + read->date + read->command,
              "GPU1.213.0Profiler 12026-01-02profile");
}

TEST(Profile, DamageIsNamed) {
    EXPECT_NE(error_of(with(line, "\"k\":256", "\"k\":0")).find("k "), std::string::npos);
    EXPECT_NE(error_of(with(line, "88.92", "-1")).find("l1_hit_percent is below 0"), std::string::npos);
    EXPECT_NE(error_of(with(line, "103.32", "\"many\"")).find("l2_hit_percent"), std::string::npos);
    EXPECT_NE(error_of(with(line, "\"time_ms\":1.023424,", "")).find("time_ms"), std::string::npos);
}

TEST(Profile, AFileHoldsSeveralAndItsErrorsNameTheLine) {
    const auto path = std::filesystem::path(testing::TempDir()) / ("profiles_" + std::to_string(::getpid()) + ".json");
    ASSERT_TRUE(base::write_file(path, line + "\n" + line + "\n"));
    const auto read = measure::read_profiles(path);
    ASSERT_TRUE(read) << read.error().sentence();
    ASSERT_EQ(read->size(), 2u);
    EXPECT_EQ(read->back().file, path.filename());
    ASSERT_TRUE(base::write_file(path, line + "\n{}\n"));
    const auto damaged = measure::read_profiles(path);
    ASSERT_FALSE(damaged);
    EXPECT_NE(damaged.error().sentence().find(path.string() + ":2"), std::string::npos);
    std::filesystem::remove(path);
}

} // namespace
