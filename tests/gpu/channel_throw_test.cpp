// What the thread of a worker's channel throws must not end the program.
#include "gpu/client.h"

#include <gtest/gtest.h>

#include <new>

namespace {

TEST(Channel, AnExceptionOnItsThreadAnswersTheRequest) {
    gpu::Worker::Options options;
    options.command = "echo '{\"type\":\"nothing of ours\"}'; exit 3";
    options.wake = [] { throw std::bad_alloc(); };
    gpu::Worker worker(options);
    worker.start();
    const auto event = worker.next(60);
    ASSERT_TRUE(event.has_value());
    EXPECT_TRUE(std::holds_alternative<base::Error>(*event));
    EXPECT_FALSE(worker.busy());
    EXPECT_TRUE(worker.poll().empty());
}

} // namespace
