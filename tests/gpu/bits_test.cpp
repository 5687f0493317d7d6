// The ladder on a real GPU against the CPU engine: the same PTX, the same inputs, so the same bits.
#include "gpu/client.h"
#include "gpu/driver/driver.h"

#include "base/file.h"
#include "base/hash.h"
#include "session/gpu_runs.h"
#include "session/stages.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <thread>

namespace {

// C on the CPU, as bytes.
base::Result<std::string> on_cpu(const catalog::Kernel& kernel, const session::Subject& subject) {
    auto job = session::resolve(kernel, subject);
    if (!job) return job.error();
    auto prepared = session::prepare(*job);
    if (prepared.failed) return prepared.failed->error;
    auto run = session::run_grid(*job, *prepared.value, static_cast<int>(std::thread::hardware_concurrency()), {});
    if (run.failed) return run.failed->error;
    uint64_t address = 0;
    for (const trace::Buffer& buffer : run.value->memory.buffers())
        if (buffer.name == "C") address = buffer.address;
    if (address == 0) return base::Error{base::Failure::check_failed, "the engine's memory has no buffer C", {}, {}};
    auto bytes = run.value->memory.bytes(address);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

base::Result<gpu::RunResult> on_gpu(gpu::Worker& worker, const catalog::Kernel& kernel, const session::Subject& subject, const std::string& arch) {
    auto launch = session::gpu_launch(kernel, subject, arch);
    if (!launch) return launch.error();
    auto sent = worker.send(gpu::RunRequest{*launch, 0, true, 10});
    if (!sent) return sent.error();
    while (auto event = worker.next(120)) {
        if (auto* result = std::get_if<gpu::RunResult>(&*event)) return *result;
        if (auto* error = std::get_if<base::Error>(&*event)) return *error;
    }
    return base::Error{base::Failure::missing, "the worker gave no answer", {}, {}};
}

std::string device_arch(gpu::Worker& worker) {
    worker.start();
    while (auto event = worker.next(120))
        if (auto* hello = std::get_if<gpu::Hello>(&*event)) return hello->devices.front().arch;
    return {};
}

// How many floats differ, and the first.
std::string difference(const std::string& cpu, const std::vector<float>& gpu) {
    size_t count = 0, first = 0;
    for (size_t i = 0; i < gpu.size(); ++i) {
        if (std::memcmp(cpu.data() + i * sizeof(float), &gpu[i], sizeof(float)) == 0) continue;
        if (count++ == 0) first = i;
    }
    float there = 0;
    if (count > 0) std::memcpy(&there, cpu.data() + first * sizeof(float), sizeof(float));
    return count == 0 ? "" : std::to_string(count) + " of " + std::to_string(gpu.size()) + " differ, first " + std::to_string(first) + ": CPU " +
                                 std::to_string(there) + ", GPU " + std::to_string(gpu[first]);
}

TEST(Bits, OfTheLadderAreTheCpuEngines) {
    auto driver = gpu::Driver::open();
    if (!driver) GTEST_SKIP() << driver.error().sentence();
    auto folder = base::resource_folder("kernels");
    ASSERT_TRUE(folder);
    auto carried_kernels =
        base::resource_folder("test_kernels"); // beside the test where it was carried to another machine
    auto catalog = catalog::load(
        {*folder, carried_kernels ? *carried_kernels : std::filesystem::path(TEST_DATA) / "kernels"});
    const char* carried = std::getenv("GEMMSCOPE_PROGRAM");
    gpu::Worker::Options options;
    options.command = std::string(carried ? carried : GEMMSCOPE) + " worker";
    gpu::Worker worker(options);
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
            ASSERT_EQ(cpu->size(), gpu->c.size() * sizeof(float));
            EXPECT_EQ(base::hash(*cpu), gpu->hash) << difference(*cpu, gpu->c);
            std::cout << kernel->id << " " << problem.m << "x" << problem.n << "x" << problem.k << (base::hash(*cpu) == gpu->hash ? ": same bits\n" : ": DIFFERS\n");
        }
}

} // namespace
