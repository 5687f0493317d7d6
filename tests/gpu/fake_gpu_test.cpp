// The real worker on an invented GPU (fake_cuda.cpp) where every launch takes a millisecond, so that its figures are known.
#include "fake_gpu.h"

#include "gpu/driver/arguments.h"
#include "gpu/worker/cutlass.h"

#include "base/hash.h"
#include "base/process.h"
#include "base/random.h"
#include "base/sanitizer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using fake_gpu::answer, fake_gpu::launch, fake_gpu::on_fake_gpu, fake_gpu::said;

gpu::BenchRequest bench(gpu::Launch launch, double time_limit_s = 10) {
    gpu::BenchRequest request;
    request.launch = std::move(launch);
    request.time_limit_s = time_limit_s;
    return request;
}

TEST(FakeGpu, SaysHello) {
    gpu::Worker worker(on_fake_gpu());
    worker.start();
    auto event = worker.next(60);
    ASSERT_TRUE(event);
    auto* hello = std::get_if<gpu::Hello>(&*event);
    ASSERT_TRUE(hello) << said(*event);
    EXPECT_EQ(hello->devices.at(0).name, "Fake GPU");
    EXPECT_EQ(hello->devices.at(0).arch, "sm_90");
    EXPECT_EQ(hello->devices.at(0).sm_clock_mhz, 1234);
    EXPECT_EQ(hello->cuda, "13.0");
}

TEST(FakeGpu, APointIsWhatTheEventsSay) {
    gpu::Worker worker(on_fake_gpu());
    int progress = 0;
    auto event = answer(worker, bench(launch("right")), &progress);
    auto* answered = std::get_if<measure::NotedPoint>(&event);
    ASSERT_TRUE(answered) << said(event);
    const measure::BenchPoint& p = answered->point;
    EXPECT_EQ(p.kernel, "right");
    EXPECT_EQ(p.parameters.at("BM"), 16);
    EXPECT_EQ(p.samples, 10); // all alike: settled as soon as the rule allows
    EXPECT_EQ(p.median_ms, 1);
    EXPECT_EQ(p.min_ms, 1);
    EXPECT_EQ(p.back_to_back_ms, 1);
    EXPECT_DOUBLE_EQ(p.gflops, 2e-6 * 33 * 17 * 9);
    EXPECT_LT(p.max_rel_error, 1e-6);
    EXPECT_EQ(p.elements_checked, 33 * 17);
    EXPECT_EQ(p.rounding, 1);
    EXPECT_EQ(p.device, "Fake GPU");
    EXPECT_EQ(p.cuda, "13.0");
    EXPECT_EQ(p.date.size(), 10u);
    EXPECT_EQ(p.sm_clock_mhz, 1234); // no NVML: the highest, and a note says so
    bool clock_noted = false;
    for (const std::string& note : answered->notes)
        clock_noted |= note.find("clock could not be read") != std::string::npos;
    EXPECT_TRUE(clock_noted);
    EXPECT_GE(progress, 5) << "each phase reports";
}

TEST(FakeGpu, TheReferenceIsTheFastestOfCublasAlgorithms) {
    gpu::Worker worker(on_fake_gpu(FAKE_CUDA ":" FAKE_CUBLAS));
    auto wanted = launch("right");
    wanted.alpha = 2;
    auto event = answer(worker, bench(wanted));
    auto* answered = std::get_if<measure::NotedPoint>(&event);
    ASSERT_TRUE(answered) << said(event);
    const measure::CublasPoint& cublas = answered->point.cublas; // fake_cublas.cpp: 3 ms, 4 ms, none, 2 ms, 2.125 ms
    EXPECT_EQ(cublas.mode, "pedantic_fp32");
    EXPECT_EQ(cublas.algorithm, "cublasLt heuristic 3 (algorithm 22, split-K 4)");
    EXPECT_EQ(cublas.median_ms, 2);
    EXPECT_EQ(cublas.spread, 0);
    EXPECT_EQ(answered->point.median_ms, 1);
    EXPECT_EQ(answered->point.ratio, 2);
}

