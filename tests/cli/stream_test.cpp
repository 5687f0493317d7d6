// stream: plans, and records through a worker that invents its figures (tests/gpu/fake_worker.py).
#include "program.h"

#include "measure/stream_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace {

using program::run;

std::vector<std::string> stream(std::initializer_list<std::string> more) {
    std::vector<std::string> arguments{"stream", "out_of_core"};
    arguments.insert(arguments.end(), more);
    return arguments;
}

TEST(Stream, APlanNeedsNoGpuAndSaysThatItIsOne) {
    // Slow copies: a tile of 4096 needs 4 * 45000 / 10 = 18000 to hide them.
    auto result = run(stream({"--plan", "-m", "16384", "-n", "16384", "-k", "16384", "-p", "TILE=4096", "--copy-gb-s",
                              "10", "--gflops", "45000"}));
    ASSERT_EQ(result.code, 0) << result.err;
    for (const char* part : {"Planned, not measured, at 10 GB/s and 45 TFLOPS",
                             "16 tiles of C, 4096 × 4096, each the sum of 16 products; 0.201 of at most 4 GB on",
                             "square tiles of 18000 or larger hide the copies"})
        EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
}

TEST(Stream, ThePlanAsJsonIsAWholeSchedule) {
    auto result = run(
        stream({"--plan", "--json", "-m", "5000", "-n", "3000", "-k", "2000", "-p", "TILE=2048", "-p", "DEPTH=512"}));
    ASSERT_EQ(result.code, 0) << result.err;
    auto record = measure::stream_record_from_json(result.out);
    ASSERT_TRUE(record) << record.error().sentence();
    EXPECT_FALSE(record->measured);
    EXPECT_EQ(record->shape, (catalog::StreamShape{2048, 2048, 512, 2, 4'000'000'000}));
    EXPECT_EQ(record->times.size(), 3u * 2 * (2 * 4 + 1));
    EXPECT_NEAR(nlohmann::json::parse(result.out)["compute_share"].get<double>() *
                    nlohmann::json::parse(result.out)["kernel_gflops"].get<double>(),
                nlohmann::json::parse(result.out)["gflops"].get<double>(), 1);
}

TEST(Stream, WhatWasMeasuredIsAppended) {
    const std::string file = (program::folder() / "stream.json").string();
    const std::string worker = "exec python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' good";
    for (int i = 1; i <= 2; ++i) {
        auto result = run(stream({"-m", "128", "-n", "64", "-k", "32", "-o", file, "--worker", worker}));
        ASSERT_EQ(result.code, 0) << result.err;
        EXPECT_NE(result.out.find("Measured here: Fake"), std::string::npos) << result.out;
        EXPECT_NE(result.out.find("the arithmetic is busy 60.0 % of that time"), std::string::npos) << result.out;
        EXPECT_NE(result.out.find("80.0 % of the speed with everything in the GPU's memory"), std::string::npos)
            << result.out;
        auto records = measure::read_stream_records(file);
        ASSERT_TRUE(records) << records.error().sentence();
        EXPECT_EQ(records->size(), static_cast<size_t>(i));
        EXPECT_EQ(records->back().command, "gemmscope stream out_of_core -m 128 -n 64 -k 32");
    }
}

TEST(Stream, MistakesAreSentences) {
    EXPECT_EQ(run({"stream", "naive", "--plan"}).code, 2);
    EXPECT_NE(run({"stream", "naive", "--plan"}).err.find("choose a kernel with a table [stream]"), std::string::npos);
    EXPECT_NE(run(stream({"--plan", "--gflops", "0"})).err.find("--gflops 0 is no speed"), std::string::npos);
    EXPECT_NE(run(stream({"--plan", "-p", "TILE=16384", "-p", "CAP_MB=1000"})).err.find("fit under the cap"),
              std::string::npos);
    EXPECT_EQ(run(stream({"--copy-gb-s", "10"})).code, 2) << "only a plan assumes a speed";
}

} // namespace
