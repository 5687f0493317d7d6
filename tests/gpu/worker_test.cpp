// The real `gemmscope worker`, through the client. On a machine without a GPU: that it says so. With one: right and wrong kernels.
#include "gpu/client.h"
#include "gpu/worker/cutlass.h"
#include "gpu/worker/worker.h"
#include "kernels.h"

#include "base/hash.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

namespace {

// Where the tests were carried to another machine, the program lies elsewhere.
std::string worker_command() {
    const char* carried = std::getenv("GEMMSCOPE_PROGRAM");
    return std::string(carried ? carried : GEMMSCOPE) + " worker";
}

gpu::Worker::Options real() {
    gpu::Worker::Options options;
    options.command = worker_command();
    options.hello_limit_s = 60;
    return options;
}

template <class T>
std::optional<T> awaited(gpu::Worker& worker) {
    while (auto event = worker.next(120)) {
        if (auto* found = std::get_if<T>(&*event)) return *found;
        if (auto* error = std::get_if<base::Error>(&*event)) ADD_FAILURE() << error->sentence();
        if (!std::holds_alternative<gpu::Hello>(*event) && !std::holds_alternative<measure::Progress>(*event)) break;
    }
    return {};
}

TEST(GpuWorker, WithoutADriverItSaysSoAndEnds) {
    if (gpu::Driver::open()) GTEST_SKIP() << "there is a driver";
    gpu::Worker worker(real());
    worker.start();
    auto error = awaited<base::Error>(worker);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->failure, base::Failure::missing);
    EXPECT_NE(error->sentence().find("no NVIDIA driver"), std::string::npos) << error->sentence();
}

TEST(GpuWorker, WithoutADriverServingEndsWithCodeThree) {
    if (gpu::Driver::open()) GTEST_SKIP() << "there is a driver";
    std::istringstream in(gpu::to_json(gpu::Request(gpu::Quit{})) + "\n");
    std::vector<std::string> lines;
    EXPECT_EQ(gpu::serve(in, [&](std::string_view line) { return lines.emplace_back(line), true; }), 3);
    ASSERT_EQ(lines.size(), 1u);
    auto reply = gpu::reply_from_json(lines[0]);
    ASSERT_TRUE(reply);
    ASSERT_TRUE(std::holds_alternative<gpu::Refusal>(reply->reply));
    EXPECT_TRUE(std::get<gpu::Refusal>(reply->reply).fatal);
}

class OnGpu : public testing::Test {
protected:
    void SetUp() override {
        auto driver = gpu::Driver::open();
        if (!driver) GTEST_SKIP() << driver.error().sentence();
    }

    static gpu::BenchRequest bench_of(const std::string& source, int m, int n, int k) {
        gpu::BenchRequest request;
        auto launch = kernels::compiled(source, m, n, k);
        EXPECT_TRUE(launch) << launch.error().sentence();
        if (launch) request.launch = *launch;
        request.time_limit_s = 5;
        return request;
    }

    // What the worker says to it, which must not be a point.
    static base::Error refused(gpu::Worker& worker, gpu::Request request) {
        auto sent = worker.send(std::move(request));
        EXPECT_TRUE(sent);
        while (auto event = worker.next(120)) {
            if (auto* error = std::get_if<base::Error>(&*event)) return *error;
            EXPECT_FALSE(std::holds_alternative<measure::NotedPoint>(*event)) << "a point was measured";
        }
        return {};
    }

    static void expect_good_point(gpu::Worker& worker) {
        ASSERT_TRUE(worker.send(bench_of(kernels::right, 256, 256, 256)));
        EXPECT_TRUE(awaited<measure::NotedPoint>(worker));
    }
};

TEST_F(OnGpu, MeasuresAPointBesideCublas) {
    gpu::Worker worker(real());
    worker.start();
    auto hello = awaited<gpu::Hello>(worker);
    ASSERT_TRUE(hello);
    EXPECT_FALSE(hello->driver.empty());
    EXPECT_GT(hello->devices[0].multiprocessors, 0);
    for (auto [m, n, k] : {std::tuple{512, 512, 512}, {100, 37, 65}, {1, 1, 1}, {129, 130, 131}}) {
        ASSERT_TRUE(worker.send(bench_of(kernels::right, m, n, k)));
        auto answer = awaited<measure::NotedPoint>(worker);
        ASSERT_TRUE(answer);
        const measure::BenchPoint& p = answer->point;
        std::cout << measure::to_json(p) << "\n";
        for (const std::string& note : answer->notes) std::cout << "note: " << note << "\n";
        EXPECT_EQ(p.m, m);
        EXPECT_GE(p.samples, 10);
        EXPECT_GT(p.min_ms, 0);
        EXPECT_LE(p.min_ms, p.median_ms);
        EXPECT_GT(p.back_to_back_ms, 0);
        EXPECT_LT(p.max_rel_error, 1e-5);
        EXPECT_GT(p.sm_clock_mhz, 0);
        constexpr double digits = 1e-5; // the worker sends six
        EXPECT_NEAR(p.gflops, measure::gflops(m, n, k, p.median_ms), p.gflops * digits);
        if (!hello->cublas.empty()) {
            EXPECT_EQ(p.cublas.mode, "pedantic_fp32");
            EXPECT_NEAR(p.ratio, p.cublas.median_ms / p.median_ms, p.ratio * digits);
        }
        EXPECT_TRUE(measure::point_from_json(measure::to_json(p)));
    }
}

