#include "compile/host_headers.h"

#include <algorithm>
#include <array>

namespace compile {
namespace {

constexpr const char* prelude = "gemmscope_prelude.h";

// Types of glibc and constants of <math.h>: nvcc includes both before a file's first line.
constexpr const char* prelude_text = R"(#pragma once
using uint = unsigned int;
using ushort = unsigned short;
using ulong = unsigned long;
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fffffff)
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
)";

// The same types as CUDA's own <cuda/std/cstdint>, so that both may be included.
constexpr const char* integers = R"(#pragma once
using int8_t = signed char;
using int16_t = signed short;
using int32_t = signed int;
using int64_t = signed long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
using intptr_t = int64_t;
using uintptr_t = uint64_t;
#ifndef INT32_MAX
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807ll - 1)
#define INT64_MAX 9223372036854775807ll
#define UINT64_MAX 18446744073709551615ull
#define SIZE_MAX 18446744073709551615ul
#endif
namespace std {
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::intptr_t;
using ::uintptr_t;
}
)";

constexpr const char* sizes = R"(#pragma once
namespace std {
using ::size_t;
using ::ptrdiff_t;
}
#ifndef NULL
#define NULL nullptr
#endif
)";

constexpr const char* integer_limits = R"(#pragma once
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807l - 1)
#define LONG_MAX 9223372036854775807l
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MIN (-9223372036854775807ll - 1)
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
)";

constexpr const char* float_limits = R"(#pragma once
#define FLT_EPSILON 1.19209290e-7f
#define FLT_MIN 1.17549435e-38f
#define FLT_MAX 3.40282347e+38f
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
)";

constexpr const char* algorithms = R"(#pragma once
namespace std {
template <class T> constexpr __host__ __device__ const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> constexpr __host__ __device__ const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> constexpr __host__ __device__ void swap(T& a, T& b) { T c = a; a = b; b = c; }
}
)";

constexpr const char* mathematics = R"(#pragma once
namespace std {
using ::abs;
using ::ceil;
using ::cos;
using ::exp;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::log;
using ::pow;
using ::round;
using ::sin;
using ::sqrt;
using ::tanh;
}
)";

constexpr const char* limits = R"(#pragma once
#include <cuda/std/limits>
namespace std {
using ::cuda::std::numeric_limits;
}
)";

// All of CUDA's standard library that kernels use, for those that need more than the above: it takes half a second.
constexpr const char* standard_library = "gemmscope_standard_library.h";
constexpr const char* standard_library_text = R"(#pragma once
#undef INFINITY
#undef NAN
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
namespace std {
using namespace ::cuda::std;
}
)";

// CUB has one header for everything, and NVRTC compiles the blocks', the warps' and the threads' parts of it.
constexpr const char* cub = R"(#pragma once
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/iterator/cache_modified_input_iterator.cuh>
#include <cub/thread/thread_load.cuh>
#include <cub/thread/thread_reduce.cuh>
#include <cub/thread/thread_scan.cuh>
#include <cub/thread/thread_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_store.cuh>
)";

// g++'s header of all headers
constexpr const char* standard = R"(#pragma once
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
)";

// The elements of cuFFT's arrays, which kernels before and behind a transform read.
constexpr const char* transforms = R"(#pragma once
using cufftReal = float;
using cufftDoubleReal = double;
using cufftComplex = float2;
using cufftDoubleComplex = double2;
)";

constexpr std::array written{
    HostHeader{prelude, prelude_text},      HostHeader{"cstdint", integers},
    HostHeader{"stdint.h", integers},       HostHeader{"cstddef", sizes},
    HostHeader{"stddef.h", sizes},          HostHeader{"climits", integer_limits},
    HostHeader{"limits.h", integer_limits}, HostHeader{"cfloat", float_limits},
    HostHeader{"float.h", float_limits},    HostHeader{"algorithm", algorithms},
    HostHeader{"cmath", mathematics},       HostHeader{"math.h", ""},
    HostHeader{"limits", limits},           HostHeader{standard_library, standard_library_text},
    HostHeader{"cub/cub.cuh", cub},         HostHeader{"cufft.h", transforms},
    HostHeader{"bits/stdc++.h", standard},
};

