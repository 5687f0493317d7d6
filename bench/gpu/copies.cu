// Asynchronous copies from global to shared memory: cp.async of a lane's bytes, bulk copies, and boxes of a tensor map.
#include <cuda.h>

#include "measure.h"

namespace micro {

/// Copies of `Bytes` a lane from L2 or L1's side, never waited for but at the end.
template <int Bytes, bool Wait> struct CpAsync {
    uint32_t to;
    const char* from;
    uint32_t argument;
    __device__ explicit CpAsync(const Input& in) : argument(in.argument) {
        to = shared_base() + threadIdx.x % 32 * Bytes + threadIdx.x / 32 * 512;
        from = reinterpret_cast<const char*>(in.memory) + threadIdx.x % 32 * Bytes + threadIdx.x / 32 * 8192;
    }
    __device__ void step(int u) {
        if (u == 0) from += argument;
        const char* at = from + u % 16 * 512;
        if constexpr (Bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(at) : "memory");
        else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(at), "n"(Bytes) : "memory");
        if constexpr (Wait) asm volatile("cp.async.wait_all;" ::: "memory");
    }
    __device__ void keep(uint32_t*) { asm volatile("cp.async.wait_all;" ::: "memory"); }
};

template <int Bytes> void cp_async_of(Bench& bench) {
    const std::string n = std::to_string(Bytes), name = "cp_async_" + n;
    constexpr int SHARED = 32 * 512;
    report(name + "_latency", bench.cycles<CpAsync<Bytes, true>, 32>({1, 1}, 0, SHARED), "cycles", "one warp copies " + n + " bytes a lane from 8 KB that were just read and waits, each time");
    report(name + "_interval_1_warp", bench.cycles<CpAsync<Bytes, false>, 32>({1, 1}, 0, SHARED), "cycles", "one warp copies " + n + " bytes a lane again and again without waiting");
    report(name + "_interval_4_warps", bench.cycles<CpAsync<Bytes, false>, 32>({1, 4}, 0, SHARED) / 4, "cycles", "four warps, cycles of the SM each instruction");
    report(name + "_interval_16_warps", bench.cycles<CpAsync<Bytes, false>, 32>({4, 4}, 0, SHARED) / 16, "cycles", "16 warps, cycles of the SM each instruction");
}

__device__ inline uint32_t of_shared(const void* p) { return uint32_t(__cvta_generic_to_shared(p)); }
__device__ inline void wait_for(uint32_t barrier, uint32_t parity) {
    asm volatile("{.reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra AGAIN_%=;}" ::"r"(barrier), "r"(parity) : "memory");
}

/// Pieces of `Bytes` one behind another.
template <int Bytes> struct Bulk {
    static constexpr int BYTES = Bytes;
    const char* from;
    __device__ void copy(uint32_t to, int i, uint32_t barrier) const {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from + size_t(i) * Bytes),
                     "r"(Bytes), "r"(barrier)
                     : "memory");
    }
};

/// Boxes of a matrix of floats, side by side: `Rows` rows of `Columns` floats.
template <int Columns, int Rows> struct Box {
    static constexpr int BYTES = 4 * Columns * Rows;
    CUtensorMap map;
    __device__ void copy(uint32_t to, int i, uint32_t barrier) const {
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map),
                     "r"(i * Columns), "r"(0), "r"(barrier)
                     : "memory");
    }
};

/// One thread issues `Count` copies to one barrier, whose bytes it has announced, and waits for all.
template <int Count, class Copy> __global__ void in_bulk(Span* spans, __grid_constant__ const Copy copy) {
    extern __shared__ __align__(1024) char places[];
    __shared__ __align__(8) uint64_t places_of_barrier;
    uint32_t chosen = 0; // with this instruction ptxas knows that one thread goes on, and puts no loop around each copy
    asm volatile("{.reg .pred p; elect.sync _|p, -1; selp.u32 %0, 1, 0, p;}" : "=r"(chosen));
    if (!chosen) return;
    const uint32_t barrier = of_shared(&places_of_barrier), to = (of_shared(places) + 1023) & ~1023u;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    long long begin = 0, issued = 0, end = 0;
#pragma unroll 1
    for (uint32_t pass = 0; pass < 3; ++pass) { // the first fills L2 and the caches
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(Count * Copy::BYTES) : "memory");
        begin = clock64();
#pragma unroll
        for (int i = 0; i < Count; ++i) copy.copy(to + i * Copy::BYTES, i, barrier);
        issued = clock64();
        wait_for(barrier, pass % 2);
        end = clock64();
    }
    spans[0] = {begin, issued};
    spans[1] = {begin, end};
}

