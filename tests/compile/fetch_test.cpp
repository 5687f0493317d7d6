// How far fetching is, and that it can be given up, with an invented python3 in place of pip. tests/cli/setup_test.cpp has what goes wrong.
#include "compile/fetch.h"

#include "base/file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <unistd.h>

namespace {
namespace fs = std::filesystem;

class Fetch : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(base::write_file(folder / "path/python3", python).ok());
        fs::permissions(folder / "path/python3", fs::perms::owner_all);
        ::setenv("PATH", (folder / "path:/usr/bin:/bin").c_str(), 1);
        ::setenv("GEMMSCOPE_DATA", (folder / "data").c_str(), 1);
        ::setenv("SEEN", (folder / "seen").c_str(), 1);
    }
    void TearDown() override { fs::remove_all(folder); }

    // Half a wheel, then all of it, then what is in it, each once what was before has been seen.
    static constexpr const char* python = R"(#!/bin/sh
case "$*" in
*"-c import venv"* | *--version*) exit 0 ;;
esac
while [ "$1" != --target ]; do shift; done
wait_for() { while [ ! -e "$SEEN.$1" ]; do sleep 0.02; done; }
head -c 5000000 /dev/zero >"$TMPDIR/a.whl"
wait_for half
head -c 10000000 /dev/zero >"$TMPDIR/a.whl"
mkdir -p "$2/nvidia/cu13/lib" && head -c 3000000 /dev/zero >"$2/nvidia/cu13/lib/libnvrtc.so.13"
wait_for all
)";
    void seen(const char* what) const {
        EXPECT_TRUE(base::write_file(folder / (std::string("seen.") + what), "").ok());
    }

    const fs::path folder = fs::temp_directory_path() / ("gemmscope_fetch_test." + std::to_string(::getpid()));
    const std::vector<compile::Wheel> wheels = {{"a==1", 10'000'000}};
};

TEST_F(Fetch, SaysHowMuchOfHowMuch) {
    const auto fetched = compile::fetch_wheels(wheels, {}, [&](const compile::Fetching& now) {
        EXPECT_EQ(now.of, 10'000'000u);
        if (now.fetched == 5'000'000u && now.unpacked == 0) seen("half");
        if (now.fetched == 10'000'000u && now.unpacked == 3'000'000u) seen("all");
    });
    EXPECT_TRUE(fetched.ok()) << fetched.error().sentence();
    EXPECT_TRUE(fs::exists(folder / "data/cuda/lib/libnvrtc.so.13"));
    EXPECT_EQ(compile::linked_wheels(compile::wheels_folder()), std::vector<std::string>{"a==1"});
}

TEST_F(Fetch, LeavesNothingWhereItIsGivenUp) {
    std::stop_source stop;
    const auto fetched = compile::fetch_wheels(wheels, stop.get_token(), [&](const compile::Fetching& now) {
        if (now.fetched == 5'000'000u) stop.request_stop();
    });
    ASSERT_FALSE(fetched.ok());
    EXPECT_NE(fetched.error().sentence().find("interrupted"), std::string::npos) << fetched.error().sentence();
    EXPECT_TRUE(fs::is_empty(folder / "data"));
}

} // namespace
