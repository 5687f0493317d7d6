// FFMAs with one other instruction among them: what the other one costs, and what takes the port that writes registers.
#include "measure.h"

namespace micro {

/// What every body of this file has: independent FFMAs, of which each reads one register, or two where it takes what was
/// loaded. So they do not wait for each other's operands.
struct Accumulators {
    float x[16];
    __device__ explicit Accumulators(const Input& in) {
        for (int i = 0; i < 16; ++i) x[i] = word<float>(in, i);
    }
    __device__ void ffma(int i) { asm volatile("fma.rn.f32 %0, %0, 0f3F8147AE, %0;" : "+f"(x[i % 16])); }
    __device__ void ffma(int i, float v) { asm volatile("fma.rn.f32 %0, %1, 0f3F8147AE, %0;" : "+f"(x[i % 16]) : "f"(v)); }
    __device__ void keep(uint32_t* sink) {
        for (int i = 0; i < 16; ++i) use(sink, x[i]);
    }
};

/// `Count` FFMAs, then one instruction of another pipe on integers or floats of its own.
#define MIX(Name, Type, constraint, text)                                                                              \
    template <int Count> struct Name : Accumulators {                                                                  \
        Type y[8], p, q;                                                                                               \
        __device__ explicit Name(const Input& in) : Accumulators(in), p(word<Type>(in, 51)), q(word<Type>(in, 52)) {   \
            for (int i = 0; i < 8; ++i) y[i] = word<Type>(in, i + 20);                                                 \
        }                                                                                                              \
        __device__ void step(int u) {                                                                                  \
            for (int i = 0; i < Count; ++i) ffma(u * Count + i);                                                       \
            asm volatile(text : "+" constraint(y[u % 8]) : constraint(p), constraint(q));                              \
        }                                                                                                              \
        __device__ void keep(uint32_t* sink) {                                                                         \
            Accumulators::keep(sink);                                                                                  \
            for (int i = 0; i < 8; ++i) use(sink, y[i]);                                                               \
        }                                                                                                              \
    };
MIX(WithIadd3, uint32_t, "r", "{.reg .b32 t; add.u32 t, %0, %1; sub.u32 %0, %2, t;}")
MIX(WithImad, uint32_t, "r", "mad.lo.u32 %0, %0, %1, %2;")
MIX(WithLop3, uint32_t, "r", "lop3.b32 %0, %0, %1, %2, 0x2d;")
MIX(WithMufu, float, "f", "ex2.approx.ftz.f32 %0, %0;")
MIX(WithHfma2, uint32_t, "r", "fma.rn.f16x2 %0, %0, %1, %2;")
MIX(WithDfma, double, "d", "fma.rn.f64 %0, %0, %1, %2;")
MIX(WithShfl, uint32_t, "r", "shfl.sync.bfly.b32 %0, %0, 1, 0x1f, -1;")

/// The other way round: one FFMA, then four independent instructions of another pipe.
template <template <int> class Other> struct FfmaAndFour : Other<0> {
    using Other<0>::Other;
    __device__ void step(int u) {
        this->ffma(u);
        for (int i = 0; i < 4; ++i) Other<0>::step(4 * u + i);
    }
};

/// FFMAs alone.
template <int Count> struct Alone : Accumulators {
    using Accumulators::Accumulators;
    __device__ void step(int u) {
        for (int i = 0; i < Count; ++i) ffma(u * Count + i);
    }
};

/// Loads and stores of `Words` words a lane. Loads of global memory hit L1: they read the same 32 KB in each loop.
template <int Words> __device__ void load_shared(float* to, uint32_t address) {
    if constexpr (Words == 1) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(to[0]) : "r"(address));
    if constexpr (Words == 2)
        asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];" : "=f"(to[0]), "=f"(to[1]) : "r"(address));
    if constexpr (Words == 4)
        asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                     : "r"(address));
}
template <int Words> __device__ void load_global(float* to, const char* address) {
    if constexpr (Words == 1) asm volatile("ld.global.f32 %0, [%1];" : "=f"(to[0]) : "l"(address));
    if constexpr (Words == 2)
        asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(to[0]), "=f"(to[1]) : "l"(address));
    if constexpr (Words == 4)
        asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                     : "l"(address));
}
template <int Words> __device__ void store_shared(uint32_t address, const float* v) {
    if constexpr (Words == 1) asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(address), "f"(v[0]));
    if constexpr (Words == 2) asm volatile("st.volatile.shared.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(v[0]), "f"(v[1]));
    if constexpr (Words == 4)
        asm volatile("st.volatile.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(v[0]), "f"(v[1]), "f"(v[2]),
                     "f"(v[3]));
}

enum class Kind { None, Shared, Global, Store };