TEST(FakeGpu, TheReferenceMultipliesAsTheKernelDoes) {
    gpu::Worker worker(on_fake_gpu(FAKE_CUDA ":" FAKE_CUBLAS));
    for (auto [type, behaviour, mode] : {std::tuple{catalog::OperandType::bf16, "bf16", "bf16"},
                                         {catalog::OperandType::f64, "f64", "fp64"},
                                         {catalog::OperandType::b1, "b1", "pedantic_fp32"},
                                         {catalog::OperandType::tf32, "right", "tf32"},
                                         {catalog::OperandType::f32, "right", "pedantic_fp32"}}) {
        auto wanted = launch(behaviour);
        wanted.operands = type;
        auto event = answer(worker, bench(wanted));
        auto* answered = std::get_if<measure::NotedPoint>(&event);
        ASSERT_TRUE(answered) << said(event);
        EXPECT_EQ(answered->point.operands, type);
        EXPECT_EQ(answered->point.cublas.mode, mode);
        const bool pedantic = answered->point.cublas.mode == "pedantic_fp32"; // without tensor cores
        EXPECT_EQ(answered->point.cublas.median_ms, pedantic ? 2 : 1) << mode;
        EXPECT_LT(answered->point.max_rel_error, type == catalog::OperandType::f64 ? 1e-15 : 1e-6);
    }
    EXPECT_NE(said(answer(worker, bench(launch("bf16")))).find("bf16 is wrong"), std::string::npos)
        << "its operands are floats";
}

// Of bits: cuBLAS gets them as floats, and its C is compared with the kernel's.
TEST(FakeGpu, BitsAreVerifiedWithAlphaAndBetaWhateverK) {
    gpu::Worker worker(on_fake_gpu(FAKE_CUDA ":" FAKE_CUBLAS));
    for (int k : {1, 31, 32, 65}) {
        auto wanted = launch("b1", 33, 17, k);
        wanted.operands = catalog::OperandType::b1;
        wanted.alpha = 1.1, wanted.beta = -0.3;
        auto event = answer(worker, bench(wanted));
        auto* answered = std::get_if<measure::NotedPoint>(&event);
        ASSERT_TRUE(answered) << said(event);
        EXPECT_LT(answered->point.max_rel_error, 1e-6);
        EXPECT_EQ(answered->point.cublas.algorithm, "cublasLt heuristic 3 (algorithm 22, split-K 4)");
        wanted.image.assign(
            {std::byte{'r'}, std::byte{'i'}, std::byte{'g'}, std::byte{'h'}, std::byte{'t'}, std::byte{0}});
        if (k == 1) {
            EXPECT_NE(said(answer(worker, bench(wanted))).find("is wrong"), std::string::npos)
                << "its operands are words";
        }
    }
}

// fake_cuda.cpp: a matrix that a kernel touches in host memory comes in 5 ms, one that is moved in 2.
TEST(FakeGpu, ManagedPagesComeAsTheLaunchSays) {
    gpu::Worker worker(on_fake_gpu(FAKE_CUDA ":" FAKE_CUBLAS));
    using catalog::Placement;
    struct Case {
        Placement placement;
        double beta, ms;
    };
    for (const Case& one :
         {Case{Placement::device, 0, 1}, Case{Placement::first_touch, 0, 11}, Case{Placement::first_touch, 0.5, 16},
          Case{Placement::prefetch, 0, 5}, Case{Placement::prefetch, 0.5, 7}, Case{Placement::resident, 0.5, 1}}) {
        auto wanted = launch("right");
        wanted.placement = one.placement;
        wanted.beta = one.beta;
        const std::string name = fmt::format("{}, beta {}", catalog::name_of(one.placement), one.beta);
        auto event = answer(worker, bench(wanted));
        auto* answered = std::get_if<measure::NotedPoint>(&event);
        ASSERT_TRUE(answered) << name << said(event);
        EXPECT_EQ(answered->point.median_ms, one.ms) << name << ": each launch starts from host memory";
        EXPECT_EQ(answered->point.cublas.median_ms, 2) << name << ": finds the matrices on the GPU";
        EXPECT_EQ(answered->point.back_to_back_ms, 1) << name << ": the pages stay";
        auto run = answer(worker, gpu::RunRequest{wanted, 0, true, 10});
        auto* result = std::get_if<gpu::RunResult>(&run);
        ASSERT_TRUE(result) << name << said(run);
        EXPECT_EQ(result->ms, one.ms) << name;
        EXPECT_LT(result->max_rel_error, 1e-6) << name;
    }
}

TEST(FakeGpu, ManagedMemoryIsNotMoreThanTheGpuHasFree) {
    auto wanted = launch("right", 256, 256, 256); // 768 KiB, which managed memory would not even count
    wanted.placement = catalog::Placement::first_touch;
    for (const auto& [surroundings, refused] : {std::pair{"FAKE_MEMORY=1048576", ""},
                                                {"FAKE_MEMORY=786431", "256 x 256 x 256 needs 0.0 GiB on the GPU"},
                                                {"FAKE_PAGES=fixed", "moves as a whole, not page by page"}}) {
        auto options = on_fake_gpu();
        options.command = fmt::format("{} {}", surroundings, options.command);
        gpu::Worker worker(options);
        auto event = answer(worker, bench(wanted));
        EXPECT_EQ(std::holds_alternative<measure::NotedPoint>(event), !*refused) << surroundings << said(event);
        EXPECT_NE(said(event).find(refused), std::string::npos) << said(event);
    }
}