// Read as empty: assert and printf are built in; of the others device code uses nothing, or what host_provider() names.
// clang-format off
constexpr std::array empty{
    "array", "assert.h", "atomic", "bit", "bitset", "cassert", "ccomplex", "cctype", "cerrno", "charconv", "chrono", "cinttypes",
    "clocale", "compare", "complex", "complex.h", "concepts", "condition_variable", "coroutine", "csignal", "cstdarg", "cstdio",
    "cstdlib", "cstring", "ctime", "ctype.h", "cublas.h", "cublasLt.h", "cublasXt.h", "cublas_v2.h", "cuda_profiler_api.h", "cudnn.h",
    "cusolverDn.h", "cusparse.h", "cwchar", "deque", "dirent.h", "errno.h", "exception", "execution", "fcntl.h",
    "filesystem", "format", "forward_list", "fstream", "functional", "future", "getopt.h", "initializer_list", "inttypes.h", "iomanip",
    "ios", "iosfwd", "iostream", "istream", "iterator", "latch", "list", "locale", "map", "memory", "memory_resource", "mpi.h", "mutex",
    "nccl.h", "new", "numbers", "numeric", "nvToolsExt.h", "nvml.h", "nvtx3/nvToolsExt.h", "omp.h", "optional", "ostream", "pthread.h",
    "queue", "random", "ranges", "ratio", "regex", "set", "shared_mutex", "signal.h", "source_location", "span", "sstream", "stack",
    "stdarg.h", "stdbool.h", "stdexcept", "stdio.h", "stdlib.h", "stop_token", "streambuf", "string", "string.h", "string_view",
    "strings.h", "sys/resource.h", "sys/stat.h", "sys/time.h", "sys/types.h", "system_error", "thread", "time.h", "tuple",
    "type_traits", "typeindex", "typeinfo", "unistd.h", "unordered_map", "unordered_set", "utility", "valarray", "variant", "vector"
};
// clang-format on

constexpr auto headers = [] {
    std::array<HostHeader, written.size() + empty.size()> all{};
    std::copy(written.begin(), written.end(), all.begin());
    std::transform(empty.begin(), empty.end(), all.begin() + written.size(), [](const char* name) {
        return HostHeader{name, ""};
    });
    return all;
}();

bool in_standard_library(std::string_view name) {
    static constexpr std::array<std::string_view, 6> families{"is_",   "remove_",     "add_",
                                                              "make_", "conditional", "enable_if"};
    // clang-format off
    static constexpr std::array<std::string_view, 45> names{
        "array", "bit_cast", "bool_constant", "byte", "clamp", "common_type", "common_type_t", "complex", "countl_zero", "countr_zero", "decay", "decay_t",
        "declval", "exchange", "false_type", "forward", "get", "greater", "has_single_bit", "index_sequence", "index_sequence_for", "integer_sequence",
        "integral_constant", "invoke_result_t", "less", "minus", "move", "multiplies", "nullopt", "numeric_limits", "optional", "pair", "plus", "popcount",
        "rank", "span", "tie", "true_type", "tuple", "tuple_element_t", "tuple_size", "tuple_size_v", "type_identity_t", "underlying_type_t", "void_t"};
    // clang-format on
    const auto begins = [&](std::string_view family) { return name.starts_with(family); };
    return std::any_of(families.begin(), families.end(), begins) ||
           std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

std::span<const HostHeader> host_headers() { return headers; }

const char* host_prelude() { return prelude; }

const char* host_provider(std::string_view name, bool is_standard) {
    if (is_standard) return in_standard_library(name) ? standard_library : nullptr;
    struct Provider {
        std::string_view name;
        const char* header;
    };
    static constexpr std::array providers{
        Provider{"half", "cuda_fp16.h"},
        Provider{"half2", "cuda_fp16.h"},
        Provider{"__half", "cuda_fp16.h"},
        Provider{"__half2", "cuda_fp16.h"},
        Provider{"nv_bfloat16", "cuda_bf16.h"},
        Provider{"nv_bfloat162", "cuda_bf16.h"},
        Provider{"__nv_bfloat16", "cuda_bf16.h"},
        Provider{"__nv_bfloat162", "cuda_bf16.h"},
        Provider{"nvcuda", "mma.h"},
        Provider{"cooperative_groups", "cooperative_groups.h"},
        Provider{"FLT_MAX", "cfloat"},
        Provider{"FLT_MIN", "cfloat"},
        Provider{"FLT_EPSILON", "cfloat"},
        Provider{"INT_MAX", "climits"},
        Provider{"INT_MIN", "climits"},
        Provider{"UINT_MAX", "climits"},
        Provider{"int8_t", "cstdint"},
        Provider{"uint8_t", "cstdint"},
        Provider{"int16_t", "cstdint"},
        Provider{"uint16_t", "cstdint"},
        Provider{"int32_t", "cstdint"},
        Provider{"uint32_t", "cstdint"},
        Provider{"int64_t", "cstdint"},
        Provider{"uint64_t", "cstdint"},
        Provider{"uintptr_t", "cstdint"},
        Provider{"SIZE_MAX", "cstdint"},
        Provider{"cudaGridDependencySynchronize", "cuda_device_runtime_api.h"},
        Provider{"cudaTriggerProgrammaticLaunchCompletion", "cuda_device_runtime_api.h"}};
    const auto found =
        std::find_if(providers.begin(), providers.end(), [&](const Provider& p) { return p.name == name; });
    return found == providers.end() ? nullptr : found->header;
}

} // namespace compile
