#include "base/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace {

TEST(Program, StreamsAndStatusAreItsOwn) {
    const auto ended = base::run_program({"/bin/sh", "-c", "cat; echo said >&2; exit 7"}, "given");
    ASSERT_TRUE(ended) << ended.error().sentence();
    EXPECT_EQ(ended->output, "given");
    EXPECT_EQ(ended->error, "said\n");
    EXPECT_EQ(ended->status, 7);
    EXPECT_EQ(ended->signal, 0);
}

TEST(Program, OpensItsStreamsAsFiles) {
    const std::string large(300'000, 'x'); // more than a pipe holds
    const auto ended = base::run_program({"/bin/sh", "-c", "cat /dev/stdin >/dev/stdout"}, large);
    ASSERT_TRUE(ended) << ended.error().sentence();
    EXPECT_TRUE(ended->output == large) << ended->output.size();
}

TEST(Program, ASignalIsAStatusToo) {
    const auto ended = base::run_program({"/bin/sh", "-c", "kill -9 $$"}, "");
    ASSERT_TRUE(ended) << ended.error().sentence();
    EXPECT_EQ(ended->signal, 9);
}

TEST(Program, OneThatCannotBeStartedIsNamed) {
    const auto ended = base::run_program({"/no/such/program"}, "");
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().sentence(), "cannot start /no/such/program: No such file or directory");
    EXPECT_EQ(ended.error().failure, base::Failure::missing);
}

TEST(Program, SeveralAtOnce) {
    std::vector<std::string> output(8);
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < output.size(); ++i)
        threads.emplace_back([&, i] {
            if (auto ended = base::run_program({"/bin/cat"}, std::to_string(i))) output[i] = ended->output;
        });
    threads.clear();
    for (size_t i = 0; i < output.size(); ++i) EXPECT_EQ(output[i], std::to_string(i));
}

} // namespace
