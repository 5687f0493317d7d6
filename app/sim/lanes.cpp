#include "sim/operation.h"

namespace sim {

Lanes best_lanes() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return {"avx512", select_avx512};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {"avx2", select_avx2};
#endif
    return {"baseline", select_baseline};
}

} // namespace sim
