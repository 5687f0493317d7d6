// The constants of time against the microbenchmarks that they name.
#include "recorded.h"
#include "timing/machine.h"

#include <set>

namespace {

TEST(Machine, IsKnownOfHopperAlone) {
    EXPECT_NE(timing::machine("sm_90"), nullptr);
    EXPECT_EQ(timing::machine("sm_90a"), timing::machine("sm_90"));
    for (const char* other : {"sm_80", "sm_89", "sm_100", "", "sm_9"}) EXPECT_EQ(timing::machine(other), nullptr);
}

TEST(Machine, EveryConstantIsARowAndSaysWhereItComesFrom) {
    std::set<std::string> names;
    for (const timing::ConstantRow& row : timing::constant_rows()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_EQ(timing::Machine{}.*row.member, row.value) << row.name;
        EXPECT_STRNE(row.from, "") << row.name;
        EXPECT_STRNE(row.meaning, "") << row.name;
    }
    EXPECT_EQ(names.size() * sizeof(double), sizeof(timing::Machine));
}

// In the unit of the row: what was measured within its spread, or 15 %.
TEST(Machine, AConstantIsWhatItsMicrobenchmarkGave) {
    for (const timing::ConstantRow& row : timing::constant_rows()) {
        const auto found = recorded::microbenchmarks().find(row.from);
        if (found == recorded::microbenchmarks().end())
            continue; // "device", "fitted", what several of them say together
        EXPECT_EQ(row.unit, found->second.unit) << row.name;
        EXPECT_NEAR(row.value, found->second.value, std::max(found->second.spread, 0.15 * found->second.value))
            << row.name << ", by " << row.from;
    }
}

// Those that follow from several results, or from one in another unit.
TEST(Machine, ConstantsFollowFromWhatWasMeasured) {
    using recorded::value;
    const timing::Machine m;
    const double gb_s_of_each =
        m.multiprocessors * m.clock_mhz / 1e3; // in GB/s, a byte in a cycle of each multiprocessor
    const double line = 8;                     // instructions of 128 bytes
    const double two_issues = 9;               // WARPGROUP.ARRIVE and HGMMA, by their stall counts
    const struct {
        const char* name;
        double constant, measured;
    } rows[] = {
        {"fma_interval", m.fma_interval, value("ffma_interval_sm")},
        {"integer_multiply_interval", m.integer_multiply_interval, value("imad_interval_sm")},
        {"alu_interval", m.alu_interval, value("iadd3_interval_sm")},
        {"fp64_interval", m.fp64_interval, value("dfma_interval_sm")},
        {"special_interval", m.special_interval, value("mufu_ex2_interval_sm")},
        {"special_latency", m.special_latency, value("mufu_ex2_latency")},
        {"branch_cycles", m.branch_cycles, value("branch_forward_taken") - value("ffma_latency")},
        {"product_interval", m.product_interval, value("mma_m16n8k16_bf16_interval_sm")},
        {"short_product_interval", m.short_product_interval, value("mma_m16n8k8_bf16_interval_sm")},
        {"short_product_interval of bits", m.short_product_interval, value("mma_m16n8k128_b1_interval_sm")},
        {"fp64_product_interval", m.fp64_product_interval, value("mma_m16n8k4_f64_interval_sm")},
        {"fp64_product_interval of depth 16", 4 * m.fp64_product_interval, value("mma_m16n8k16_f64_interval_sm")},
        {"fp64_product_latency", m.fp64_product_interval + m.fp64_product_latency, value("mma_m16n8k4_f64_latency")},
        {"group_product_latency of 64 columns", 32 + m.group_product_latency + two_issues,
         value("wgmma_m64n64k16_bf16_latency")},
        {"group_product_latency of 256 columns", 128 + m.group_product_latency + two_issues,
         value("wgmma_m64n256k16_bf16_latency")},
        {"register_product_latency of 32 columns", 16 + m.register_product_latency + two_issues,
         value("wgmma_m64n32k8_tf32_a_in_registers_latency")},
        {"register_product_latency of 256 columns", 128 + m.register_product_latency + two_issues,
         value("wgmma_m64n256k8_tf32_a_in_registers_latency")},
        {"beside_product_interval", m.beside_product_interval,
         value("lds_32_4_warps_beside_wgmma_m64n256k8_tf32_a_in_registers")},
        {"beside_product_interval of bits", m.beside_product_interval,
         value("lds_32_4_warps_beside_wgmma_m64n256k16_bf16")},
        {"access_interval", m.access_interval, value("lds_32_1_way_interval_4_warps_one_subcore")},
        {"access_interval of LDG", 2 * m.access_interval,
         (value("ldg_32_burst_32_stride_4_4_warps_one_subcore") -
          value("ldg_32_burst_16_stride_4_4_warps_one_subcore")) /
             64},
        {"access_interval of SHFL.IDX", 2 * m.access_interval, value("shfl_idx_interval_4_warps")},
        {"access_interval of STS.128", 5 * m.access_interval, value("sts_128_broadcast_interval_4_warps_one_subcore")},
        {"shared_latency", m.shared_latency, value("lds_32_1_way_latency")},
        {"wavefront_latency", m.wavefront_latency, value("lds_32_2_way_latency") - value("lds_32_1_way_latency")},
        {"fast_arrival", 17 + m.fast_arrival, value("ffma_16_lds_128_broadcast_4_warps")},
        {"slow_arrival", 17 + m.slow_arrival, value("ffma_16_lds_128_4_warps")},
        {"shuffle_latency", m.shuffle_latency, value("shfl_bfly_latency")},
        {"l1_latency", m.l1_latency, value("ldg_32_stride_4_latency")},
        {"l1_bytes", m.l1_bytes / 1024, 8 + value("l1_kb_with_carveout_8_kb_twice_as_slow")},
        {"barrier_arrival", m.barrier_arrival, (value("bar_together_32_warps") - value("bar_together_4_warps")) / 28},
        {"barrier_latency", m.barrier_arrival + m.barrier_latency, value("bar_last_arrival_1_warps_own")},
        {"code_near_interval", m.code_near_interval / line, value("code_48_kb_1_warp_one_subcore")},
        {"code_far_interval", m.code_far_interval / line, value("code_256_kb_1_warp_one_subcore")},
        {"l2_latency", m.l2_latency, value("l2_2_mb_latency")},
        {"l2_bytes_per_cycle", m.l2_bytes_per_cycle * gb_s_of_each, value("l2_read_all_35_mb")},
        {"store_request and store_packet of a line", 4 * gb_s_of_each / (m.store_request + 4 * m.store_packet),
         value("store_4_lines_l2")},
        {"of a sector", gb_s_of_each / (m.store_request + m.store_packet), value("store_sector_of_4_lines_l2")},
        {"of two sectors", 2 * gb_s_of_each / (m.store_request + 2 * m.store_packet),
         value("store_2_sectors_of_8_lines_l2")},
        {"of a sector and its mask", gb_s_of_each / (m.store_request + 2 * m.store_packet),
         value("store_word_of_32_lines_l2")},
        {"of four sectors and their mask", 4 * gb_s_of_each / (m.store_request + 5 * m.store_packet),
         value("store_word_of_32_sectors_l2")},
        {"of what a transpose writes", gb_s_of_each / (m.store_request + 2 * m.store_packet),
         value("store_columns_4096_pitch_16384")},
        {"store_packet_alone of 32 sectors and their masks", 64 * m.store_packet_alone,
         value("store_word_of_32_lines_one_sm_1024_threads")},
        {"of 16 sectors", 16 * m.store_packet_alone, value("store_4_lines_one_sm_1024_threads")},
        {"memory_latency", m.memory_latency, value("memory_1_gb_latency")},
        {"block_start", m.block_start, value("block_follows_256_threads_shared_120_kb")},
        {"block_interval", m.block_interval * (132000 - 13200) / m.clock_mhz,
         value("launch_132000_blocks_of_32") - value("launch_13200_blocks_of_32")},
    };
    for (const auto& row : rows) EXPECT_NEAR(row.constant, row.measured, 0.15 * row.measured) << row.name;
}

} // namespace
