// Products streamed by the real worker through an invented GPU whose streams work in the worst order that is
// allowed.
#include "fake_gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using fake_gpu::answer, fake_gpu::launch, fake_gpu::on_fake_gpu, fake_gpu::said;

// A grid for each size of piece; the invented GPU looks at none.
gpu::StreamRequest request(gpu::Launch launch, const catalog::StreamShape& shape) {
    gpu::StreamRequest request{std::move(launch), shape, {}, 0, 20};
    auto plan = measure::stream_plan(request.launch.problem, shape, request.launch.operands, request.launch.beta != 0);
    if (!plan) return request;
    for (const auto& operation : plan->operations) {
        const gpu::StreamRequest::Grid grid{operation.size, {1, 1, 1}};
        if (operation.step == measure::StreamStep::multiply &&
            std::find(request.grids.begin(), request.grids.end(), grid) == request.grids.end())
            request.grids.push_back(grid);
    }
    return request;
}

constexpr uint64_t no_cap = uint64_t{1} << 40;

TEST(FakeStream, OfAnySizesAndBuffersCIsRight) {
    gpu::Worker worker(on_fake_gpu());
    for (const int buffers : {1, 2, 3, 4})
        for (const double beta : {0.0, -0.5})
            for (auto [m, n, k] : {std::tuple{64, 64, 64}, {33, 70, 41}, {5, 3, 2}}) {
                gpu::Launch product = launch("right", m, n, k);
                product.alpha = 1.5, product.beta = beta;
                auto event = answer(worker, request(product, {16, 24, 10, buffers, no_cap}));
                auto* record = std::get_if<measure::StreamRecord>(&event);
                ASSERT_TRUE(record) << said(event);
                EXPECT_LT(record->max_rel_error, 1e-6);
                EXPECT_TRUE(record->measured);
                EXPECT_EQ(record->with_c, beta != 0);
                EXPECT_EQ(record->problem, product.problem);
                EXPECT_EQ(record->device, "Fake GPU");
                EXPECT_EQ(record->cuda, "13.0");
                EXPECT_EQ(record->in_core_ms, 1);
            }
}

TEST(FakeStream, DoublesAreStreamedToo) {
    gpu::Worker worker(on_fake_gpu());
    gpu::Launch product = launch("f64", 33, 70, 41);
    product.operands = catalog::OperandType::f64;
    product.beta = 0.25;
    auto event = answer(worker, request(product, {16, 24, 10, 2, no_cap}));
    auto* record = std::get_if<measure::StreamRecord>(&event);
    ASSERT_TRUE(record) << said(event);
    EXPECT_LT(record->max_rel_error, 1e-14);
}

// Pieces of one size, so that a launch of a millisecond is a speed.
TEST(FakeStream, WhatIsMeasuredIsWhatWasPlanned) {
    gpu::Worker worker(on_fake_gpu());
    for (const int buffers : {1, 2, 3}) {
        auto event = answer(worker, request(launch("right", 512, 512, 256), {256, 256, 128, buffers, no_cap}));
        auto* record = std::get_if<measure::StreamRecord>(&event);
        ASSERT_TRUE(record) << said(event);
        const auto plan = record->plan();
        ASSERT_TRUE(plan);
        const auto planned = measure::planned_times(*plan, {1, 2.0 * 256 * 256 * 128 / 1e6});
        ASSERT_EQ(record->times.size(), planned.size());
        for (size_t i = 0; i < planned.size(); ++i) {
            EXPECT_NEAR(record->times[i].start_ms, planned[i].start_ms, 2e-3) << i; // it sends microseconds
            EXPECT_NEAR(record->times[i].end_ms, planned[i].end_ms, 2e-3) << i;
        }
    }
}

TEST(FakeStream, MemoryStaysUnderTheCap) {
    const catalog::StreamShape shape{256, 256, 128, 2, 2u * 4 * 2 * 256 * 128 + 2u * 4 * 256 * 256};
    const auto with_memory = [](uint64_t bytes) {
        gpu::Worker::Options options = on_fake_gpu();
        options.command = "FAKE_MEMORY=" + std::to_string(bytes) + " " + options.command;
        return options;
    };
    gpu::Worker enough(with_memory(shape.cap_bytes));
    auto event = answer(enough, request(launch("right", 512, 512, 256), shape));
    auto* record = std::get_if<measure::StreamRecord>(&event);
    ASSERT_TRUE(record) << said(event);
    EXPECT_EQ(record->in_core_ms, 0) << "the whole matrices do not fit";

    gpu::Worker too_little(with_memory(shape.cap_bytes - 4096));
    event = answer(too_little, request(launch("right", 512, 512, 256), shape));
    EXPECT_EQ(said(event),
              "the buffers need 1.05 MB on the GPU, 4.1 kB more than is free; choose smaller tiles or pieces, "
              "fewer buffers, or end other programs on the GPU");
    event = answer(enough, request(launch("right", 512, 512, 256), {256, 256, 128, 2, shape.cap_bytes - 1}));
    EXPECT_NE(said(event).find("1 byte more than the cap"), std::string::npos) << said(event);
}

TEST(FakeStream, HostMemoryThatIsNotThereIsAnError) {
    gpu::Worker worker(on_fake_gpu());
    auto event = answer(worker, request(launch("right", 1 << 20, 1 << 20, 64), {1 << 17, 1 << 17, 64, 1, no_cap}));
    EXPECT_NE(said(event).find("1048576 x 1048576 x 64 in host memory needs 4.1e+03 GiB"), std::string::npos)
        << said(event);
}

TEST(FakeStream, AWrongKernelIsFound) {
    gpu::Worker worker(on_fake_gpu());
    auto event = answer(worker, request(launch("wrong", 16, 16, 16), {8, 8, 8, 2, no_cap}));
    EXPECT_NE(said(event).find("wrong is wrong at 16 x 16 x 16"), std::string::npos) << said(event);
}

TEST(FakeStream, AKernelThatDoesNotEndOrFaultsIsAnErrorAndTheNextRequestGoesWell) {
    gpu::Worker worker(on_fake_gpu());
    for (const char* behaviour : {"endless", "illegal"}) {
        auto bad = request(launch(behaviour, 16, 16, 16), {8, 8, 8, 2, no_cap});
        bad.time_limit_s = 0.3;
        auto event = answer(worker, bad);
        EXPECT_NE(said(event).find(behaviour == std::string("endless") ? "did not end within" : "ILLEGAL_ADDRESS"),
                  std::string::npos)
            << said(event);
        event = answer(worker, request(launch("right"), {8, 8, 8, 2, no_cap}));
        EXPECT_TRUE(std::get_if<measure::StreamRecord>(&event)) << said(event);
    }
}

TEST(FakeStream, APieceWithoutAGridIsAnError) {
    gpu::Worker worker(on_fake_gpu());
    auto bad = request(launch("right", 16, 16, 16), {8, 8, 8, 2, no_cap});
    bad.grids.clear();
    EXPECT_EQ(said(answer(worker, bad)), "the request has no grid for a piece of 8 x 8 x 8");
}

} // namespace
