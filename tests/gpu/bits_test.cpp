// The ladder on a real GPU against the CPU engine: the same PTX, the same inputs, so the same bits.
#include "gpu/client.h"
#include "gpu/driver/driver.h"

#include "base/file.h"
#include "base/hash.h"
#include "session/block_timelines.h"
#include "session/gpu_runs.h"
#include "session/stages.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <span>
#include <thread>

namespace {

// C on the CPU, as bytes, without padding.
base::Result<std::string> on_cpu(const catalog::Kernel& kernel, const session::Subject& subject) {
    auto job = session::resolve(kernel, subject);
    if (!job) return job.error();
    auto prepared = session::prepare(*job);
    if (prepared.failed) return prepared.failed->error;
    auto run = session::run_grid(*job, *prepared.value, static_cast<int>(std::thread::hardware_concurrency()), {});
    if (run.failed) return run.failed->error;
    for (const trace::Buffer& buffer : run.value->memory.buffers()) {
        if (buffer.name != "C") continue;
        const base::MatrixLayout layout = buffer.layout();
        std::string bytes(layout.stored_rows() * layout.stored_columns() * buffer.element_bytes(), 0);
        base::remove_padding(layout, buffer.element_bytes(), run.value->memory.bytes(buffer.address),
                             std::as_writable_bytes(std::span(bytes)));
        return bytes;
    }
    return base::Error{base::Failure::check_failed, base::say("the engine's memory has no buffer C"), {}, {}};
}

template <class Answer>
base::Result<Answer> asked(gpu::Worker& worker, gpu::Request request) {
    auto sent = worker.send(std::move(request));
    if (!sent) return sent.error();
    while (auto event = worker.next(120)) {
        if (auto* result = std::get_if<Answer>(&*event)) return *result;
        if (auto* error = std::get_if<base::Error>(&*event)) return *error;
    }
    return base::Error{base::Failure::missing, base::say("the worker gave no answer"), {}, {}};
}

base::Result<gpu::RunResult> on_gpu(gpu::Worker& worker, const catalog::Kernel& kernel, const session::Subject& subject,
                                    const std::string& arch) {
    auto launch = session::gpu_launch(kernel, subject, arch);
    if (!launch) return launch.error();
    return asked<gpu::RunResult>(worker, gpu::RunRequest{*launch, 0, true, 10});
}

std::string device_arch(gpu::Worker& worker) {
    worker.start();
    while (auto event = worker.next(120))
        if (auto* hello = std::get_if<gpu::Hello>(&*event)) return hello->devices.front().arch;
    return {};
}

// How many elements differ, and the first.
std::string difference(const std::string& cpu, const base::Numbers& gpu) {
    const base::NumbersView ours(gpu.element(), std::as_bytes(std::span(cpu)));
    const size_t each = base::bytes_of(gpu.element());
    size_t count = 0, first = 0;
    for (size_t i = 0; i < gpu.size(); ++i) {
        if (std::memcmp(cpu.data() + i * each, gpu.bytes().data() + i * each, each) == 0) continue;
        if (count++ == 0) first = i;
    }
    return count == 0 ? ""
                      : std::to_string(count) + " of " + std::to_string(gpu.size()) + " differ, first " +
                            std::to_string(first) + ": CPU " + std::to_string(ours[first]) + ", GPU " +
                            std::to_string(gpu[first]);
}

catalog::Catalog all_kernels() {
    auto folder = base::resource_folder("kernels");
    EXPECT_TRUE(folder);
    auto carried_kernels =
        base::resource_folder("test_kernels"); // beside the test where it was carried to another machine
    return catalog::load({*folder, *folder / "races",
                          carried_kernels ? *carried_kernels : std::filesystem::path(TEST_DATA) / "kernels"});
}

gpu::Worker::Options this_machine() {
    const char* carried = std::getenv("GEMMSCOPE_PROGRAM");
    gpu::Worker::Options options;
    options.command = std::string(carried ? carried : GEMMSCOPE) + " worker";
    return options;
}

TEST(Bits, OfTheLadderAreTheCpuEngines) {
    auto driver = gpu::Driver::open();
    if (!driver) GTEST_SKIP() << driver.error().sentence();
    const auto catalog = all_kernels();
    gpu::Worker worker(this_machine());
    std::string arch = device_arch(worker);
    ASSERT_FALSE(arch.empty());
    struct {
        catalog::Problem problem;
        float alpha, beta;
    } cases[] = {{{256, 256, 256}, 1, 0},      {{100, 36, 68}, 1.1f, 0}, {{100, 36, 68}, 1.1f, 0.7f},
                 {{100, 37, 65}, 1.1f, -0.3f}, {{1, 1, 1}, 1, 0},        {{129, 130, 131}, 1, 1}};
    for (const auto& kernel : catalog.kernels)
        for (const auto& [problem, alpha, beta] : cases) {
            session::Subject subject;
            subject.kernel = kernel->id;
            subject.problem = problem;
            subject.alpha = alpha;
            subject.beta = beta;
            subject.arch = arch;
            SCOPED_TRACE(kernel->id + " at " + std::to_string(problem.m));
            auto cpu = on_cpu(*kernel, subject);
            ASSERT_TRUE(cpu) << cpu.error().sentence();
            auto gpu = on_gpu(worker, *kernel, subject, arch);
            ASSERT_TRUE(gpu) << gpu.error().sentence();
            ASSERT_EQ(cpu->size(), gpu->c.bytes().size());
            EXPECT_EQ(base::hash(*cpu), gpu->hash) << difference(*cpu, gpu->c);
            std::cout << kernel->id << " " << problem.m << "x" << problem.n << "x" << problem.k
                      << (base::hash(*cpu) == gpu->hash ? ": same bits\n" : ": DIFFERS\n");
        }
}

// The worker compares C with and without the recording.
TEST(Bits, OfARecordedLaunchAreThePlainOnes) {
    auto driver = gpu::Driver::open();
    if (!driver) GTEST_SKIP() << driver.error().sentence();
    const auto catalog = all_kernels();
    gpu::Worker worker(this_machine());
    const std::string arch = device_arch(worker);
    ASSERT_FALSE(arch.empty());
    for (const auto& kernel : catalog.kernels)
        for (const catalog::Problem problem : {catalog::Problem{1024, 1024, 256}, {100, 37, 65}, {1, 1, 1}}) {
            session::Subject subject;
            subject.kernel = kernel->id;
            subject.problem = problem;
            subject.arch = arch;
            SCOPED_TRACE(kernel->id + " at " + std::to_string(problem.m));
            auto request = session::timeline_request(*kernel, subject, arch);
            ASSERT_TRUE(request) << request.error().sentence();
            auto timeline = asked<measure::BlockTimeline>(worker, *request);
            ASSERT_TRUE(timeline) << timeline.error().sentence();
            EXPECT_EQ(timeline->blocks.size(), request->launch.grid.count());
            for (const measure::BlockRecord& block : timeline->blocks)
                EXPECT_LT(block.multiprocessor, static_cast<uint64_t>(timeline->multiprocessors));
            const measure::Waves waves = measure::waves(*timeline);
            EXPECT_GE(waves.resident, 1);
            EXPECT_LE(waves.resident, 32);
            std::cout << kernel->id << " " << problem.m << ": " << timeline->blocks.size() << " blocks, "
                      << waves.resident << " a multiprocessor, " << waves.duration_ns * 1e-6
                      << " ms by the blocks' clock, " << timeline->recorded_ms << " ms by events, "
                      << timeline->plain_ms << " ms unrecorded\n";
        }
}

} // namespace
