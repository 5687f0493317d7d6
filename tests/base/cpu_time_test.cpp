#include "base/cpu_time.h"

#include <gtest/gtest.h>

#include <thread>

namespace base {

// Waiting for another thread that computes is not computing: true on whatever machine, however loaded.
TEST(CpuTime, IsOfTheCallingThreadAlone) {
    constexpr double work_s = 0.2; // a hundred times what starting a thread takes
    const double start = thread_cpu_s();
    std::jthread([=] {
        const double its_start = thread_cpu_s();
        while (thread_cpu_s() - its_start < work_s) {
        }
    }).join();
    EXPECT_LT(thread_cpu_s() - start, work_s);
}

} // namespace base
