// Kernels for tests on a real GPU: right ones, and those that go wrong in the ways that a worker must survive.
#pragma once

#include "gpu/driver/device.h"
#include "gpu/live/live_picture.h"

#include "compile/compiler.h"

#include <cmath>
#include <string>
#include <vector>

namespace kernels {

inline const std::string head =
    "extern \"C\" __global__ void sgemm(int M, int N, int K, float alpha, const float* A, const float* B, "
    "float beta, float* C) {\n"
    "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n";
inline const std::string product =
    "    if (x >= N || y >= M) return;\n    float sum = 0;\n"
    "    for (int k = 0; k < K; ++k) sum = fmaf(A[(size_t)y * K + k], B[(size_t)k * N + x], sum);\n"
    "    size_t at = (size_t)y * N + x;\n";

inline const std::string right =
    head + product + "    C[at] = beta == 0 ? alpha * sum : fmaf(alpha, sum, beta * C[at]);\n}\n";
inline const std::string wrong =
    head + product + "    if (at != 7) C[at] = alpha * sum;\n}\n"; // leaves one element out
inline const std::string misaligned = head + "    *(float*)((char*)C + 2) = 1;\n}\n";
inline const std::string illegal = head + "    C[(size_t)1 << 40] = 1;\n}\n";
inline const std::string slow =
    head + "    long long end = clock64() + 4000000000ll;\n    while (clock64() < end) C[0] = 1;\n}\n"; // two seconds

// For the first GPU. Errors: no GPU, no NVRTC.
inline base::Result<gpu::Launch> compiled(const std::string& source, int m, int n, int k) {
    auto driver = gpu::Driver::open();
    if (!driver) return driver.error();
    CUdevice handle = 0;
    if (auto done = (*driver)->check((*driver)->device_get(&handle, 0), base::phrase("cannot open the GPU")); !done)
        return done.error();
    auto device = gpu::describe(**driver, handle);
    if (!device) return device.error();
    auto code = compile::to_machine_code({source, "test.cu", "", {}, device->arch});
    if (!code.value) return code.failed->error;
    gpu::Launch launch;
    launch.kernel = "test";
    launch.image = code.value->cubin;
    launch.entry = code.value->entry;
    launch.block = {16, 16, 1};
    launch.grid = {(static_cast<uint32_t>(n) + 15) / 16, (static_cast<uint32_t>(m) + 15) / 16, 1};
    launch.problem.m = m;
    launch.problem.n = n;
    launch.problem.k = k;
    return launch;
}

// What `right` computes with beta = 0, bit for bit.
inline std::vector<float> on_cpu(const gpu::LiveRun& run) {
    auto [m, n, k] = run.launch.problem;
    std::vector<float> c;
    for (int y = 0; y < m; ++y)
        for (int x = 0; x < n; ++x) {
            float sum = 0;
            for (int i = 0; i < k; ++i)
                sum = std::fma(
                    static_cast<float>(run.a[static_cast<size_t>(y) * static_cast<size_t>(k) + static_cast<size_t>(i)]),
                    static_cast<float>(run.b[static_cast<size_t>(i) * static_cast<size_t>(n) + static_cast<size_t>(x)]),
                    sum);
            c.push_back(static_cast<float>(run.launch.alpha) * sum);
        }
    return c;
}

} // namespace kernels
