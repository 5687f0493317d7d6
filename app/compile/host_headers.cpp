#include "compile/host_headers.h"

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
#define M_PI 3.14159265358979323846
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

constexpr const char* type_traits = R"(#pragma once
#include <cuda/std/type_traits>
namespace std {
using namespace ::cuda::std;
}
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

constexpr std::array headers{
    HostHeader{prelude, prelude_text},
    HostHeader{"cstdint", integers},
    HostHeader{"stdint.h", integers},
    HostHeader{"cstddef", sizes},
    HostHeader{"stddef.h", sizes},
    HostHeader{"climits", integer_limits},
    HostHeader{"limits.h", integer_limits},
    HostHeader{"cfloat", float_limits},
    HostHeader{"float.h", float_limits},
    HostHeader{"algorithm", algorithms},
    HostHeader{"cmath", mathematics},
    HostHeader{"math.h", ""},
    HostHeader{"limits", limits},
    HostHeader{"type_traits", type_traits},
    // assert and printf are built in; of the others device code uses nothing.
    HostHeader{"assert.h", ""},
    HostHeader{"bits/stdc++.h", standard},
    HostHeader{"cassert", ""},
    HostHeader{"chrono", ""},
    HostHeader{"cstdio", ""},
    HostHeader{"cstdlib", ""},
    HostHeader{"cstring", ""},
    HostHeader{"ctime", ""},
    HostHeader{"cublas_v2.h", ""},
    HostHeader{"fstream", ""},
    HostHeader{"functional", ""},
    HostHeader{"iomanip", ""},
    HostHeader{"iostream", ""},
    HostHeader{"map", ""},
    HostHeader{"memory", ""},
    HostHeader{"numeric", ""},
    HostHeader{"random", ""},
    HostHeader{"sstream", ""},
    HostHeader{"stdio.h", ""},
    HostHeader{"stdlib.h", ""},
    HostHeader{"string", ""},
    HostHeader{"string.h", ""},
    HostHeader{"sys/time.h", ""},
    HostHeader{"time.h", ""},
    HostHeader{"unistd.h", ""},
    HostHeader{"vector", ""},
};

} // namespace

std::span<const HostHeader> host_headers() {
    return headers;
}

const char* host_prelude() {
    return prelude;
}

} // namespace compile
