// Launches: what an empty one costs, how fast blocks start, and how soon a block follows another on its SM.
#include "measure.h"

#include <chrono>

namespace micro {

__global__ void nothing() {}
__global__ void with_shared(uint32_t* sink) {
    extern __shared__ uint32_t places[];
    if (sink == nullptr) places[threadIdx.x] = 1;
}

struct Times {
    cudaEvent_t begin, end;
    Times() {
        need(cudaEventCreate(&begin));
        need(cudaEventCreate(&end));
    }
    /// Of the second of two launches: the first loads the code.
    template <class Launch> double us(Launch launch) {
        launch();
        need(cudaDeviceSynchronize());
        need(cudaEventRecord(begin));
        launch();
        need(cudaEventRecord(end));
        need(cudaEventSynchronize(end));
        float ms = 0;
        need(cudaEventElapsedTime(&ms, begin, end));
        return 1e3 * ms;
    }
};

/// When each block began and ended, and on which SM.
struct Life {
    unsigned long long begin, end;
    uint32_t sm, pad;
};
__global__ void lives(Life* lives, int cycles) {
    extern __shared__ uint32_t places[];
    const unsigned long long begin = clock64();
    while (clock64() < begin + cycles) {}
    __syncthreads();
    if (threadIdx.x) return;
    uint32_t sm = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    lives[blockIdx.x] = {begin, (unsigned long long)clock64(), sm, uint32_t(cycles ? 0 : places[0])};
}

/// From a block's last look at the clock to the first one of the block that takes its place, one block a SM.
Measured follows(int sms, int threads, int shared_bytes) {
    need(cudaFuncSetAttribute(lives, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    const int blocks = sms * 6;
    Life* all = nullptr;
    need(cudaMalloc(&all, blocks * sizeof(Life)));
    std::vector<double> gaps;
    for (int run = 0; run < 5; ++run) {
        lives<<<blocks, threads, shared_bytes>>>(all, 20000);
        std::vector<Life> life(blocks);
        need(cudaMemcpy(life.data(), all, blocks * sizeof(Life), cudaMemcpyDeviceToHost));
        std::sort(life.begin(), life.end(), [](const Life& a, const Life& b) { return std::pair(a.sm, a.begin) < std::pair(b.sm, b.begin); });
        for (int i = 1; i < blocks; ++i)
            if (life[i].sm == life[i - 1].sm && life[i].begin > life[i - 1].end) gaps.push_back(double(life[i].begin - life[i - 1].end));
    }
    need(cudaFree(all));
    std::sort(gaps.begin(), gaps.end());
    return {gaps[gaps.size() / 2], gaps[gaps.size() * 9 / 10] - gaps[gaps.size() / 10]};
}

} // namespace micro

int main() {
    using namespace micro;
    Bench bench;
    Times times;
    cudaDeviceProp device{};
    need(cudaGetDeviceProperties(&device, 0));
    const int sms = device.multiProcessorCount;
    std::vector<double> single, host;
    for (int run = 0; run < 50; ++run) {
        single.push_back(times.us([] { nothing<<<1, 32>>>(); }));
        const auto begin = std::chrono::steady_clock::now();
        nothing<<<1, 32>>>();
        need(cudaDeviceSynchronize());
        host.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    report("launch_single", median(single), "us", "an empty kernel of one warp between two events");
    report("launch_and_synchronize", median(host), "us", "an empty kernel of one warp and cudaDeviceSynchronize, by the host's clock");
    std::vector<double> row;
    for (int run = 0; run < 9; ++run)
        row.push_back(times.us([] {
            for (int i = 0; i < 1000; ++i) nothing<<<1, 32>>>();
        }) / 1000);
    report("launch_back_to_back", median(row), "us", "a thousand empty kernels of one warp between two events, each");
    for (int threads : {32, 256, 1024})
        for (int blocks : {1, 132, 1320, 13200, 132000}) {
            std::vector<double> runs;
            for (int run = 0; run < 15; ++run) runs.push_back(times.us([&] { nothing<<<blocks, threads>>>(); }));
            report("launch_" + std::to_string(blocks) + "_blocks_of_" + std::to_string(threads), median(runs), "us", "an empty kernel between two events");
        }
    const int most = int(device.sharedMemPerBlockOptin);
    need(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    for (int kb : {0, 32, 100, 227}) {
        std::vector<double> runs, first;
        for (int run = 0; run < 15; ++run) {
            nothing<<<1, 32>>>();
            runs.push_back(times.us([&] { with_shared<<<1320, 256, kb << 10>>>(bench.sink()); }));
        }
        report("launch_1320_blocks_of_256_shared_" + std::to_string(kb) + "_kb", median(runs), "us", "an empty kernel whose blocks ask for this dynamic shared memory, behind one that asks for none");
    }
    for (int threads : {32, 256, 1024})
        for (int kb : {120, 200})
            report("block_follows_" + std::to_string(threads) + "_threads_shared_" + std::to_string(kb) + "_kb", follows(sms, threads, kb << 10), "cycles",
                   "from the last look at the clock in a block to the first in the next on its SM, of which only one fits");
    std::vector<double> waves;
    for (int n : {1, 2, 4, 8}) {
        std::vector<double> runs;
        Life* all = nullptr;
        need(cudaMalloc(&all, sms * 8 * n * sizeof(Life)));
        for (int run = 0; run < 9; ++run) runs.push_back(times.us([&] { lives<<<sms * 8 * n, 256>>>(all, 20000); }));
        need(cudaFree(all));
        report("waves_" + std::to_string(n) + "_of_256_threads_20000_cycles", median(runs), "us", "eight blocks of 256 threads a SM and wave, each waits 20000 cycles");
    }
}
