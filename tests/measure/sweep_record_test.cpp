#include "measure/sweep_record.h"

#include "base/cpu_time.h"
#include "base/file.h"
#include "catalog/code_hash.h"
#include "measure/sweep_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using catalog::Problem;

catalog::Kernel kernel(const std::string& code = "") {
    catalog::Kernel k;
    k.id = k.function = "tiles";
    k.source = "__global__ void tiles() {" + code + "}";
    for (const char* name : {"BM", "BK"}) {
        catalog::Parameter p;
        p.name = name;
        p.values = {4, 8, 16};
        p.initial = 8;
        k.parameters.push_back(p);
    }
    return k;
}

const measure::SweepSource lab1{
    "lab1", 0, "580", "13.0", "13.0.2: cublasSgemm", 1980, "2026-11-23", "gemmscope sweep tiles"};

measure::SweepPoint measured(int edge, double ms, double cublas_ms = 1) {
    measure::SweepPoint p;
    p.problem = {edge, edge, edge};
    p.ms = ms;
    p.cublas_ms = cublas_ms;
    p.samples = 7;
    p.spread = 0.004;
    return p;
}
measure::SweepPoint failed(int edge, const std::string& reason) {
    measure::SweepPoint p;
    p.problem = {edge, edge, edge};
    p.reason = reason;
    return p;
}

std::shared_ptr<const measure::SweepRecord> parsed(const std::string& text) {
    auto record = measure::SweepRecord::parse(text, "tiles.txt");
    EXPECT_TRUE(record) << record.error().sentence();
    return record ? *record : nullptr;
}

std::string wrong(const std::string& text) {
    auto record = measure::SweepRecord::parse(text, "tiles.txt");
    return record ? "nothing is wrong" : record.error().sentence();
}

const std::string header = measure::header_of(kernel(), "NVIDIA H200"), head = header + measure::line_of(lab1, 1);

TEST(SweepRecord, FindsASettingAndTheBest) {
    const auto record = parsed(head + "8 8 1024 2 1 7 0.004 1\n4 8 1024 4 1 7 0.004 1\n16 8 1024 1 0.9 7 0.004 1\n"
                                      "8 4 1024 - - 0 - 1 too many threads\n8 8 2048x1024x64 3 - 7 0.004 1\n");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->device(), "NVIDIA H200");
    EXPECT_EQ(record->sources(), std::vector{lab1});
    const Problem cube{1024, 1024, 1024}, flat{2048, 1024, 64};
    EXPECT_EQ(record->sizes(), (std::vector{flat, cube}));
    const measure::SweepPoint* here = record->find({{"BM", 8}, {"BK", 8}}, cube);
    ASSERT_TRUE(here);
    EXPECT_EQ(here->ms, 2);
    EXPECT_NEAR(here->gflops, 2e-6 * 1024 * 1024 * 1024 / 2, 1e-9);
    EXPECT_EQ(here->ratio(), 0.5);
    EXPECT_EQ(record->setting(*here), (catalog::Values{{"BM", 8}, {"BK", 8}}));
    EXPECT_FALSE(record->find({{"BM", 8}, {"BK", 16}}, cube));
    EXPECT_FALSE(record->find({{"BM", 8}}, cube));
    EXPECT_FALSE(record->find({{"BM", 8}, {"BK", 8}}, {512, 512, 512}));
    EXPECT_EQ(record->setting(*record->best(cube)), (catalog::Values{{"BM", 16}, {"BK", 8}}));
    EXPECT_EQ(record->best(flat)->ratio(), 0); // there was no cuBLAS
    EXPECT_FALSE(record->best({512, 512, 512}));
    EXPECT_EQ(record->find({{"BM", 8}, {"BK", 4}}, cube)->reason, "too many threads");
}

TEST(SweepRecord, IsOfTheCodeThatWasMeasured) {
    const auto record = parsed(head);
    EXPECT_TRUE(record->is_of(kernel()));
    EXPECT_TRUE(record->is_of(kernel(" /* nothing new */ ")));
    EXPECT_FALSE(record->is_of(kernel("__syncthreads();")));
}

TEST(SweepRecord, OfAPointThatComesTwiceTheLaterCounts) {
    const auto record =
        parsed(head + "8 8 1024 2 1 7 0 1\n4 8 1024 - - 0 - 1 no\n8 8 1024 3 1 7 0 1\n16 8 1024 4 1 7 0 1\n");
    ASSERT_EQ(record->points().size(), 3u);
    EXPECT_EQ(record->find({{"BM", 8}, {"BK", 8}}, {1024, 1024, 1024})->ms, 3);
    EXPECT_EQ(record->find({{"BM", 16}, {"BK", 8}}, {1024, 1024, 1024})->ms, 4);
}

