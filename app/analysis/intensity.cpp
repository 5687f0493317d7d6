#include "analysis/intensity.h"

namespace analysis {

const std::vector<Device>& devices() {
    // FP32 lanes per multiprocessor: CUDA C++ Programming Guide, "Arithmetic Instructions". FP64's
    // there, too; of tensor cores NVIDIA A100 and H100 Tensor Core GPU Architecture (19.5 and 66.9 TFLOPS).
    // The rest: see each line.
    static const std::vector<Device> all = {
        // H200 SXM: NVIDIA H200 datasheet (4.8 TB/s); 132 SMs at 1980 MHz as the driver reports them.
        {"H200", "sm_90", 132, 1.980, 128, 4800, 128},
        // H100 SXM5: NVIDIA H100 Tensor Core GPU Architecture, 2022 (132 SMs; 66.9 TFLOPS FP32), datasheet
        // (3.35 TB/s).
        {"H100 SXM", "sm_90", 132, 1.980, 128, 3350, 128},
        // A100 SXM4 80 GB: NVIDIA A100 datasheet (19.5 TFLOPS FP32, 2039 GB/s); 108 SMs, 1410 MHz boost.
        {"A100 SXM", "sm_80", 108, 1.410, 64, 2039, 64},
        // V100 SXM2: NVIDIA Tesla V100 GPU Architecture, 2017 (80 SMs, 1530 MHz boost, 15.7 TFLOPS FP32, 900
        // GB/s).
        {"V100 SXM2", "sm_70", 80, 1.530, 64, 900, 32},
        // V100 PCIe: NVIDIA V100 datasheet, 2020 (14 TFLOPS FP32, 900 GB/s); 80 SMs, 1380 MHz boost.
        {"V100 PCIe", "sm_70", 80, 1.380, 64, 900, 32},
        // T4: NVIDIA Turing GPU Architecture, 2018 (40 SMs, 1590 MHz boost, 8.1 TFLOPS FP32, 320 GB/s).
        {"T4", "sm_75", 40, 1.590, 64, 320, 2},
        // L4: NVIDIA L4 datasheet, 2023 (30.3 TFLOPS FP32, 300 GB/s); 58 SMs, 2040 MHz boost.
        {"L4", "sm_89", 58, 2.040, 128, 300, 2},
        // RTX 3090: NVIDIA Ampere GA102 GPU Architecture, 2020 (82 SMs, 1695 MHz boost, 35.6 TFLOPS FP32, 936
        // GB/s).
        {"RTX 3090", "sm_86", 82, 1.695, 128, 936, 2},
        // RTX 4090: NVIDIA Ada GPU Architecture, 2022 (128 SMs, 2520 MHz boost, 82.6 TFLOPS FP32, 1008 GB/s).
        {"RTX 4090", "sm_89", 128, 2.520, 128, 1008, 2},
        // B200: NVIDIA DGX B200 datasheet (8 TB/s); 148 SMs at 1965 MHz as the driver reports them.
        {"B200", "sm_100", 148, 1.965, 128, 8000, 64},
        // RTX 5090: NVIDIA RTX Blackwell GPU Architecture, 2025 (170 SMs, 2407 MHz boost, 104.8 TFLOPS FP32,
        // 1792 GB/s).
        {"RTX 5090", "sm_120", 170, 2.407, 128, 1792, 2},
    };
    return all;
}

int fp32_lanes(std::string_view arch) {
    for (const Device& device : devices())
        if (device.arch == arch) return device.fp32_lanes;
    return 0;
}

int fp64_lanes(std::string_view arch) {
    for (const Device& device : devices())
        if (device.arch == arch) return device.fp64_lanes;
    return 0;
}

Intensity intensity(const Totals& totals, int m, int n, int k, const Device& device) {
    constexpr double bytes_per_sector = 32, bytes_per_wavefront = 128;
    Intensity result;
    result.flop = 2.0 * m * n * k;
    result.global_bytes = bytes_per_sector * static_cast<double>(totals.global_load.sectors + totals.global_store.sectors +
                                                                 totals.async_copy.sectors + totals.bulk_copy.sectors);
    result.available_gb_s = device.memory_gb_s;
    if (result.global_bytes > 0) result.flop_per_byte = result.flop / result.global_bytes;
    if (result.flop_per_byte > 0) result.required_gb_s = device.fp32_gflops() / result.flop_per_byte;
    if (result.flop > 0)
        result.shared_bytes_per_flop =
            bytes_per_wavefront * static_cast<double>(totals.shared_load.wavefronts + totals.shared_store.wavefronts) /
            result.flop;
    return result;
}

} // namespace analysis