/// `Count` FFMAs, then a memory instruction of `Words` words a lane. What a load gave FFMAs read four or eight steps later.
/// `Apart`: bytes from lane to lane. With None the FFMAs are the same and the memory instruction is not there.
template <int Count, Kind What, int Words, int Apart> struct WithMemory : Accumulators {
    static constexpr int AHEAD = Words == 4 ? 4 : 8;
    struct alignas(4 * Words) Vector {
        float words[Words];
    } v[AHEAD];
    uint32_t address, argument;
    const char* pointer;
    __device__ explicit WithMemory(const Input& in) : Accumulators(in), argument(in.argument) {
        for (int i = 0; i < AHEAD; ++i) v[i] = reinterpret_cast<const Vector*>(in.words)[threadIdx.x % 32 + 32 * i];
        address = shared_base() + threadIdx.x % 32 * Apart;
        pointer = reinterpret_cast<const char*>(in.memory) + threadIdx.x % 32 * Apart;
    }
    __device__ void step(int u) {
        if (u == 0) pointer += argument; // else the loads would be of the same places in all loops
        float* to = v[u % AHEAD].words;
        for (int i = 0; i < Words; ++i) ffma(u * Count + i, to[i]);
        for (int i = Words; i < Count; ++i) ffma(u * Count + i);
        if constexpr (What == Kind::Shared) load_shared<Words>(to, address + u % 16 * 512);
        if constexpr (What == Kind::Global) load_global<Words>(to, pointer + u * 512);
        if constexpr (What == Kind::Store) store_shared<Words>(address + u % 16 * 512, to);
    }
    __device__ void keep(uint32_t* sink) {
        Accumulators::keep(sink);
        for (int i = 0; i < AHEAD; ++i)
            for (int j = 0; j < Words; ++j) use(sink, v[i].words[j]);
    }
};

/// A loop must be long enough not to wait for its branch, and short enough for the instruction cache.
template <class Body, int Steps = 32> void both(Bench& bench, const std::string& name, const std::string& what) {
    constexpr int SHARED = 16 * 512 + 512;
    constexpr int LOOPS = 16384 / Steps; // so long that it does not matter how far apart the warps begin and end
    report(name + "_1_warp", bench.cycles<Body, Steps>({1, 1}, 0, SHARED, LOOPS), "cycles", what + "; one warp");
    report(name + "_4_warps", bench.cycles<Body, Steps>({4, 1}, 0, SHARED, LOOPS) / 4, "cycles",
           what + "; four warps on one sub-core, the other three idle, cycles each group of one warp");
    report(name + "_sm", bench.cycles<Body, Steps>({4, 4}, 0, SHARED, LOOPS) / 4, "cycles",
           what + "; four warps on each sub-core, cycles each group of one warp on a sub-core");
}

template <template <int> class Body> void mix(Bench& bench, const std::string& name, const std::string& what) {
    both<Body<1>, 64>(bench, "ffma_1_" + name, "one FFMA, then one " + what);
    both<Body<2>, 64>(bench, "ffma_2_" + name, "two FFMAs, then one " + what);
    both<Body<4>>(bench, "ffma_4_" + name, "four FFMAs, then one " + what);
    both<Body<8>>(bench, "ffma_8_" + name, "eight FFMAs, then one " + what);
}

template <Kind What, int Words, int Apart> void memory(Bench& bench, const std::string& name, const std::string& what) {
    both<WithMemory<4, What, Words, Apart>>(bench, "ffma_4_" + name, "four FFMAs, then one " + what);
    both<WithMemory<8, What, Words, Apart>>(bench, "ffma_8_" + name, "eight FFMAs, then one " + what);
    both<WithMemory<16, What, Words, Apart>>(bench, "ffma_16_" + name, "16 FFMAs, then one " + what);
}

} // namespace micro

int main() {
    using namespace micro;
    Bench bench;
    mix<Alone>(bench, "alone", "nothing else");
    mix<WithIadd3>(bench, "iadd3", "IADD3");
    mix<WithImad>(bench, "imad", "IMAD");
    both<FfmaAndFour<WithImad>>(bench, "ffma_1_imad_4", "one FFMA, then four IMADs");
    both<FfmaAndFour<WithIadd3>>(bench, "ffma_1_iadd3_4", "one FFMA, then four IADD3s");
    mix<WithLop3>(bench, "lop3", "LOP3");
    mix<WithMufu>(bench, "mufu", "MUFU.EX2");
    mix<WithHfma2>(bench, "hfma2", "HFMA2 (alternately HFMA2.MMA)");
    mix<WithDfma>(bench, "dfma", "DFMA");
    mix<WithShfl>(bench, "shfl", "SHFL.BFLY");
    memory<Kind::None, 1, 4>(bench, "operands_32", "nothing: the operands as with LDS.32");
    memory<Kind::None, 2, 8>(bench, "operands_64", "nothing: the operands as with LDS.64");
    memory<Kind::None, 4, 16>(bench, "operands_128", "nothing: the operands as with LDS.128");
    memory<Kind::Shared, 1, 4>(bench, "lds_32", "LDS.32, lanes at consecutive words");
    memory<Kind::Shared, 2, 8>(bench, "lds_64", "LDS.64, lanes at consecutive words");
    memory<Kind::Shared, 4, 16>(bench, "lds_128", "LDS.128, lanes at consecutive words");
    memory<Kind::Shared, 1, 0>(bench, "lds_32_broadcast", "LDS.32, all lanes at one address");
    memory<Kind::Shared, 2, 0>(bench, "lds_64_broadcast", "LDS.64, all lanes at one address");
    memory<Kind::Shared, 4, 0>(bench, "lds_128_broadcast", "LDS.128, all lanes at one address");
    memory<Kind::Global, 1, 4>(bench, "ldg_32", "LDG.32 that hits L1, lanes at consecutive words");
    memory<Kind::Global, 4, 16>(bench, "ldg_128", "LDG.128 that hits L1, lanes at consecutive words");
    memory<Kind::Global, 4, 0>(bench, "ldg_128_broadcast", "LDG.128 that hits L1, all lanes at one address");
    memory<Kind::Store, 1, 4>(bench, "sts_32", "STS.32, lanes at consecutive words");
    memory<Kind::Store, 4, 16>(bench, "sts_128", "STS.128, lanes at consecutive words");
}
