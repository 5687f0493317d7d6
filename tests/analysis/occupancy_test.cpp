#include "analysis/occupancy.h"

#include <gtest/gtest.h>

#include <climits>

#if __has_include(<cuda_occupancy.h>) // the toolkit's own calculation, the oracle; not part of NVRTC's wheel
#include <cuda_occupancy.h>
#define HAVE_ORACLE
#endif

namespace {

using analysis::Limiter;

#ifdef HAVE_ORACLE

cudaOccDeviceProp properties(const analysis::Multiprocessor& sm) {
    cudaOccDeviceProp p;
    const int number = std::stoi(sm.arch.substr(3));
    p.computeMajor = number / 10;
    p.computeMinor = number % 10;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsPerMultiprocessor = sm.max_warps * 32;
    p.regsPerBlock = p.regsPerMultiprocessor = static_cast<int>(sm.registers);
    p.warpSize = 32;
    p.sharedMemPerBlock = 48 * 1024;
    p.sharedMemPerMultiprocessor = sm.shared_bytes;
    p.sharedMemPerBlockOptin = sm.max_shared_per_block;
    p.reservedSharedMemPerBlock = sm.reserved_shared_per_block;
    p.numSms = 1;
    return p;
}

cudaOccError toolkit(cudaOccResult& result, const cudaOccDeviceProp& p, int threads, int registers, size_t shared) {
    cudaOccFuncAttributes f;
    f.maxThreadsPerBlock = INT_MAX;
    f.numRegs = registers;
    f.sharedSizeBytes = 0;
    f.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    f.maxDynamicSharedSizeBytes = shared;
    f.partitionedGCConfig = PARTITIONED_GC_OFF;
    f.numBlockBarriers = 1;
    cudaOccDeviceState state;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    return cudaOccMaxActiveBlocksPerMultiprocessor(&result, &p, &f, &state, threads, shared);
}

unsigned toolkit_bit(Limiter limiter) {
    switch (limiter) {
    case Limiter::registers: return OCC_LIMIT_REGISTERS;
    case Limiter::shared: return OCC_LIMIT_SHARED_MEMORY;
    case Limiter::threads: return OCC_LIMIT_WARPS;
    case Limiter::blocks: return OCC_LIMIT_BLOCKS;
    }
    return 0;
}

class OccupancyOf : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        auto found = analysis::multiprocessor(GetParam());
        ASSERT_TRUE(found);
        sm = *found;
        device = properties(sm);
        cudaOccResult result{};
        if (toolkit(result, device, 32, 16, 0) == CUDA_OCC_ERROR_UNKNOWN_DEVICE)
            GTEST_SKIP() << "this toolkit does not know " << sm.arch;
    }
    analysis::Multiprocessor sm;
    cudaOccDeviceProp device;
};

TEST_P(OccupancyOf, EqualsTheToolkits) {
    int compared = 0;
    for (int threads :
         {1, 31, 32, 33, 64, 96, 128, 160, 192, 256, 288, 320, 384, 512, 513, 640, 768, 896, 992, 1023, 1024})
        for (int registers : {0,  1,  8,  16,  24,  31,  32,  33,  40,  48,  56,  63,  64, 65,
                              72, 80, 96, 127, 128, 129, 136, 160, 168, 200, 232, 248, 255})
            for (uint32_t shared :
                 {0,     1,     127,   1024,  3072,  4096,  8192,   8320,   16384,  24576,  32768,  33280,
                  48000, 49152, 49153, 65536, 65537, 98304, 101376, 101377, 131072, 166912, 200000, 232448}) {
                cudaOccResult want{};
                ASSERT_EQ(toolkit(want, device, threads, registers, shared), CUDA_OCC_SUCCESS);
                const auto got = analysis::occupancy(sm, threads, registers, shared);
                const std::string what = std::to_string(threads) + " threads, " + std::to_string(registers) +
                                         " registers, " + std::to_string(shared) + " bytes";
                ++compared;
                if (want.activeBlocksPerMultiprocessor == 0) {
                    EXPECT_FALSE(got) << what;
                    continue;
                }
                ASSERT_TRUE(got) << what << ": " << got.error().sentence();
                EXPECT_EQ(got->blocks, want.activeBlocksPerMultiprocessor) << what;
                EXPECT_EQ(got->warps, want.activeBlocksPerMultiprocessor * ((threads + 31) / 32)) << what;
                EXPECT_TRUE(want.limitingFactors & toolkit_bit(got->limiter)) << what << ": " << name(got->limiter);
            }
    EXPECT_EQ(compared, 21 * 27 * 24);
}