struct Times {
    Measured issue, all;
};
template <int Count, class Copy> Times times(Bench& bench, const Copy& copy) {
    constexpr int SHARED = Count * Copy::BYTES + 1024;
    need(cudaFuncSetAttribute(in_bulk<Count, Copy>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    std::vector<double> issue, all;
    for (int run = 0; run < 9; ++run) {
        in_bulk<Count, Copy><<<1, 32, SHARED>>>(bench.spans(), copy);
        need(cudaGetLastError());
        Span spans[2];
        need(cudaMemcpy(spans, bench.spans(), sizeof spans, cudaMemcpyDeviceToHost));
        issue.push_back(double(spans[0].end - spans[0].begin));
        all.push_back(double(spans[1].end - spans[1].begin));
    }
    return {median(issue), median(all)};
}

/// What more copies take than fewer, so that what stands around them is in neither.
template <int Few, int Many, class Copy> void copies(Bench& bench, const std::string& name, const std::string& what, const Copy& copy) {
    const Times one = times<1>(bench, copy), few = times<Few>(bench, copy), many = times<Many>(bench, copy);
    const auto more = [](Measured many, Measured few) { return Measured{(many.value - few.value) / (Many - Few), (many.spread + few.spread) / (Many - Few)}; };
    const Measured each = more(many.all, few.all);
    const std::string counts = std::to_string(Many) + " at once, less " + std::to_string(Few);
    report(name + "_latency", one.all, "cycles", what + ", one from L2: from before the copy to the wait that succeeds");
    report(name + "_issue_interval", more(many.issue, few.issue), "cycles", what + ", " + counts + ", all of one thread: cycles until it has issued the next");
    report(name + "_rate", {Copy::BYTES / each.value, Copy::BYTES / each.value * each.spread / each.value}, "bytes/cycle", what + ", " + counts + ", one thread of one SM: until all are there");
}

template <int Bytes, int Few, int Many> void bulk_of(Bench& bench) {
    copies<Few, Many>(bench, "bulk_" + std::to_string(Bytes) + "_bytes", "bulk copies of " + std::to_string(Bytes) + " bytes", Bulk<Bytes>{reinterpret_cast<const char*>(bench.input().memory)});
}

template <int Columns, int Rows, int Few, int Many> void boxes_of(Bench& bench, CUtensorMapSwizzle swizzle, const std::string& says) {
    void* encode = nullptr;
    cudaDriverEntryPointQueryResult found{};
    need(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found));
    Box<Columns, Rows> box{};
    const cuuint64_t sizes[2] = {2048, 8192}, pitch[1] = {2048 * 4};
    const cuuint32_t of_box[2] = {Columns, Rows}, steps[2] = {1, 1};
    const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
        &box.map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, bench.input().memory, sizes, pitch, of_box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) need(cudaErrorInvalidValue);
    const std::string shape = std::to_string(Rows) + "_rows_of_" + std::to_string(4 * Columns) + "_bytes";
    copies<Few, Many>(bench, "box_of_" + shape + (says.empty() ? "" : "_swizzled"),
                      "tensor-map boxes of " + std::to_string(Rows) + " rows of " + std::to_string(4 * Columns) + " bytes" + says, box);
}

} // namespace micro

int main() {
    using namespace micro;
    Bench bench;
    cp_async_of<4>(bench);
    cp_async_of<8>(bench);
    cp_async_of<16>(bench);
    bulk_of<128, 4, 32>(bench);
    bulk_of<512, 4, 32>(bench);
    bulk_of<1024, 4, 32>(bench);
    bulk_of<2048, 4, 32>(bench);
    bulk_of<4096, 4, 32>(bench);
    bulk_of<16384, 2, 12>(bench);
    boxes_of<16, 64, 4, 32>(bench, CU_TENSOR_MAP_SWIZZLE_NONE, "");
    boxes_of<32, 64, 4, 16>(bench, CU_TENSOR_MAP_SWIZZLE_NONE, "");
    boxes_of<32, 64, 4, 16>(bench, CU_TENSOR_MAP_SWIZZLE_128B, ", swizzled by 128 bytes");
    boxes_of<32, 128, 2, 12>(bench, CU_TENSOR_MAP_SWIZZLE_128B, ", swizzled by 128 bytes");
    boxes_of<128, 16, 4, 16>(bench, CU_TENSOR_MAP_SWIZZLE_NONE, "");
}