TEST(FakeGpu, LaunchesInARowThatWouldNotFitAreLeftOut) {
    gpu::Worker worker(on_fake_gpu());
    auto event = answer(worker, bench(launch("right"), 0.04)); // 50 launches take 0.05 s of the device's time
    auto* answered = std::get_if<measure::NotedPoint>(&event);
    ASSERT_TRUE(answered) << said(event);
    EXPECT_EQ(answered->point.back_to_back_ms, 0);
    EXPECT_NE(answered->notes.back().find("would not fit the time limit"), std::string::npos);
}

TEST(FakeGpu, ARunGivesCOfTheSeededInputs) {
    gpu::Worker worker(on_fake_gpu());
    auto wanted = launch("right", 2, 3, 1);
    wanted.seed = 5;
    wanted.alpha = 2;
    wanted.beta = 0.5f;
    auto event = answer(worker, gpu::RunRequest{wanted, 0, true, 10});
    auto* result = std::get_if<gpu::RunResult>(&event);
    ASSERT_TRUE(result) << said(event);
    std::vector<float> expected;
    base::RandomStream a(5, 4), b(5, 5), c(5, 7);
    for (uint64_t row = 0; row < 2; ++row)
        for (uint64_t column = 0; column < 3; ++column)
            expected.push_back(std::fma(2.0f, std::fma(a(row), b(column), 0.0f), 0.5f * c(row * 3 + column)));
    EXPECT_EQ(result->c, base::Numbers(expected));
    EXPECT_EQ(result->hash,
              base::hash({reinterpret_cast<const char*>(expected.data()), expected.size() * sizeof(float)}));
}

TEST(FakeGpu, ARunOfDoublesGivesCOfSeededDoubles) {
    gpu::Worker worker(on_fake_gpu());
    auto wanted = launch("f64", 2, 3, 1);
    wanted.operands = catalog::OperandType::f64;
    wanted.seed = 5;
    wanted.alpha = 0.1; // which no float is
    wanted.beta = 0.3;
    auto event = answer(worker, gpu::RunRequest{wanted, 0, true, 10});
    auto* result = std::get_if<gpu::RunResult>(&event);
    ASSERT_TRUE(result) << said(event);
    std::vector<double> expected;
    base::RandomStream a(5, 4), b(5, 5), c(5, 7);
    for (uint64_t row = 0; row < 2; ++row)
        for (uint64_t column = 0; column < 3; ++column)
            expected.push_back(
                std::fma(0.1, std::fma(a.wide(row), b.wide(column), 0.0), 0.3 * c.wide(row * 3 + column)));
    EXPECT_EQ(result->c, base::Numbers(expected));
    EXPECT_EQ(result->hash,
              base::hash({reinterpret_cast<const char*>(expected.data()), expected.size() * sizeof(double)}));
    EXPECT_LT(result->max_rel_error, 1e-15);
}

// The padding is between the kernel and the GPU's memory: C comes back as from a kernel without it.
TEST(FakeGpu, AlignedRowsHoldTheSameElements) {
    gpu::Worker worker(on_fake_gpu(FAKE_CUDA ":" FAKE_CUBLAS));
    for (const double beta : {0.0, -0.3}) {
        auto pitched = launch("pitched"), right = launch("right");
        pitched.row_alignment = 128;
        pitched.beta = right.beta = beta;
        auto event = answer(worker, gpu::RunRequest{pitched, 0, true, 10});
        auto* result = std::get_if<gpu::RunResult>(&event);
        ASSERT_TRUE(result) << said(event);
        EXPECT_LT(result->max_rel_error, 1e-6);
        auto other = answer(worker, gpu::RunRequest{right, 0, true, 10});
        ASSERT_TRUE(std::holds_alternative<gpu::RunResult>(other)) << said(other);
        EXPECT_EQ(result->c, std::get<gpu::RunResult>(other).c);
        EXPECT_EQ(result->hash, std::get<gpu::RunResult>(other).hash);
    }
}

// The C of its first algorithm is compared with the kernel's.
TEST(FakeGpu, CublasMultipliesAlignedRows) {
    gpu::Worker worker(on_fake_gpu(FAKE_CUDA ":" FAKE_CUBLAS));
    auto wanted = launch("pitched");
    wanted.row_alignment = 64;
    wanted.alpha = 1.1, wanted.beta = -0.3;
    auto event = answer(worker, bench(wanted));
    auto* answered = std::get_if<measure::NotedPoint>(&event);
    ASSERT_TRUE(answered) << said(event);
    EXPECT_LT(answered->point.max_rel_error, 1e-6);
    EXPECT_EQ(answered->point.cublas.algorithm, "cublasLt heuristic 3 (algorithm 22, split-K 4)");
}