TEST_P(OccupancyOf, LimitsOfBlocksAreTheToolkits) {
    cudaOccResult one_warp{};
    ASSERT_EQ(toolkit(one_warp, device, 32, 16, 0), CUDA_OCC_SUCCESS);
    EXPECT_EQ(one_warp.blockLimitBlocks, sm.max_blocks);
}

INSTANTIATE_TEST_SUITE_P(Every, OccupancyOf, testing::ValuesIn(analysis::architectures()),
                         [](const auto& one) { return one.param; });

#endif

TEST(Occupancy, TheV100ExampleIsLimitedByRegisters) {
    const auto sm = analysis::multiprocessor("sm_70");
    ASSERT_TRUE(sm);
    const auto o = analysis::occupancy(*sm, 256, 136, 8192);
    ASSERT_TRUE(o);
    EXPECT_DOUBLE_EQ(o->fraction(), 0.125);
    EXPECT_EQ(o->limiter, Limiter::registers);
    EXPECT_EQ(o->blocks, 1);
    EXPECT_STREQ(name(o->limiter), "registers");
}

TEST(Occupancy, EachLimiterIsNamed) {
    const auto sm = analysis::multiprocessor("sm_90");
    ASSERT_TRUE(sm);
    const auto limiter = [&](int threads, int registers, uint32_t shared) {
        const auto o = analysis::occupancy(*sm, threads, registers, shared);
        return o ? std::string(name(o->limiter)) : o.error().sentence();
    };
    EXPECT_EQ(limiter(256, 128, 0), "registers");
    EXPECT_EQ(limiter(256, 16, 65536), "shared");
    EXPECT_EQ(limiter(1024, 32, 0), "threads");
    EXPECT_EQ(limiter(32, 16, 0), "blocks");
}

TEST(Occupancy, WhatCannotRunSaysWhy) {
    const auto sm = analysis::multiprocessor("sm_90");
    ASSERT_TRUE(sm);
    const auto why = [&](int threads, int registers, uint32_t shared) {
        const auto o = analysis::occupancy(*sm, threads, registers, shared);
        return o ? std::string("it can") : o.error().sentence();
    };
    EXPECT_NE(why(0, 32, 0).find("0 threads"), std::string::npos);
    EXPECT_NE(why(-5, 32, 0).find("-5 threads"), std::string::npos);
    EXPECT_NE(why(1025, 32, 0).find("1025 threads"), std::string::npos);
    EXPECT_NE(why(32, 256, 0).find("256 registers"), std::string::npos);
    EXPECT_NE(why(32, -1, 0).find("-1 registers"), std::string::npos);
    EXPECT_NE(why(32, 32, 232449).find("232448"), std::string::npos);
    EXPECT_NE(why(1024, 65, 0).find("65536"), std::string::npos); // 65 become 72, times 1024
    EXPECT_EQ(why(1024, 64, 0), "it can");
}

TEST(Occupancy, AnUnknownArchitectureListsTheKnown) {
    for (const char* arch : {"", "sm_60", "sm_9", "sm_900", "90", "sm_90a"}) {
        const auto sm = analysis::multiprocessor(arch);
        ASSERT_FALSE(sm) << arch;
        EXPECT_NE(sm.error().sentence().find("sm_120"), std::string::npos);
    }
}

} // namespace