TEST_F(OnGpu, AlphaAndBeta) {
    gpu::Worker worker(real());
    auto request = bench_of(kernels::right, 100, 37, 65);
    request.launch.alpha = 1.1f;
    request.launch.beta = -0.3f;
    ASSERT_TRUE(worker.send(request));
    EXPECT_TRUE(awaited<measure::NotedPoint>(worker));
}

// Sizes that divide nothing, and one of several tiles each way.
TEST_F(OnGpu, CutlassIsMeasuredBesideCublas) {
    if (auto found = gpu::Cutlass::open(); !found) GTEST_SKIP() << found.error().sentence();
    gpu::Worker worker(real());
    for (const char* id : {"cutlass_128x128", "cutlass_256x128"})
        for (auto [m, n, k] :
             {std::tuple{1, 1, 1}, {100, 37, 65}, {129, 257, 7}, {1, 1000, 3}, {1030, 1, 100}, {600, 1100, 333}})
            for (const double beta : {0.0, -0.3}) {
                gpu::BenchRequest request;
                request.launch.kernel = id;
                request.launch.problem = {m, n, k};
                request.launch.alpha = 1.1f;
                request.launch.beta = static_cast<float>(beta);
                request.time_limit_s = 5;
                ASSERT_TRUE(worker.send(request));
                auto answer = awaited<measure::NotedPoint>(worker);
                ASSERT_TRUE(answer) << id << " " << m << " x " << n << " x " << k;
                EXPECT_TRUE(answer->point.library.starts_with("CUTLASS ")) << answer->point.library;
                EXPECT_LT(answer->point.max_rel_error, 1e-5);
            }
}

TEST_F(OnGpu, ARunGivesTheBitsOfTheCpu) {
    gpu::Worker worker(real());
    auto launch = kernels::compiled(kernels::right, 100, 37, 65);
    ASSERT_TRUE(launch);
    ASSERT_TRUE(worker.send(gpu::RunRequest{*launch, 0, true, 5}));
    auto result = awaited<gpu::RunResult>(worker);
    ASSERT_TRUE(result);
    auto expected = kernels::on_cpu(gpu::live_run(*launch));
    EXPECT_EQ(result->c, base::Numbers(expected));
    EXPECT_EQ(result->hash,
              base::hash({reinterpret_cast<const char*>(expected.data()), expected.size() * sizeof(float)}));
    EXPECT_LT(result->max_rel_error, 1e-5);
}

TEST_F(OnGpu, AWrongResultIsNoPoint) {
    gpu::Worker worker(real());
    auto error = refused(worker, bench_of(kernels::wrong, 64, 64, 64));
    EXPECT_EQ(error.failure, base::Failure::check_failed);
    EXPECT_NE(error.what.english().find("is wrong at 64 x 64 x 64: relative error nan"), std::string::npos)
        << error.what.english();
    expect_good_point(worker);
}

TEST_F(OnGpu, AnIllegalOrMisalignedAddressIsAnErrorAndTheNextRequestGoesWell) {
    gpu::Worker worker(real());
    for (const auto& [source, name] :
         {std::pair{kernels::illegal, "ILLEGAL_ADDRESS"}, {kernels::misaligned, "MISALIGNED_ADDRESS"}}) {
        auto error = refused(worker, bench_of(source, 64, 64, 64));
        EXPECT_NE(error.what.english().find(name), std::string::npos) << error.what.english();
        EXPECT_NE(error.todo.english().find("gemmscope check"), std::string::npos);
        expect_good_point(worker);
    }
}

TEST_F(OnGpu, AKernelThatDoesNotEndIsAnErrorAndTheNextRequestGoesWell) {
    gpu::Worker worker(real());
    auto request = bench_of(kernels::slow, 16, 16, 16);
    request.time_limit_s = 0.3;
    auto error = refused(worker, request);
    EXPECT_NE(error.what.english().find("did not end within the time limit"), std::string::npos)
        << error.what.english();
    expect_good_point(worker);
}

TEST_F(OnGpu, TooLargeNamesWhatIsFree) {
    gpu::Worker worker(real());
    auto request = bench_of(kernels::right, 1 << 20, 1 << 20, 16);
    auto error = refused(worker, request);
    EXPECT_EQ(error.failure, base::Failure::missing);
    EXPECT_NE(error.what.english().find("GiB are free"), std::string::npos) << error.what.english();
    expect_good_point(worker);
}

TEST_F(OnGpu, BadRequestsAreErrors) {
    gpu::Worker worker(real());
    auto request = bench_of(kernels::right, 64, 64, 64);
    auto no_image = request;
    no_image.launch.image = {std::byte{1}, std::byte{2}};
    EXPECT_NE(refused(worker, no_image).what.english().find("neither machine code nor PTX"), std::string::npos);
    auto no_entry = request;
    no_entry.launch.entry = "tea";
    EXPECT_NE(refused(worker, no_entry).what.english().find("cannot find tea"), std::string::npos);
    auto too_many = request;
    too_many.launch.block = {1024, 2, 1};
    EXPECT_NE(refused(worker, too_many).what.english().find("cannot launch the kernel"), std::string::npos);
    auto too_much = request;
    too_much.launch.dynamic_shared_bytes = 10 << 20;
    EXPECT_NE(refused(worker, too_much).what.english().find("bytes of dynamic shared memory"), std::string::npos);
    auto no_device = request;
    no_device.device = 99;
    EXPECT_NE(refused(worker, no_device).what.english().find("there is no GPU 99"), std::string::npos);
    expect_good_point(worker);
}

} // namespace