TEST(FakeGpu, TensorMapsAreEncodedByTheDriver) {
    gpu::Worker worker(on_fake_gpu());
    for (int k : {8, 9}) { // rows of A of 32 bytes; and of 36, which no map can have
        auto wanted = launch("mapped", 33, 20, k);
        wanted.tensor_maps = {{'A', 64, 32, 128}, {'B', 32, 64, 0}};
        auto event = answer(worker, gpu::RunRequest{wanted, 0, true, 10});
        auto* mapped = std::get_if<gpu::RunResult>(&event);
        ASSERT_TRUE(mapped) << said(event);
        auto without = answer(worker, gpu::RunRequest{launch("right", 33, 20, k), 0, true, 10});
        auto* right = std::get_if<gpu::RunResult>(&without);
        ASSERT_TRUE(right) << said(without);
        EXPECT_EQ(mapped->c, right->c);
    }
    for (int k : {8, 12}) { // bf16: rows of A of 16 bytes; and of 24
        auto wanted = launch("mapped bf16", 33, 24, k);
        wanted.operands = catalog::OperandType::bf16;
        wanted.tensor_maps = {{'A', 64, 64, 128}, {'B', 32, 64, 0}};
        auto event = answer(worker, bench(wanted));
        EXPECT_TRUE(std::holds_alternative<measure::NotedPoint>(event)) << said(event);
    }
    auto wide = launch("mapped", 33, 20, 8);
    wide.tensor_maps = {{'A', 64, 64, 128}, {'B', 32, 64, 0}};
    EXPECT_NE(said(answer(worker, gpu::RunRequest{wide, 0, true, 10}))
                  .find("cannot make a tensor map of A with boxes of 64 x 64 and a swizzle of 128 bytes"),
              std::string::npos);
}

TEST(TensorMaps, ADriverWithoutThemIsAnError) {
    auto library = base::SharedLibrary::open({"libm.so.6"}); // has none of a driver's functions
    ASSERT_TRUE(library) << library.error().sentence();
    const gpu::Driver driver{.library = *library};
    auto wanted = launch("mapped", 4, 4, 4);
    EXPECT_TRUE(gpu::GemmArguments::make(driver, wanted, 16, 32, 48));
    wanted.tensor_maps = {{'C', 4, 4, 0}};
    auto made = gpu::GemmArguments::make(driver, wanted, 16, 32, 48);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().failure, base::Failure::missing);
    EXPECT_NE(made.error().sentence().find("has no cuTensorMapEncodeTiled"), std::string::npos)
        << made.error().sentence();
}

TEST(FakeGpu, AtThePowerLimitSamplesAreTakenOnceTheClockIsTheKernelsOwn) {
    gpu::Worker worker(on_fake_gpu(FAKE_CUDA ":" FAKE_CUBLAS ":" FAKE_NVML));
    auto event = answer(worker, bench(launch("swinging"), 3)); // 3 / 8 s of launches come first, and not only a tenth
    auto* answered = std::get_if<measure::NotedPoint>(&event);
    ASSERT_TRUE(answered) << said(event);
    EXPECT_EQ(answered->point.sm_clock_mhz, 1000);
    EXPECT_EQ(answered->point.median_ms, 2);
    EXPECT_EQ(answered->point.min_ms, 2) << "a sample of the short turns of the trial";
    // Read once in 10 ms of launches, so 20 J are four times five launches of 2 ms.
    EXPECT_EQ(answered->point.joules, 1);
    EXPECT_EQ(answered->point.cublas.joules, 20 / (4 * std::floor(10 / answered->point.cublas.median_ms)));
}

TEST(FakeGpu, AWrongResultIsNoPointAndTheWorkerGoesOn) {
    gpu::Worker worker(on_fake_gpu());
    auto event = answer(worker, bench(launch("wrong")));
    EXPECT_NE(said(event).find("wrong is wrong at 33 x 17 x 9: relative error nan"), std::string::npos) << said(event);
    event = answer(worker, bench(launch("right")));
    EXPECT_TRUE(std::holds_alternative<measure::NotedPoint>(event)) << said(event);
}

TEST(FakeGpu, AKernelThatIsRightOnlyAtFirstIsNoPoint) {
    gpu::Worker worker(on_fake_gpu());
    const auto event = answer(worker, bench(launch("tiring")));
    EXPECT_NE(said(event).find("tiring is wrong at 33 x 17 x 9"), std::string::npos) << said(event);
}

