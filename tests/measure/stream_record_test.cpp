#include "measure/stream_record.h"

#include "base/file.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace {

measure::StreamRecord record() {
    measure::StreamRecord r;
    r.kernel = "out_of_core";
    r.parameters = {{"TILE", 128}};
    r.problem = {300, 200, 100};
    r.shape = {128, 128, 64, 2, 1'000'000};
    r.with_c = true;
    r.measured = true;
    r.in_core_ms = 1.25;
    r.max_rel_error = 3e-7;
    r.device = "GPU", r.driver = "1.2", r.cuda = "13.0", r.date = "2026-01-01", r.command = "gemmscope stream";
    const auto plan = r.plan();
    EXPECT_TRUE(plan);
    for (size_t i = 0; i < plan->operations.size(); ++i)
        r.times.push_back({static_cast<double>(i), static_cast<double>(i) + 0.5});
    return r;
}

std::string error_of(const std::string& json) {
    auto read = measure::stream_record_from_json(json);
    return read ? "no error" : read.error().sentence();
}

std::string with(std::string json, const std::string& from, const std::string& to) {
    const size_t at = json.find(from);
    EXPECT_NE(at, json.npos) << from;
    return json.replace(at, from.size(), to);
}

TEST(StreamRecord, GoesThroughJson) {
    for (const bool measured : {true, false}) {
        measure::StreamRecord r = record();
        r.measured = measured;
        if (!measured) r.assumed = {55, 45000}, r.in_core_ms = 0, r.max_rel_error = 0;
        auto read = measure::stream_record_from_json(measure::to_json(r));
        ASSERT_TRUE(read) << read.error().sentence();
        if (!measured) read->max_rel_error = 0; // null: a plan has no C
        EXPECT_EQ(*read, r);
    }
}

TEST(StreamRecord, WhatFollowsFromTheTimesStandsInTheFileToo) {
    const std::string json = measure::to_json(record());
    // 6 tiles: each of 1 + 2 * 2 + 1 operations, a half millisecond each.
    EXPECT_NE(json.find("\"total_ms\":35.5"), json.npos) << json;
    EXPECT_NE(json.find("\"gflops\":0.338028"), json.npos) << json; // 2 * 300 * 200 * 100 in 35.5 ms
    EXPECT_NE(json.find("\"ratio\":0.0352113"), json.npos) << json; // 1.25 / 35.5
}

TEST(StreamRecord, DamageIsNamed) {
    const std::string json = measure::to_json(record());
    EXPECT_NE(error_of(with(json, "\"buffers\":2", "\"buffers\":0")).find("shape.buffers"), std::string::npos);
    EXPECT_NE(error_of(with(json, "\"operands\":\"f32\"", "\"operands\":\"tea\"")).find("operands is no type"),
              std::string::npos);
    EXPECT_EQ(error_of(with(json, "\"start_us\":[0,", "\"start_us\":[")),
              "start_us and end_us are not of the same operations");
    EXPECT_EQ(error_of(with(json, "\"end_us\":[500,", "\"end_us\":[500,2,")),
              "start_us and end_us are not of the same operations");
    EXPECT_EQ(error_of(with(json, "\"start_us\":[0,", "\"start_us\":[501,")), "an operation ends before it starts");
    EXPECT_EQ(error_of(with(json, "\"depth\":64", "\"depth\":32")),
              "there are 36 times for the 60 operations of the plan");
    EXPECT_NE(error_of(with(json, "\"cap_bytes\":1000000", "\"cap_bytes\":1000")).find("more than the cap"),
              std::string::npos);
}

TEST(StreamRecord, AFileHoldsSeveralAndItsErrorsNameTheLine) {
    const auto path = std::filesystem::path(testing::TempDir()) / "streams.json";
    const std::string line = measure::to_json(record()) + "\n";
    ASSERT_TRUE(base::write_file(path, line + line));
    auto read = measure::read_stream_records(path);
    ASSERT_TRUE(read) << read.error().sentence();
    ASSERT_EQ(read->size(), 2u);
    EXPECT_EQ(read->front().file, "streams.json");
    ASSERT_TRUE(base::write_file(path, line + "{}\n"));
    read = measure::read_stream_records(path);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().where, path.string() + ":2");
}

} // namespace
