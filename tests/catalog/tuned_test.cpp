#include "catalog/tuned.h"

#include "base/cpu_time.h"
#include "base/file.h"
#include "catalog/catalog.h"
#include "sample.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace {
namespace fs = std::filesystem;

catalog::Tuned tuned(const std::string& device, int edge, int bm) {
    catalog::Tuned t;
    t.problem = {edge, edge, edge};
    t.values = {{"BM", bm}, {"TM", 8}, {"PAD", 1}};
    t.gflops = 1234.5;
    t.ratio = 1.0625;
    t.device = device;
    t.arch = "sm_90";
    t.sm_clock_mhz = 1980;
    t.driver = "580.159.04";
    t.cuda = "13.0";
    t.date = "2026-11-20";
    t.command = "gemmscope tune sample --sizes \"quoted\"";
    return t;
}

class TunedFile : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(base::write_file(kernel_file_, sample));
        auto parsed = catalog::parse(sample, kernel_file_);
        ASSERT_TRUE(parsed) << parsed.error().sentence();
        kernel_ = std::make_unique<catalog::Kernel>(std::move(*parsed));
    }
    void TearDown() override { fs::remove_all(folder_); }

    const fs::path folder_ = fs::temp_directory_path() / ("gemmscope_tuned_test." + std::to_string(::getpid()));
    const fs::path kernel_file_ = folder_ / "sample.cu", file_ = folder_ / "sample.tuned.toml";
    std::unique_ptr<catalog::Kernel> kernel_;
};

TEST_F(TunedFile, LiesBesideTheKernelAndReturnsWhatWasKept) {
    EXPECT_EQ(catalog::tuned_files(kernel_file_), std::vector{file_});
    EXPECT_TRUE(catalog::read_tuned(file_, *kernel_)->empty()) << "no file";
    const auto large = tuned("H", 4096, 64), small = tuned("H", 256, 32), other = tuned("G", 4096, 16);
    for (const auto& one : {large, small, other}) ASSERT_TRUE(catalog::keep_tuned(file_, *kernel_, one));
    EXPECT_EQ(*catalog::read_tuned(file_, *kernel_), (std::vector{other, small, large}));
    ASSERT_TRUE(catalog::keep_tuned(file_, *kernel_, tuned("H", 4096, 128))); // the same size and device
    EXPECT_EQ(catalog::read_tuned(file_, *kernel_)->at(2).values.at("BM"), 128);
    auto loaded = catalog::load({folder_});
    EXPECT_TRUE(loaded.problems.empty());
    EXPECT_EQ(loaded.find("sample")->tuned.size(), 3u);
}

TEST_F(TunedFile, TwoThatTuneAtOnceLoseNothing) {
    constexpr int each = 40;
    const auto keep = [&](const char* device) {
        bool kept = true;
        for (int i = 1; i <= each; ++i) kept &= catalog::keep_tuned(file_, *kernel_, tuned(device, i, 64)).ok();
        return kept;
    };
    const pid_t child = ::fork();
    if (child == 0) ::_exit(keep("G") ? 0 : 1);
    EXPECT_TRUE(keep("H"));
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(catalog::read_tuned(file_, *kernel_)->size(), size_t{2 * each});
}

TEST_F(TunedFile, DamageNamesTheLineAndLeavesTheKernel) {
    ASSERT_TRUE(catalog::keep_tuned(file_, *kernel_, tuned("H", 256, 64)));
    const std::string good = *base::read_file(file_);
    auto damaged = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        EXPECT_TRUE(base::write_file(file_, text));
        auto read = catalog::read_tuned(file_, *kernel_);
        EXPECT_FALSE(read) << text;
        return read ? std::string() : read.error().sentence();
    };
    EXPECT_NE(damaged("BM = 64", "BM = 48, TM = 8").find("sample.tuned.toml:"), std::string::npos);
    EXPECT_NE(damaged("BM = 64", "BN = 64").find("no parameter BN"), std::string::npos);
    EXPECT_NE(damaged("TM = 8", "TM = 1").find("At most 16 threads"), std::string::npos) << "a rule that came later";
    EXPECT_NE(damaged("gflops", "gflopz").find("\"gflops\" is missing"), std::string::npos);
    EXPECT_NE(damaged("m = 256", "m = 6e32").find("\"m\" is missing or of another type"), std::string::npos);
    EXPECT_NE(damaged("m = 256", "m = 4444444444446").find("\"m\" is missing"), std::string::npos);
    EXPECT_NE(damaged("BM = 64", "BM = 6e32").find("BM"), std::string::npos);
    EXPECT_NE(damaged("[[best]]", "[best]").find("[[best]]"), std::string::npos);
    auto loaded = catalog::load({folder_});
    ASSERT_EQ(loaded.problems.size(), 1u);
    EXPECT_TRUE(loaded.find("sample"));
}