TEST(FakeGpu, AnIllegalOrMisalignedAddressEndsTheWorkerAndTheNextRequestStartsAnother) {
    gpu::Worker worker(on_fake_gpu());
    for (const auto& [behaviour, name] :
         {std::pair{"illegal", "CUDA_ERROR_ILLEGAL_ADDRESS"}, {"misaligned", "CUDA_ERROR_MISALIGNED_ADDRESS"}}) {
        auto event = answer(worker, bench(launch(behaviour)));
        EXPECT_NE(said(event).find(name), std::string::npos) << said(event);
        EXPECT_NE(said(event).find("gemmscope check"), std::string::npos);
        event = answer(worker, bench(launch("right")));
        EXPECT_TRUE(std::holds_alternative<measure::NotedPoint>(event)) << said(event);
    }
}

TEST(FakeGpu, AnEndlessKernelIsReportedByTheWorkerItself) {
    gpu::Worker worker(on_fake_gpu());
    auto event = answer(worker, bench(launch("endless"), 0.2));
    EXPECT_NE(said(event).find("did not end within the time limit"), std::string::npos) << said(event);
    event = answer(worker, bench(launch("right")));
    EXPECT_TRUE(std::holds_alternative<measure::NotedPoint>(event)) << said(event);
}

TEST(FakeGpu, TooLargeAndOddRequestsAreErrors) {
    gpu::Worker worker(on_fake_gpu());
    EXPECT_NE(said(answer(worker, bench(launch("right", 1 << 15, 1 << 15, 4))))
                  .find("needs 4.0 GiB on the GPU, 1.0 GiB are free"),
              std::string::npos);
    auto odd = launch("right");
    odd.entry = "tea";
    EXPECT_NE(said(answer(worker, bench(odd))).find("cannot find tea"), std::string::npos);
    odd = launch("right");
    odd.image = {std::byte{1}};
    EXPECT_NE(said(answer(worker, bench(odd))).find("neither machine code nor PTX"), std::string::npos);
    auto elsewhere = bench(launch("right"));
    elsewhere.device = 3;
    EXPECT_NE(said(answer(worker, elsewhere)).find("there is no GPU 3; the driver found 1"), std::string::npos);
    auto event = answer(worker, bench(launch("right")));
    EXPECT_TRUE(std::holds_alternative<measure::NotedPoint>(event)) << said(event);
}

TEST(FakeGpu, MemoryThatRunsOutAfterAllIsAnErrorAndTheWorkerGoesOn) {
    gpu::Worker worker(on_fake_gpu());
    auto event =
        answer(worker, bench(launch("right", 12000, 12000, 4))); // 549 MiB of C: enough is free, not in one piece
    EXPECT_NE(said(event).find("cannot allocate 549.3 MiB on the GPU"), std::string::npos) << said(event);
    event = answer(worker, bench(launch("right")));
    EXPECT_TRUE(std::holds_alternative<measure::NotedPoint>(event)) << said(event);
}

TEST(FakeGpu, OfTwoTheOneOfTheIndexIsUsed) {
    auto options = on_fake_gpu();
    options.command = "FAKE_GPUS=2 " + options.command;
    gpu::Worker worker(options);
    worker.start();
    auto greeting = worker.next(60);
    ASSERT_TRUE(greeting && std::holds_alternative<gpu::Hello>(*greeting));
    const auto& devices = std::get<gpu::Hello>(*greeting).devices;
    ASSERT_EQ(devices.size(), 2u);
    for (int index : {1, 0, 1}) {
        auto request = bench(launch("right"));
        request.device = index;
        auto event = answer(worker, request);
        ASSERT_TRUE(std::holds_alternative<measure::NotedPoint>(event)) << said(event);
        EXPECT_EQ(std::get<measure::NotedPoint>(event).point.device, devices[static_cast<size_t>(index)].name);
    }
    auto beyond = bench(launch("right"));
    beyond.device = 2;
    EXPECT_NE(said(answer(worker, beyond)).find("there is no GPU 2; the driver found 2"), std::string::npos);
}

TEST(FakeGpu, AQuickPointIsTimedAlone) {
    gpu::Worker worker(on_fake_gpu(FAKE_CUDA ":" FAKE_CUBLAS));
    auto request = bench(launch("right"));
    request.quick = true;
    request.max_samples = 3;
    auto event = answer(worker, request);
    auto* answered = std::get_if<measure::NotedPoint>(&event);
    ASSERT_TRUE(answered) << said(event);
    EXPECT_EQ(answered->point.samples, 3);
    EXPECT_EQ(answered->point.median_ms, 1);
    EXPECT_EQ(answered->point.cublas.mode, "");
    EXPECT_EQ(answered->point.back_to_back_ms, 0);
    request.launch = launch("wrong");
    EXPECT_NE(said(answer(worker, request)).find("wrong is wrong"), std::string::npos) << "and verified all the same";
}

