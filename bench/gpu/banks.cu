// Which operands an instruction can read together: registers of one parity, constants, immediates, and registers read again.
// Values that were loaded as 16 bytes stand in four registers in a row, so .x and .z are even and .y and .w odd.
#include "measure.h"

namespace micro {

struct Operands {
    float4 a[4], b[4], c[4];
    float4 others[3]; // with these no register is left, and C stays where it was loaded
    float more[3];
    uint32_t argument;
    __device__ explicit Operands(const Input& in) : argument(in.argument) {
        const float4* from = reinterpret_cast<const float4*>(in.words) + threadIdx.x;
        for (int i = 0; i < 4; ++i) {
            a[i] = from[32 * i];
            b[i] = from[32 * i + 128];
            c[i] = from[32 * i + 256];
        }
        for (int i = 0; i < 3; ++i) others[i] = from[32 * i + 384];
        for (int i = 0; i < 3; ++i) more[i] = word<float>(in, 101 + i);
    }
    __device__ void keep(uint32_t* sink) {
        float4* to = reinterpret_cast<float4*>(sink) + 64 + threadIdx.x * 4;
        if (argument != 77) return;
        for (int i = 0; i < 4; ++i) to[i] = c[i], to[i + 4] = a[i], to[i + 8] = b[i];
        for (int i = 0; i < 3; ++i) to[i + 12] = others[i];
        to[15] = make_float4(more[0], more[1], more[2], 0);
    }
};

/// One step: eight instructions D = A op B op C with C = D, of which A, B and C are even (.x, .z) or odd (.y, .w).
#define PATTERN(Name, text, A1, A2, B1, B2, C1, C2)                                                                    \
    struct Name : Operands {                                                                                           \
        using Operands::Operands;                                                                                      \
        __device__ static void one(float& c, float a, float b) { asm volatile(text : "+f"(c) : "f"(a), "f"(b)); }      \
        __device__ void step(int) {                                                                                    \
            for (int i = 0; i < 4; ++i) {                                                                              \
                one(c[i].C1, a[i].A1, b[i].B1);                                                                        \
                one(c[i].C2, a[(i + 1) % 4].A2, b[(i + 1) % 4].B2);                                                    \
            }                                                                                                          \
        }                                                                                                              \
    };

#define FFMA "fma.rn.f32 %0, %1, %2, %0;"
#define OF_WORDS(body) "{.reg .b32 a, b, c; mov.b32 a, %1; mov.b32 b, %2; mov.b32 c, %0; " body " mov.b32 %0, c;}"
#define IADD3 OF_WORDS("add.u32 a, a, b; sub.u32 c, c, a;")
#define IMAD OF_WORDS("mad.lo.u32 c, a, b, c;")
#define LOP3 OF_WORDS("lop3.b32 c, a, b, c, 0x2d;")
#define PATTERNS(Op)                                                                                                   \
    PATTERN(Op##Eee, Op, x, z, x, z, x, z)                                                                             \
    PATTERN(Op##Eeo, Op, x, z, x, z, y, w)                                                                             \
    PATTERN(Op##Eoe, Op, x, z, y, w, x, z)                                                                             \
    PATTERN(Op##Oee, Op, y, w, x, z, x, z)                                                                             \
    PATTERN(Op##Mixed, Op, x, y, y, x, x, y)
PATTERNS(FFMA)
PATTERNS(IADD3)
PATTERNS(IMAD)
PATTERNS(LOP3)

/// `Run` FFMAs of even registers only, then as many of odd ones: how far the file evens out.
template <int Run> struct Runs : Operands {
    using Operands::Operands;
    __device__ void step(int u) {
        for (int i = 0; i < 8; ++i) {
            const int at = 8 * u + i, quad = at % 4;
            const bool odd = at / Run % 2, upper = at / 4 % 2;
            const auto of = [&](float4& v) -> float& { return odd ? (upper ? v.w : v.y) : (upper ? v.z : v.x); };
            FFMAEee::one(of(c[quad]), of(a[quad]), of(b[(quad + upper) % 4]));
        }
    }
};

/// A is read again by the same slot: `.reuse`. All registers even: without the reuse cache each would wait.
template <int Times> struct Reuse : Operands {
    using Operands::Operands;
    __device__ void step(int u) {
        for (int i = 0; i < 4; ++i) {
            const float kept = Times == 2 ? a[i].x : a[u % 4].x;
            FFMAEee::one(c[i].x, kept, b[i].x);
            FFMAEee::one(c[i].z, kept, b[(i + 1) % 4].z);
        }
    }
};

/// D = A * immediate + C, and A * uniform register + C.
template <bool Same> struct Immediate : Operands {
    using Operands::Operands;
    __device__ void step(int) {
        for (int i = 0; i < 4; ++i) {
            asm volatile("fma.rn.f32 %0, %1, 0f3F8147AE, %0;" : "+f"(c[i].x) : "f"(Same ? a[i].x : a[i].y));
            asm volatile("fma.rn.f32 %0, %1, 0f3F8147AE, %0;" : "+f"(c[i].z) : "f"(Same ? a[i].z : a[i].w));
        }
    }
};
template <bool Same> struct Uniform : Operands {
    float k;
    __device__ explicit Uniform(const Input& in) : Operands(in), k(as_float(in.argument)) {}
    __device__ void step(int) {
        for (int i = 0; i < 4; ++i) {
            asm volatile(FFMA : "+f"(c[i].x) : "f"(Same ? a[i].x : a[i].y), "f"(k));
            asm volatile(FFMA : "+f"(c[i].z) : "f"(Same ? a[i].z : a[i].w), "f"(k));
        }
    }
};
/// One register in two or three slots.
template <int Slots> struct Twice : Operands {
    using Operands::Operands;
    __device__ void step(int) {
        for (int i = 0; i < 4; ++i) {
            if constexpr (Slots == 2) {
                asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(c[i].x) : "f"(a[i].y));
                asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(c[i].z) : "f"(a[i].w));
            } else {
                asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(c[i].x));
                asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(c[i].z));
            }
        }
    }
};

template <class Body> void operands(Bench& bench, const std::string& name, const std::string& how) {
    report("operands_" + name + "_1_warp", bench.cycles<Body, 32>({1, 1}) / 8, "cycles", how + "; one warp");
    report("operands_" + name + "_4_warps", bench.cycles<Body, 32>({4, 1}) / 32, "cycles", how + "; four warps on one sub-core");
}

#define REPORT(Op, op)                                                                                                 \
    operands<Op##Eee>(bench, op "_same_bank", "A, B and the accumulators C even");                                                      \
    operands<Op##Eeo>(bench, op "_a_b_same_bank", "A and B even, the accumulators C odd");                                              \
    operands<Op##Eoe>(bench, op "_a_c_same_bank", "A and the accumulators C even, B odd");                                              \
    operands<Op##Oee>(bench, op "_b_c_same_bank", "B and the accumulators C even, A odd");                                              \
    operands<Op##Mixed>(bench, op "_a_c_then_other", "A and the accumulator C even, B odd, then A and the accumulator C odd, B even");

} // namespace micro

int main() {
    using namespace micro;
    Bench bench;
    REPORT(FFMA, "ffma")
    REPORT(IADD3, "iadd3")
    REPORT(IMAD, "imad")
    REPORT(LOP3, "lop3")
    operands<Runs<2>>(bench, "ffma_2_even_2_odd", "two FFMAs whose A, B and accumulator C are even, then two whose A, B and accumulator C are odd");
    operands<Runs<4>>(bench, "ffma_4_even_4_odd", "four FFMAs whose A, B and accumulator C are even, then four whose A, B and accumulator C are odd");
    operands<Runs<8>>(bench, "ffma_8_even_8_odd", "eight FFMAs whose A, B and accumulator C are even, then eight whose A, B and accumulator C are odd");
    operands<Runs<16>>(bench, "ffma_16_even_16_odd", "16 FFMAs whose A, B and accumulator C are even, then 16 whose A, B and accumulator C are odd");
    operands<Reuse<2>>(bench, "ffma_same_bank_reuse_2", "A, B and the accumulators C even, A kept by .reuse for every second FFMA");
    operands<Reuse<8>>(bench, "ffma_same_bank_reuse_8", "A, B and the accumulators C even, A kept by .reuse for seven of eight FFMAs");
    operands<Immediate<true>>(bench, "ffma_immediate_same_bank", "B an immediate, A and the accumulators C even");
    operands<Immediate<false>>(bench, "ffma_immediate", "B an immediate, A odd, the accumulators C even");
    operands<Uniform<true>>(bench, "ffma_uniform_same_bank", "B a uniform register, A and the accumulators C even");
    operands<Uniform<false>>(bench, "ffma_uniform", "B a uniform register, A odd, the accumulators C even");
    operands<Twice<2>>(bench, "ffma_a_is_c", "A and the accumulator C the same even register, B odd");
    operands<Twice<3>>(bench, "ffma_a_is_b_is_c", "A, B and the accumulator C the same even register");
}
