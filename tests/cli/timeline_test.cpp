// timeline through a worker that invents its figures (tests/gpu/fake_worker.py).
#include "program.h"

#include "measure/block_timeline.h"

#include <gtest/gtest.h>

namespace {

using program::run;

std::vector<std::string> timeline(const std::string& mode, std::initializer_list<std::string> more) {
    std::vector<std::string> arguments{"timeline", "naive", "-m", "64",    "-n", "96",
                                       "-k",       "16",    "-p", "BX=32", "-p", "BY=8"};
    arguments.insert(arguments.end(), more);
    arguments.insert(arguments.end(), {"--worker", "exec python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' " + mode});
    return arguments;
}

TEST(Timeline, PrintsTheRecordingAndWritesIt) {
    const std::string file = (program::folder() / "timeline.json").string();
    auto result = run(timeline("good", {"--json", "-o", file}));
    ASSERT_EQ(result.code, 0) << result.err;
    auto printed = measure::block_timeline_from_json(result.out);
    ASSERT_TRUE(printed) << printed.error().sentence();
    EXPECT_EQ(printed->grid, (base::Dim3{3, 8, 1}));
    EXPECT_EQ(printed->blocks.size(), 24u);
    auto written = measure::read_block_timeline(file);
    ASSERT_TRUE(written) << written.error().sentence();
    EXPECT_EQ(written->file, "timeline.json");
    EXPECT_EQ(written->blocks, printed->blocks);
}

TEST(Timeline, SaysWhatTheTailCosts) {
    auto result = run(timeline("good", {}));
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find(
                  "24 blocks on 2 SMs, 1 at a time on each\nMeasured here: Fake, driver 1.2, CUDA 13.0, 2026-01-01\n"
                  "12.00 waves of 2 blocks; the last fills 100 % of the block slots."),
              std::string::npos)
        << result.out;
}

TEST(Timeline, WhatIsNotThereIsAnError) {
    EXPECT_EQ(run(timeline("missing_driver", {})).code, 3);
    EXPECT_EQ(run({"timeline", "no_such_kernel"}).code, 2);
}

} // namespace