gpu::TimelineRequest recorded(gpu::Launch plain, const std::string& behaviour) {
    plain.grid = {3, 2, 1};
    return {plain, launch(behaviour).image, 0, 0.5};
}

TEST(FakeGpu, BlocksAreRecordedWithoutTouchingTheKernel) {
    gpu::Worker worker(on_fake_gpu());
    auto event = answer(worker, recorded(launch("right"), "recording"));
    auto* timeline = std::get_if<measure::BlockTimeline>(&event);
    ASSERT_TRUE(timeline) << said(event);
    EXPECT_EQ(timeline->kernel, "right");
    EXPECT_EQ(timeline->parameters.at("BM"), 16);
    EXPECT_EQ(timeline->m, 33);
    EXPECT_EQ(timeline->grid, (base::Dim3{3, 2, 1}));
    ASSERT_EQ(timeline->blocks.size(), 6u);
    EXPECT_EQ(timeline->blocks[0], (measure::BlockRecord{0, 15, 0}));
    EXPECT_EQ(timeline->blocks[5], (measure::BlockRecord{50, 65, 1}));
    EXPECT_EQ(timeline->plain_ms, 1);
    EXPECT_EQ(timeline->recorded_ms, 1);
    EXPECT_EQ(timeline->device, "Fake GPU");
    EXPECT_EQ(timeline->multiprocessors, 2);
    EXPECT_EQ(timeline->date.size(), 10u);
}

TEST(FakeGpu, ARecordingThatDisturbsOrMissesABlockIsNoTimeline) {
    gpu::Worker worker(on_fake_gpu());
    EXPECT_NE(said(answer(worker, recorded(launch("right"), "disturbed"))).find("the kernel gives another C"),
              std::string::npos);
    EXPECT_NE(said(answer(worker, recorded(launch("right"), "unrecorded"))).find("block 5 of 6 left no record"),
              std::string::npos);
    auto event = answer(worker, recorded(launch("endless"), "recording"));
    EXPECT_NE(said(event).find("did not end within the time limit"), std::string::npos) << said(event);
    event = answer(worker, recorded(launch("right"), "illegal"));
    EXPECT_NE(said(event).find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos) << said(event);
    event = answer(worker, recorded(launch("right"), "recording"));
    EXPECT_TRUE(std::holds_alternative<measure::BlockTimeline>(event)) << said(event);
}

gpu::HostProductRequest host_product(int m, int n, int k) {
    gpu::HostProductRequest request;
    request.launch.kernel = "cublasxt_fp32";
    request.launch.problem = {m, n, k};
    request.launch.alpha = 0.5;
    request.max_samples = 20;
    return request;
}

TEST(FakeGpu, AProductOfHostMemoryIsAPoint) {
    gpu::Worker worker(on_fake_gpu(FAKE_CUBLAS ":" FAKE_CUDA));
    auto request = host_product(33, 17, 9);
    for (const double beta : {0.0, -0.25}) {
        request.launch.beta = beta;
        int progress = 0;
        auto event = answer(worker, request, &progress);
        auto* answered = std::get_if<measure::NotedPoint>(&event);
        ASSERT_TRUE(answered) << said(event);
        const measure::BenchPoint& p = answered->point;
        EXPECT_EQ(p.kernel, "cublasxt_fp32");
        EXPECT_EQ(p.library, "cublasXt 13.0.2");
        EXPECT_EQ(p.device, "Fake GPU");
        EXPECT_GE(p.samples, 10);
        EXPECT_LE(p.samples, 20);
        EXPECT_NEAR(p.gflops / measure::gflops(33, 17, 9, p.median_ms), 1, 1e-5) << "both travel with six digits";
        EXPECT_LT(p.max_rel_error, 1e-6);
        EXPECT_GT(progress, p.samples);
    }
    // The library sees C' = B' A': its m is our N.
    EXPECT_NE(said(answer(worker, host_product(8, 13, 8))).find("cublasxt_fp32 is wrong at 8 x 13 x 8"),
              std::string::npos);
    gpu::Worker without(on_fake_gpu());
    EXPECT_TRUE(std::holds_alternative<base::Error>(answer(without, request))) << "no cuBLAS, or one of a real GPU";
}

gpu::BenchRequest cutlass(const std::string& id, int m = 33, int n = 17, int k = 9) {
    gpu::Launch launch;
    launch.kernel = id;
    launch.problem = {m, n, k};
    return bench(launch);
}

