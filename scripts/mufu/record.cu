// Records what the special function unit gives, for fit.py and data.py: nvcc -arch=native record.cu -o record && ./record FOLDER
// FUNCTION.FIRST.COUNT has the bits of the results for COUNT arguments from FIRST on, as differences in four planes of bytes, the lowest
// first; FUNCTION.everywhere has 2^20 results for arguments from all of the 2^32. 1.4 GB.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <string>
#include <vector>

enum class Function { rcp, rsqrt, sqrt, ex2, lg2, sin, cos, tanh, rcp64h, rsqrt64h, ex2_f16, tanh_f16, ex2_bf16, tanh_bf16 };
const char* const names[] = {"rcp",  "rsqrt",  "sqrt",     "ex2",     "lg2",      "sin",      "cos",
                             "tanh", "rcp64h", "rsqrt64h", "ex2_f16", "tanh_f16", "ex2_bf16", "tanh_bf16"};

template <Function f>
__device__ uint32_t result_of(uint32_t bits) {
    if constexpr (f == Function::rcp64h || f == Function::rsqrt64h) {
        const double a = __hiloint2double(static_cast<int>(bits), 0);
        double r = 0;
        if constexpr (f == Function::rcp64h) asm volatile("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
        else asm volatile("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
        return static_cast<uint32_t>(__double2hiint(r));
    } else if constexpr (f >= Function::ex2_f16) {
        const auto a = static_cast<uint16_t>(bits);
        uint16_t r = 0;
        if constexpr (f == Function::ex2_f16) asm volatile("ex2.approx.f16 %0, %1;" : "=h"(r) : "h"(a));
        if constexpr (f == Function::tanh_f16) asm volatile("tanh.approx.f16 %0, %1;" : "=h"(r) : "h"(a));
        if constexpr (f == Function::ex2_bf16) asm volatile("ex2.approx.ftz.bf16 %0, %1;" : "=h"(r) : "h"(a));
        if constexpr (f == Function::tanh_bf16) asm volatile("tanh.approx.bf16 %0, %1;" : "=h"(r) : "h"(a));
        return r;
    } else {
        const float a = __uint_as_float(bits);
        float r = 0;
        if constexpr (f == Function::rcp) asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
        if constexpr (f == Function::rsqrt) asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
        if constexpr (f == Function::sqrt) asm volatile("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
        if constexpr (f == Function::ex2) asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
        if constexpr (f == Function::lg2) asm volatile("lg2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
        if constexpr (f == Function::sin) asm volatile("sin.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
        if constexpr (f == Function::cos) asm volatile("cos.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
        if constexpr (f == Function::tanh) asm volatile("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
        return __float_as_uint(r);
    }
}

struct Run {
    uint32_t first, count;
    __device__ uint32_t argument(uint32_t i) const { return first + i; }
};
struct Everywhere {
    uint32_t count = 1 << 20;
    __device__ uint32_t argument(uint32_t i) const { return i * 4096 + (i * 2654435761u >> 20); }
};

template <Function f, class Arguments>
__global__ void fill(Arguments arguments, uint32_t* results) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < arguments.count) results[i] = result_of<f>(arguments.argument(i));
}

template <Function f, class Arguments>
std::vector<uint32_t> results_of(Arguments arguments) {
    std::vector<uint32_t> results(arguments.count);
    const size_t bytes = results.size() * sizeof results[0];
    uint32_t* device = nullptr;
    cudaMalloc(&device, bytes);
    fill<f><<<(arguments.count + 255) / 256, 256>>>(arguments, device);
    cudaMemcpy(results.data(), device, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device);
    return results;
}

void write(const std::string& path, const void* data, size_t bytes) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file || std::fwrite(data, 1, bytes, file) != bytes) std::perror(path.c_str());
    if (file) std::fclose(file);
}

template <Function f>
void record(const std::string& folder, uint32_t first, uint32_t count) {
    const std::vector<uint32_t> results = results_of<f>(Run{first, count});
    std::vector<uint8_t> planes(results.size() * 4);
    for (size_t i = 0; i < results.size(); ++i) {
        const uint32_t difference = results[i] - (i ? results[i - 1] : 0);
        for (size_t plane = 0; plane < 4; ++plane)
            planes[plane * results.size() + i] = static_cast<uint8_t>(difference >> (8 * plane));
    }
    char name[64];
    std::snprintf(name, sizeof name, "/%s.%08x.%u", names[static_cast<int>(f)], first, count);
    write(folder + name, planes.data(), planes.size());
}

template <Function f>
void record_everywhere(const std::string& folder) {
    const std::vector<uint32_t> results = results_of<f>(Everywhere{});
    write(folder + "/" + names[static_cast<int>(f)] + ".everywhere", results.data(), results.size() * sizeof results[0]);
}

int main(int, char** arguments) {
    const std::string folder = arguments[1];
    constexpr uint32_t binade = 1 << 23, one = 0x3F800000, minus = 0x80000000; // a binade: from one power of two to the next
    record<Function::rcp>(folder, one, binade);
    record<Function::rcp>(folder, minus | one, binade);
    record<Function::rsqrt>(folder, one, 2 * binade);
    record<Function::sqrt>(folder, one, 2 * binade);
    for (uint32_t sign : {0u, minus})
        for (int e = -6; e <= 3; ++e) record<Function::ex2>(folder, sign | (one + e * binade), binade);
    for (int e : {-3, -2, -1, 0, 1, 2, 3, 4, 5, 60}) record<Function::lg2>(folder, one + e * binade, binade);
    for (int e = -6; e <= 4; ++e) {
        record<Function::sin>(folder, one + e * binade, binade);
        record<Function::cos>(folder, one + e * binade, binade);
    }
    record<Function::sin>(folder, minus | (one + binade), binade);
    for (int e = -9; e <= 4; ++e) record<Function::tanh>(folder, one + e * binade, binade);
    record<Function::rcp64h>(folder, 0x3FF00000, 1 << 20);
    record<Function::rsqrt64h>(folder, 0x3FF00000, 1 << 21);
    record<Function::ex2_f16>(folder, 0, 1 << 16);
    record<Function::tanh_f16>(folder, 0, 1 << 16);
    record<Function::ex2_bf16>(folder, 0, 1 << 16);
    record<Function::tanh_bf16>(folder, 0, 1 << 16);
    record_everywhere<Function::rcp>(folder);
    record_everywhere<Function::rsqrt>(folder);
    record_everywhere<Function::sqrt>(folder);
    record_everywhere<Function::ex2>(folder);
    record_everywhere<Function::lg2>(folder);
    record_everywhere<Function::sin>(folder);
    record_everywhere<Function::cos>(folder);
    record_everywhere<Function::tanh>(folder);
    record_everywhere<Function::rcp64h>(folder);
    record_everywhere<Function::rsqrt64h>(folder);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