TEST_F(TunedFile, TheNearestSizeOfTheDeviceIsTaken) {
    kernel_->tuned = {tuned("H", 256, 16), tuned("H", 4096, 32), tuned("G", 1024, 64)};
    auto bm = [&](const char* device, const char* arch, catalog::Problem p) {
        auto* found = catalog::nearest_tuned(*kernel_, device, arch, p);
        return found ? found->values.at("BM") : 0;
    };
    EXPECT_EQ(bm("H", "sm_90", {256, 256, 256}), 16);
    EXPECT_EQ(bm("H", "sm_90", {1000, 1000, 1000}),
              16); // just below the middle of 256 and 4096, which is 1024
    EXPECT_EQ(bm("H", "sm_90", {1100, 1100, 1100}), 32);
    EXPECT_EQ(bm("G", "sm_90", {256, 256, 256}), 64);      // its own, though another's is nearer
    EXPECT_EQ(bm("new", "sm_90", {1024, 1024, 1024}), 64); // of the architecture
    EXPECT_EQ(bm("", "sm_90", {256, 256, 256}), 16);
    EXPECT_EQ(bm("new", "sm_80", {256, 256, 256}), 0);
}

TEST_F(TunedFile, OnlyAKernelThatSaysSoStartsTuned) {
    kernel_->tuned = {tuned("H", 256, 16)};
    EXPECT_EQ(catalog::default_values(*kernel_, "H", "sm_90", {}), catalog::initial_values(*kernel_));
    std::string text = sample;
    text.insert(text.find("family"), "tuned = true\n");
    auto says_so = catalog::parse(text, kernel_file_);
    ASSERT_TRUE(says_so) << says_so.error().sentence();
    EXPECT_EQ(catalog::default_values(*says_so, "H", "sm_90", {}), catalog::initial_values(*says_so))
        << "nothing was tuned";
    says_so->tuned = kernel_->tuned;
    EXPECT_EQ(catalog::default_values(*says_so, "H", "sm_90", {}).at("BM"), 16);
    text.replace(text.find("true"), 4, "\"yes\"");
    auto wrong = catalog::parse(text, kernel_file_);
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().sentence().find("true or false"), std::string::npos);
}

TEST_F(TunedFile, LegalSettingsAreThoseThatNoRuleForbids) {
    auto all = catalog::legal_settings(*kernel_, 100);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->size(), 20u); // BM / TM <= 16 leaves 16: 1-8, 32: 2-8, 64: 4-8, 128: 8, each with two PAD
    for (const auto& values : *all) EXPECT_TRUE(catalog::broken_rules(*kernel_, values).empty());
    EXPECT_FALSE(catalog::legal_settings(*kernel_, 19));
}

// A rule over all parameters is decided by the last, when there is nothing left to turn back from.
TEST(LegalSettings, OfAHopelessSpaceAreGivenUp) {
    catalog::Kernel kernel;
    kernel.id = "hopeless";
    std::string sum = "0";
    for (char name = 'a'; name < 'i'; ++name) {
        catalog::Parameter& parameter = kernel.parameters.emplace_back();
        parameter.name = std::string(1, name);
        for (int value = 1; value <= 100; ++value) parameter.values.push_back(value);
        sum += std::string(" + ") + name;
    }
    kernel.rules = {{sum + " == 1000000", {"hopeless", ""}}};
    const double start = base::thread_cpu_s();
    const auto settings = catalog::legal_settings(kernel, 1'000'000);
    ASSERT_FALSE(settings);
    EXPECT_NE(settings.error().sentence().find("more settings than can be gone through"), std::string::npos);
    EXPECT_LT(base::thread_cpu_s() - start, 60); // all would take centuries
}

} // namespace