TEST(FakeGpu, CutlassIsMeasuredAsAKernelIs) {
    gpu::Worker worker(on_fake_gpu(FAKE_CUTLASS ":" FAKE_CUBLAS ":" FAKE_CUDA));
    for (const auto& [id, ms] : {std::pair{"cutlass_128x128", 4.0}, {"cutlass_256x128", 0.5}})
        for (const double beta : {0.0, -0.25}) {
            auto request = cutlass(id);
            request.launch.alpha = 1.1, request.launch.beta = beta;
            auto event = answer(worker, request);
            auto* answered = std::get_if<measure::NotedPoint>(&event);
            ASSERT_TRUE(answered) << said(event);
            const measure::BenchPoint& p = answered->point;
            EXPECT_EQ(p.kernel, id);
            EXPECT_TRUE(p.parameters.empty());
            EXPECT_EQ(p.library, "CUTLASS 1.2.3, 4 stages");
            EXPECT_EQ(p.cuda, "12.9");
            EXPECT_EQ(p.device, "Fake GPU");
            EXPECT_EQ(p.median_ms, ms);
            EXPECT_EQ(p.back_to_back_ms, ms);
            EXPECT_LT(p.max_rel_error, 1e-6);
            EXPECT_EQ(p.cublas.median_ms, 2); // fake_cublas.cpp
            EXPECT_EQ(p.ratio, 2 / ms);
        }
}

TEST(FakeGpu, AWrongOrRefusedProductOfCutlassIsNoPointAndTheWorkerGoesOn) {
    gpu::Worker worker(on_fake_gpu(FAKE_CUTLASS ":" FAKE_CUDA));
    auto event = answer(worker, cutlass("cutlass_256x128", 13));
    EXPECT_NE(said(event).find("cutlass_256x128 is wrong at 13 x 17 x 9"), std::string::npos) << said(event);
    EXPECT_EQ(said(event).find("gemmscope check"), std::string::npos) << "there is no kernel to check";
    event = answer(worker, cutlass("cutlass_256x128", 33, 13));
    EXPECT_NE(said(event).find("cutlass_256x128 was not launched: invented reason"), std::string::npos) << said(event);
    auto doubles = cutlass("cutlass_256x128");
    doubles.launch.operands = catalog::OperandType::f64;
    EXPECT_NE(said(answer(worker, doubles)).find("cutlass_256x128 multiplies f32, not f64"), std::string::npos);
    event = answer(worker, cutlass("cublasxt_fp32")); // of host memory: no kernel and no library of the device's
    EXPECT_NE(said(event).find("neither machine code nor PTX"), std::string::npos) << said(event);
    event = answer(worker, cutlass("cutlass_256x128"));
    EXPECT_TRUE(std::holds_alternative<measure::NotedPoint>(event)) << said(event);
}

TEST(FakeGpu, CutlassNeedsAmpere) {
    for (const auto& [major, runs] : {std::pair{"7", false}, {"8", true}, {"12", true}}) {
        auto options = on_fake_gpu(FAKE_CUTLASS ":" FAKE_CUDA);
        options.command = std::string("FAKE_MAJOR=") + major + " " + options.command;
        gpu::Worker worker(options);
        auto event = answer(worker, cutlass("cutlass_256x128"));
        EXPECT_EQ(std::holds_alternative<measure::NotedPoint>(event), runs) << said(event);
        if (!runs) {
            EXPECT_NE(said(event).find("which Fake GPU (sm_70) cannot"), std::string::npos) << said(event);
        }
    }
}

TEST(Cutlass, ABuildWithoutItSaysHowToGetIt) {
    for (const char* name : {"libno_such_cutlass.so", "libm.so.6"}) { // not there; without the functions
        auto library = gpu::Cutlass::open({name});
        ASSERT_FALSE(library);
        EXPECT_EQ(library.error().failure, base::Failure::missing);
        EXPECT_NE(library.error().sentence().find("GEMMSCOPE_CUTLASS=1 ./gemmscope.sh"), std::string::npos)
            << library.error().sentence();
    }
}

// It carries CUDA's runtime, so that it loads wherever the program does.
TEST(Cutlass, TheLibraryOfThisBuildLoadsWithoutAGpu) {
    const auto beside = std::filesystem::path(GEMMSCOPE).parent_path() / "libgemmscope_cutlass.so";
    if (!std::filesystem::exists(beside)) GTEST_SKIP() << "built without CUTLASS";
    auto library = gpu::Cutlass::open({beside.string()});
    ASSERT_TRUE(library) << library.error().sentence();
    EXPECT_NE(library->version().find(" stages"), std::string::npos) << library->version();
    EXPECT_NE(library->cuda().find('.'), std::string::npos) << library->cuda();
}