TEST(SweepRecord, WhatIsWrittenIsReadAndSorted) {
    const std::string text =
        head +
        "16 8 1024 2 1 7 0.004 1\n4 8 2048 4 1 7 0.004 1\n4 8 1024 - - 0 - 1 needs 300 KB\n4 16 64x32x16 0.5 - 3 0.02 1\n";
    const std::string sorted = measure::text_of(*parsed(text));
    EXPECT_EQ(
        sorted,
        head +
            "4 8 1024 - - 0 - 1 needs 300 KB\n4 8 2048 4 1 7 0.004 1\n4 16 64x32x16 0.5 - 3 0.02 1\n16 8 1024 2 1 7 0.004 1\n");
    EXPECT_EQ(measure::text_of(*parsed(sorted)), sorted);
}

TEST(SweepRecord, HalfALastLineIsNotThere) {
    EXPECT_EQ(parsed(head + "8 8 1024 2 1 7 0.004 1\n8 4 10")->points().size(), 1u);
}

TEST(SweepRecord, HostileFilesAreASentence) {
    EXPECT_EQ(wrong(""), "tiles.txt:1: it does not begin with \"gemmscope sweep 1\"; give the file of a sweep");
    EXPECT_NE(wrong("gemmscope sweep 1\nkernel: x\n").find("tiles.txt:3: \"code:\" is expected here"),
              std::string::npos);
    EXPECT_NE(wrong(head + "8 8 1024 2 1 7 0 2\n").find("tiles.txt:9: there is no \"by 2\""), std::string::npos)
        << wrong(head + "8 8 1024 2 1 7 0 2\n");
    for (const std::string& line : std::vector<std::string>{"8 8",
                                                            "8 8 1024",
                                                            "8 8 0 2 1 7 0 1",
                                                            "8 8 -1 2 1 7 0 1",
                                                            "8 8 1024x 2 1 7 0 1",
                                                            "8 8 1x2 2 1 7 0 1",
                                                            "8 8 1x2x3x4 2 1 7 0 1",
                                                            "8 8 9999999999 2 1 7 0 1",
                                                            "8 8 1024 nan 1 7 0 1",
                                                            "8 8 1024 inf 1 7 0 1",
                                                            "8 8 1024 -2 1 7 0 1",
                                                            "8 8 1024 2 1e999 7 0 1",
                                                            "8 8 1024 2 1 7 0 1 reason",
                                                            "8 8 1024 - - 0 - 1",
                                                            "8 8 1024 - - 0 - 1 ",
                                                            "8 8 1024 2 1 7 0 99999999999999999999",
                                                            "8 x 1024 2 1 7 0 1",
                                                            "by 3: {}",
                                                            "by 2: {}",
                                                            "by 2: {\"host\":1}",
                                                            "by 2",
                                                            "by 2: [[[[[["}) {
        SCOPED_TRACE(line);
        EXPECT_NE(wrong(head + line + "\n").find("tiles.txt:9: "), std::string::npos) << wrong(head + line + "\n");
    }
    const std::string fixed = "size ms cublas_ms samples spread by\n";
    const std::string before = header.substr(0, header.find("BM BK"));
    for (const std::string& columns :
         std::vector<std::string>{"BM BM " + fixed, "BM  " + fixed, "B-M " + fixed, std::string("BM BK\n"),
                                  std::string(5000, 'x') + " " + fixed})
        EXPECT_NE(wrong(before + columns).find("tiles.txt:7: "), std::string::npos) << wrong(before + columns);
    EXPECT_NE(wrong(head + "8 8 1024 - - 0 - 1 " + std::string(5000, 'x') + "\n").find("too long"), std::string::npos);
    EXPECT_NE(wrong(head + "by 2: " + std::string(3000, '[') + "\n").find("tiles.txt:9: "), std::string::npos);
}

