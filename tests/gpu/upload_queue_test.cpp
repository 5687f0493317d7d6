#include "gpu/live/upload_queue.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>

namespace {

using gpu::DeviceArray;
using gpu::UploadQueue;

// Two matrices, one of a piece and a half: what has come after each step. 0: all was as it should be.
int copies_in_pieces() {
    if (::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD)) return 1; // another driver would be found
    if (!::dlopen(FAKE_CUDA "/libcuda.so.1", RTLD_NOW)) return 2;   // found by its name from here on
    auto driver = gpu::Driver::open();
    if (!driver) return 3;
    auto context = gpu::Context::open(*driver, 0);
    constexpr size_t piece = UploadQueue::piece / sizeof(float), large = piece + piece / 2, small = 1000;
    auto first = DeviceArray::allocate(**driver, large * sizeof(float)),
         second = DeviceArray::allocate(**driver, small * sizeof(double));
    if (!context || !first || !second || !first->clear()) return 4;
    std::vector<float> values(large), got(large);
    std::iota(values.begin(), values.end(), 1.0f);
    const std::vector<double> doubles(values.begin(), values.begin() + small);

    UploadQueue queue;
    queue.add(*first, std::as_bytes(std::span(values)));
    queue.add(*second, std::as_bytes(std::span(doubles)));
    queue.add(*second, {});
    for (const size_t there : {piece, large, large}) {
        if (queue.empty() || !queue.step() || !first->download(std::as_writable_bytes(std::span(got)))) return 5;
        for (size_t i = 0; i < large; ++i)
            if (got[i] != (i < there ? values[i] : 0)) return 6;
    }
    if (!queue.empty()) return 7;
    std::vector<double> back(small);
    if (!second->download(std::as_writable_bytes(std::span(back)))) return 8;
    return back == doubles ? 0 : 9;
}

// In a process of its own, which starts from the beginning: the invented driver would stay in this one, and a real one that an
// earlier test has loaded is in its forks.
TEST(UploadQueue, CopiesAPieceAtATime) {
    if (!std::filesystem::exists(FAKE_CUDA "/libcuda.so.1")) GTEST_SKIP() << "the invented driver is not here";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(std::_Exit(copies_in_pieces()), testing::ExitedWithCode(0), "");
}

} // namespace
