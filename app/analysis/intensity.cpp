#include "analysis/intensity.h"

namespace analysis {

const std::vector<Device>& devices() {
    // FP32 and FP64 lanes per multiprocessor: CUDA C++ Programming Guide, "Arithmetic Instructions". Rates of
    // tensor cores: NVIDIA A100 Tensor Core GPU Architecture, 2020 (TF32 156, BF16 312, FP64 19.5 TFLOPS at
    // 1410 MHz), NVIDIA H100 Tensor Core GPU Architecture, 2022 (494.7 and 989.4 at 1830 MHz, FP64 66.9 at
    // 1980). Where boards of one architecture differ in them (sm_86, sm_89) none are given. The rest: see
    // each line.
    constexpr TensorRates ampere{512, 1024, 64}, hopper{1024, 2048, 128};
    static const std::vector<Device> all = {
        // H200 SXM: NVIDIA H200 datasheet (4.8 TB/s); 132 SMs at 1980 MHz as the driver reports them.
        {"H200", "sm_90", 132, 1.980, 128, 4800, 64, hopper},
        // H100 SXM5: NVIDIA H100 Tensor Core GPU Architecture, 2022 (132 SMs; 66.9 TFLOPS FP32), datasheet
        // (3.35 TB/s).
        {"H100 SXM", "sm_90", 132, 1.980, 128, 3350, 64, hopper},
        // A100 SXM4 80 GB: NVIDIA A100 datasheet (19.5 TFLOPS FP32, 2039 GB/s); 108 SMs, 1410 MHz boost.
        {"A100 SXM", "sm_80", 108, 1.410, 64, 2039, 32, ampere},
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

const Device* device_of(std::string_view arch) {
    for (const Device& device : devices())
        if (device.arch == arch) return &device;
    return nullptr;
}

std::string_view name_of(Unit unit) {
    constexpr std::string_view names[] = {"FP32", "FP64", "popc", "TF32", "3xTF32", "BF16", "FP64", "B1"};
    return names[static_cast<size_t>(unit)];
}

bool is_tensor(Unit unit) { return unit >= Unit::tensor_tf32; }

double operations(Unit unit) { return unit == Unit::popc ? 64 : unit == Unit::tensor_3xtf32 ? 2.0 / 3 : 2; }

int Device::per_clock(Unit unit) const {
    // Of every multiprocessor: CUDA C++ Programming Guide, "Arithmetic Instructions".
    constexpr int popc_lanes = 16;
    switch (unit) {
    case Unit::fp32: return fp32_lanes;
    case Unit::fp64: return fp64_lanes;
    case Unit::popc: return popc_lanes;
    case Unit::tensor_tf32:
    case Unit::tensor_3xtf32: return tensor.tf32;
    case Unit::tensor_bf16: return tensor.bf16;
    case Unit::tensor_fp64: return tensor.fp64;
    case Unit::tensor_b1: break; // published of no GPU since Ampere
    }
    return 0;
}

double Device::gflops(Unit unit) const {
    return static_cast<double>(multiprocessors) * per_clock(unit) * operations(unit) * clock_ghz;
}

Intensity intensity(const Totals& totals, double flop, const Device& device) {
    constexpr double bytes_per_sector = 32, bytes_per_wavefront = 128;
    Intensity result;
    result.flop = flop;
    result.global_bytes =
        bytes_per_sector * static_cast<double>(totals.global_load.sectors + totals.global_store.sectors +
                                               totals.async_copy.sectors + totals.bulk_copy.sectors);
    result.available_gb_s = device.memory_gb_s;
    if (result.global_bytes > 0) result.flop_per_byte = result.flop / result.global_bytes;
    if (result.flop_per_byte > 0) result.required_gb_s = device.gflops(Unit::fp32) / result.flop_per_byte;
    if (result.flop > 0)
        result.shared_bytes_per_flop =
            bytes_per_wavefront * static_cast<double>(totals.shared_load.wavefronts + totals.shared_store.wavefronts) /
            result.flop;
    return result;
}

} // namespace analysis