// Sizes that a quadratic reader would take minutes for.
TEST(SweepRecord, LargeHostileFilesAreRefusedSoon) {
    const double start = base::thread_cpu_s();
    std::string sizes = head, values = head, points = head;
    for (int i = 1; i <= 300; ++i) sizes += fmt::format("8 8 {} 1 1 7 0 1\n", i);
    EXPECT_NE(wrong(sizes).find("too many sizes"), std::string::npos);
    for (int i = 0; i < 900'000; ++i) values += fmt::format("{} 8 64 1 1 7 0 1\n", i * 7);
    EXPECT_NE(wrong(values).find("too many values"), std::string::npos);
    for (int i = 0; i < 1'000'001; ++i) points += "8 8 64 1 1 7 0 1\n";
    EXPECT_NE(wrong(points).find("too many points"), std::string::npos);
    EXPECT_LT(base::thread_cpu_s() - start, 60);
}

class SweepLog : public testing::Test {
protected:
    const fs::path folder_ = fs::path(testing::TempDir()) / ("sweep_" + std::to_string(::getpid()));
    const fs::path file_ = measure::sweep_path(folder_, "NVIDIA H200", "tiles");
    ~SweepLog() override { fs::remove_all(folder_); }

    base::Result<measure::SweepLog> open(const catalog::Kernel& of = kernel()) const {
        return measure::SweepLog::open(file_, of, "NVIDIA H200");
    }
    std::string text() const { return *base::read_file(file_); }
};

TEST_F(SweepLog, NamesFilesAfterDeviceAndKernel) {
    EXPECT_EQ(file_, folder_ / "h200" / "tiles.txt");
    EXPECT_EQ(measure::sweep_path("f", "NVIDIA GeForce RTX 4090", "k"), fs::path("f") / "geforce_rtx_4090" / "k.txt");
    EXPECT_EQ(measure::sweep_path("f", "../..", "k"), fs::path("f") / "_____" / "k.txt");
}

TEST_F(SweepLog, GrowsIsContinuedAndSorted) {
    {
        auto log = open();
        ASSERT_TRUE(log) << log.error().sentence();
        ASSERT_TRUE(log->append({{"BM", 16}, {"BK", 8}}, measured(1024, 2), lab1));
        ASSERT_TRUE(log->append({{"BM", 4}, {"BK", 8}}, failed(1024, "two\nlines"), lab1));
    } // killed
    ASSERT_TRUE(base::write_file(file_, text() + "8 8 10"));
    measure::SweepSource lab2 = lab1;
    lab2.host = "lab2";
    auto log = open();
    ASSERT_TRUE(log) << log.error().sentence();
    EXPECT_EQ(log->known().points().size(), 2u);
    ASSERT_TRUE(log->append({{"BM", 4}, {"BK", 4}}, measured(1024, 3), lab2));
    ASSERT_TRUE(log->append({{"BM", 8}, {"BK", 4}}, measured(1024, 4), lab1));
    ASSERT_TRUE(log->sync());
    ASSERT_TRUE(log->finish());
    EXPECT_EQ(
        text(),
        head + measure::line_of(lab2, 2) +
            "4 4 1024 3 1 7 0.004 2\n4 8 1024 - - 0 - 1 two lines\n8 4 1024 4 1 7 0.004 1\n16 8 1024 2 1 7 0.004 1\n");
}

TEST_F(SweepLog, OnlyOneSweepsIntoAFile) {
    auto log = open();
    ASSERT_TRUE(log);
    auto second = open();
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().sentence().find("another gemmscope is sweeping into this file"), std::string::npos);
}

TEST_F(SweepLog, ARecordOfOlderCodeIsMovedAside) {
    ASSERT_TRUE(open()->append({{"BM", 16}, {"BK", 8}}, measured(1024, 2), lab1));
    const std::string older = text();
    {
        auto log = open(kernel("__syncthreads();"));
        ASSERT_TRUE(log) << log.error().sentence();
        EXPECT_TRUE(log->known().points().empty());
        ASSERT_TRUE(log->append({{"BM", 4}, {"BK", 8}}, measured(1024, 2), lab1));
        EXPECT_EQ(*base::read_file(log->moved()), older);
        EXPECT_EQ(log->moved(), file_.parent_path() / ("tiles." + catalog::code_hash(kernel()).substr(0, 8) + ".txt"));
    }
    EXPECT_EQ(parsed(text())->points().size(), 1u);
}

TEST_F(SweepLog, WhatIsNoRecordIsLeftAlone) {
    ASSERT_TRUE(base::write_file(file_, "my thesis"));
    auto log = open();
    ASSERT_FALSE(log);
    EXPECT_NE(log.error().sentence().find("tiles.txt:1: it does not begin with"), std::string::npos)
        << log.error().sentence();
    EXPECT_EQ(text(), "my thesis");
    auto other = measure::SweepLog::open("/dev/null", kernel(), "NVIDIA H200");
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().sentence().find("not a regular file"), std::string::npos) << other.error().sentence();
}

} // namespace
