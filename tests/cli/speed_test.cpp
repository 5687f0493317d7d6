// gemmscope speed, with a sweep of the user's own.
#include "program.h"

#include "catalog/catalog.h"
#include "measure/sweep_record.h"

namespace {

using nlohmann::json;
using program::expect_refused;
using program::run;

class Speed : public testing::Test {
protected:
    Speed() {
        const auto catalog = catalog::load({SOURCE_DIR "/kernels"});
        const auto folder = program::folder() / "sweeps" / "some";
        std::filesystem::create_directories(folder);
        EXPECT_TRUE(base::write_file(
            folder / "naive.txt",
            measure::header_of(*catalog.find("naive"), "Some GPU") +
                measure::line_of(measure::SweepSource{"lab", 0, "1", "13.0", "", 1000, "2026-01-03", "sweep"}, 1) +
                "32 8 1024 10 2 7 0.004 1\n16 8 1024 8 2 7 0.004 1\n16 16 1024 - - 0 - 1 it does not fit\n"));
    }
    ~Speed() override { std::filesystem::remove_all(program::folder() / "sweeps"); }
};

TEST_F(Speed, SaysWhatWasMeasured) {
    const auto result = run({"speed", "naive", "-p", "BX=32", "-p", "BY=8", "--size", "1024", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const json speed = result.json();
    EXPECT_EQ(program::keys(speed), (program::Names{"cublas_gflops", "date", "device", "gflops", "k", "kernel", "m",
                                                    "n", "parameters", "ratio", "source"}));
    EXPECT_EQ(speed["ratio"], 0.2);
    EXPECT_EQ(speed["source"], "live");
    EXPECT_EQ(speed["device"], "Some GPU");
    EXPECT_EQ(speed["m"], 1024);
    const auto text = run({"speed", "naive", "-p", "BX=32", "-p", "BY=8", "--size", "1024"});
    EXPECT_NE(text.out.find("214.7 GFLOPS at 1024 x 1024 x 1024, 20.0 % of cuBLAS FP32"), std::string::npos)
        << text.out;
    EXPECT_NE(text.out.find("-p BX=16 -p BY=8"), std::string::npos) << text.out;
}

TEST_F(Speed, WhatWasNotMeasuredIsACheckThatFailed) {
    expect_refused({"speed", "naive", "-p", "BX=64", "-p", "BY=4", "--size", "1024"}, 1,
                   "was not measured at 1024 x 1024 x 1024 on Some GPU");
    expect_refused({"speed", "naive", "--device", "No GPU"}, 1, "nothing was measured of naive on No GPU");
    const auto failed = run({"speed", "naive", "-p", "BX=16", "-p", "BY=16", "--size", "1024"});
    EXPECT_EQ(failed.code, 1);
    EXPECT_EQ(failed.out, "could not be measured: it does not fit\n");
}

TEST_F(Speed, TheMapIsATable) {
    const auto table = run({"speed", "naive", "--size", "1024", "--map", "BY,BX"});
    EXPECT_EQ(table.code, 0) << table.err;
    EXPECT_NE(table.out.find("BY \\ BX"), std::string::npos) << table.out;
    for (const char* cell : {"214.7", "268.4", "failed", " -", " /"})
        EXPECT_NE(table.out.find(cell), std::string::npos) << cell << table.out;
    const auto cells = run({"speed", "naive", "--size", "1024", "--map", "BY,BX", "--json"}).json();
    ASSERT_EQ(cells.size(), 3u);
    EXPECT_EQ(run({"speed", "naive", "--size", "999", "--map", "BY,BX"}).code, 1);
}

TEST_F(Speed, RefusesWhatItDoesNotUnderstand) {
    expect_refused({"speed", "nothing"}, 2, "nothing");
    expect_refused({"speed", "naive", "--map", "BX"}, 2, "--map BX is not two parameters of naive");
    expect_refused({"speed", "naive", "--map", "BX,BX"}, 2, "--map BX,BX");
    expect_refused({"speed", "naive", "--size", "square"}, 2, "--size square is not one size");
    expect_refused({"speed", "naive", "--size", "-1"}, 2, "--size");
    expect_refused({"speed", "naive", "-p", "BX=3"}, 2, "BX");
}

} // namespace