TEST(FakeGpu, PeaksAreWorkOverTime) {
    gpu::Worker worker(on_fake_gpu());
    gpu::PeaksRequest request{launch("idle"),
                              launch("idle"),
                              launch("idle"),
                              5e6,
                              {launch("idle"), 1 << 14, 3e6},
                              {launch("idle"), 1 << 20, 4e6}};
    auto event = answer(worker, request);
    auto* peaks = std::get_if<measure::Peaks>(&event);
    ASSERT_TRUE(peaks) << said(event);
    EXPECT_NEAR(peaks->fma_gflops, 5e6 * 16 * 20 * 1e-6, 1e-3); // as many turns as would take 20 ms, in one
    EXPECT_NEAR(peaks->fp64_gflops, peaks->fma_gflops, 1e-3);
    EXPECT_NEAR(peaks->copy_gb_s, 2 * 0x1p28 * 1e-6,
                1e-3); // a quarter of the free GiB, read and written, in a millisecond
    EXPECT_NEAR(peaks->l1_gb_s, 3e6 * 16 * 20 * 1e-6, 1e-3); // in as many turns as the FMAs
    EXPECT_NEAR(peaks->l2_gb_s, 4e6 * 16 * 20 * 1e-6, 1e-3);
    EXPECT_EQ(peaks->cuda, "13.0");
    request.fp64 = launch("illegal");
    EXPECT_NE(said(answer(worker, request)).find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
}

// As the worker's child, with its standard streams in the test's hands.
base::Result<base::Process> by_hand(const std::string& before = "") {
    return base::Process::start({"/bin/sh", "-c", before + "exec env " + on_fake_gpu().command}, base::Group::own,
                                "it");
}

void write_all(base::Process& process, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::send(process.input.number(), text.data(), text.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) return;
        if (sent > 0) text.remove_prefix(static_cast<size_t>(sent));
        pollfd writable{process.input.number(), POLLOUT, 0};
        ::poll(&writable, 1, 1000);
    }
}

// Bytes up to one line's end; empty: the end.
std::string line_of(base::Process& process) {
    std::string line;
    for (char c = 0;;) {
        pollfd readable{process.output.number(), POLLIN, 0};
        if (::poll(&readable, 1, 60'000) <= 0 || ::read(process.output.number(), &c, 1) != 1) return {};
        if (c == '\n') return line;
        line += c;
    }
}

// A connection that is cut: the input may stay open, and a kernel run on.
TEST(FakeGpu, AWorkerThatNobodyHearsEnds) {
    auto worker = by_hand();
    ASSERT_TRUE(worker) << worker.error().sentence();
    ASSERT_NE(line_of(*worker), "");
    write_all(*worker, gpu::to_json(gpu::Request(bench(launch("endless"), 600))) + "\n");
    worker->output.close();
    const std::string how = worker->finish(60).english();
    EXPECT_TRUE(how == "exited with status 1" || how == "was killed by signal 13 (Broken pipe)") << how;
}

TEST(FakeGpu, ARequestWithoutEndTakesNoMemoryWithoutEnd) {
    const auto pids = std::filesystem::path(testing::TempDir()) / ("long_request_" + std::to_string(::getpid()));
    auto worker = by_hand("echo $$ >'" + pids.string() + "'; ");
    ASSERT_TRUE(worker) << worker.error().sentence();
    ASSERT_NE(line_of(*worker), "");
    const std::string chunk(1 << 24, 'x');
    for (int i = 0; i < 64; ++i) write_all(*worker, chunk);
    write_all(*worker, "\n" + gpu::to_json(gpu::Request(gpu::Ping{}), 7) + "\n");
    std::string line;
    do line = line_of(*worker);
    while (line.find("refusal") != std::string::npos);
    EXPECT_EQ(line, gpu::to_json(gpu::Reply(gpu::Pong{}), 7));
    pid_t pid = 0;
    std::ifstream(pids) >> pid;
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    long peak_kb = 0;
    for (std::string word; status >> word;)
        if (word == "VmHWM:") status >> peak_kb;
    EXPECT_GT(peak_kb, 0);
    if (!base::thread_sanitizer) { // its shadow of what is touched counts, too
        EXPECT_LT(peak_kb, 800'000) << "of a gigabyte";
    }
    std::filesystem::remove(pids);
}

// Before anything is allocated: the system would kill the worker, and nobody would know why.
TEST(FakeGpu, WhatDoesNotFitIntoHostMemoryIsRefused) {
    if (base::reserves_terabytes) GTEST_SKIP() << "a sanitizer does not start in so few addresses";
    auto options = on_fake_gpu();
    options.command = "ulimit -v 3000000; export FAKE_MEMORY=1000000000000; " + options.command;
    gpu::Worker worker(options);
    const auto event = answer(worker, bench(launch("right", 20000, 20000, 20000)));
    EXPECT_NE(said(event).find("20000 x 20000 x 20000 in host memory needs 5.96 GiB"), std::string::npos)
        << said(event);
}

} // namespace
