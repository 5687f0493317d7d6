#include "sim/lanes/vectors.h"
#include "sim/program/program.h"

namespace sim {

std::vector<Lanes> supported_lanes() {
    std::vector<Lanes> all;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        all.push_back({"avx512", select_avx512, &vectors_avx512});
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        all.push_back({"avx2", select_avx2, &vectors_avx2});
#endif
    all.push_back({"baseline", select_baseline, &vectors_baseline});
    return all;
}

Lanes best_lanes() { return supported_lanes().front(); }

} // namespace sim
