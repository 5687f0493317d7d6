// One instruction at a time: how long its result takes, and how often it issues.
#include "measure.h"

namespace micro {

/// `Chains` independent chains of one instruction, whose operands are %0 (read and written), %1 and %2.
#define INSTRUCTION(Name, Type, constraint, text)                                                                      \
    template <int Chains> struct Name {                                                                                \
        Type x[Chains], a, b;                                                                                          \
        __device__ explicit Name(const Input& in) : a(word<Type>(in, 50)), b(word<Type>(in, 60)) {                     \
            for (int i = 0; i < Chains; ++i) x[i] = word<Type>(in, i);                                                 \
        }                                                                                                              \
        __device__ void step(int u) {                                                                                  \
            asm volatile(text : "+" constraint(x[u % Chains]) : constraint(a), constraint(b));                         \
        }                                                                                                              \
        __device__ void keep(uint32_t* sink) {                                                                         \
            for (int i = 0; i < Chains; ++i) use(sink, x[i]);                                                          \
        }                                                                                                              \
    };

INSTRUCTION(Ffma, float, "f", "fma.rn.f32 %0, %0, %1, %2;")
INSTRUCTION(Fadd, float, "f", "add.f32 %0, %0, %1;")
INSTRUCTION(Fmul, float, "f", "mul.f32 %0, %0, %1;")
INSTRUCTION(Fmnmx, float, "f", "{.reg .f32 t; max.f32 t, %0, %1; sub.f32 %0, t, %2;}")
INSTRUCTION(Imad, uint32_t, "r", "mad.lo.u32 %0, %0, %1, %2;")
INSTRUCTION(ImadWide, uint64_t, "l", "{.reg .b32 l, h, m, n; mov.b64 {l, h}, %0; mov.b64 {m, n}, %1; xor.b32 l, l, h; mul.wide.u32 %0, l, m;}")
INSTRUCTION(ImadHi, uint32_t, "r", "mad.hi.u32 %0, %0, %1, %2;")
INSTRUCTION(Iadd3, uint32_t, "r", "{.reg .b32 t; add.u32 t, %0, %1; sub.u32 %0, %2, t;}")
INSTRUCTION(Lop3, uint32_t, "r", "lop3.b32 %0, %0, %1, %2, 0x2d;")
INSTRUCTION(Shf, uint32_t, "r", "shf.l.wrap.b32 %0, %0, %1, %2;")
INSTRUCTION(LeaHi, uint32_t, "r", "{.reg .b32 t; shr.u32 t, %0, 5; add.u32 %0, t, %1;}")
INSTRUCTION(Prmt, uint32_t, "r", "prmt.b32 %0, %0, %1, %2;")
INSTRUCTION(IsetpSel, uint32_t, "r", "{.reg .pred p; setp.lt.u32 p, %0, %1; selp.b32 %0, %1, %2, p;}")
INSTRUCTION(Viaddmnmx, uint32_t, "r", "{.reg .b32 t; max.s32 t, %0, %1; add.u32 %0, t, %2;}")
INSTRUCTION(Idp4a, uint32_t, "r", "dp4a.u32.u32 %0, %0, %1, %2;")
INSTRUCTION(Hfma2, uint32_t, "r", "fma.rn.f16x2 %0, %0, %1, %2;")
INSTRUCTION(Hadd2, uint32_t, "r", "add.rn.f16x2 %0, %0, %1;")
INSTRUCTION(Hfma2Bf16, uint32_t, "r", "fma.rn.bf16x2 %0, %0, %1, %2;")
INSTRUCTION(Dfma, double, "d", "fma.rn.f64 %0, %0, %1, %2;")
INSTRUCTION(Dadd, double, "d", "add.f64 %0, %0, %1;")
INSTRUCTION(Dmul, double, "d", "mul.f64 %0, %0, %1;")
INSTRUCTION(MufuEx2, float, "f", "ex2.approx.ftz.f32 %0, %0;")
INSTRUCTION(MufuRsq, float, "f", "rsqrt.approx.ftz.f32 %0, %0;")
INSTRUCTION(MufuTanh, float, "f", "tanh.approx.f32 %0, %0;")
INSTRUCTION(F2i, float, "f", "{.reg .b32 t; cvt.rzi.s32.f32 t, %0; mov.b32 %0, t;}")
INSTRUCTION(I2fp, uint32_t, "r", "{.reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t;}")
INSTRUCTION(I2fByte, uint32_t, "r", "{.reg .f32 t; .reg .b32 s; and.b32 s, %0, 255; cvt.rn.f32.u32 t, s; mov.b32 %0, t;}")
INSTRUCTION(Frnd, float, "f", "cvt.rmi.f32.f32 %0, %0;")
INSTRUCTION(F2fPair, double, "d", "{.reg .f32 t; cvt.rn.f32.f64 t, %0; cvt.f64.f32 %0, t;}")
INSTRUCTION(I2fF64, double, "d", "{.reg .b32 l, h; mov.b64 {l, h}, %0; cvt.rn.f64.s32 %0, h;}")
INSTRUCTION(F2iF64, double, "d", "{.reg .b32 t, l, h; mov.b64 {l, h}, %0; cvt.rzi.s32.f64 t, %0; mov.b64 %0, {t, h};}")
INSTRUCTION(F2fpBf16, uint32_t, "r", "{.reg .f32 s, t; mov.b32 s, %0; mov.b32 t, %1; cvt.rn.bf16x2.f32 %0, s, t;}")
INSTRUCTION(Popc, uint32_t, "r", "popc.b32 %0, %0;")
INSTRUCTION(Flo, uint32_t, "r", "bfind.u32 %0, %0;")
INSTRUCTION(Brev, uint32_t, "r", "{.reg .b32 t; brev.b32 t, %0; xor.b32 %0, t, %1;}")
INSTRUCTION(ShflBfly, uint32_t, "r", "shfl.sync.bfly.b32 %0, %0, 1, 0x1f, -1;")
INSTRUCTION(ShflIdx, uint32_t, "r", "shfl.sync.idx.b32 %0, %0, %1, 0x1f, -1;")
INSTRUCTION(VotePair, uint32_t, "r", "{.reg .pred p; setp.gt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;}")
INSTRUCTION(Redux, uint32_t, "r", "redux.sync.add.s32 %0, %0, -1;")
INSTRUCTION(S2r, uint32_t, "r", "{.reg .b32 t; mov.u32 t, %%warpid; add.u32 %0, %0, t;}")
INSTRUCTION(Cs2r, uint64_t, "l", "{.reg .b64 t; mov.u64 t, %%clock64; xor.b64 %0, %0, t;}")

/// Predicates that depend on each other: 16 ISETP, of which each reads the one before.
template <int Chains> struct IsetpChain {
    uint32_t x[1], a, b;
    __device__ explicit IsetpChain(const Input& in) : a(word<uint32_t>(in, 50)), b(word<uint32_t>(in, 60)) {
        x[0] = word<uint32_t>(in, 0);
    }
    __device__ void step(int) {
        asm volatile("{.reg .pred p; setp.lt.u32 p, %0, %1;"
#define TWO "setp.gt.or.s32 p, %0, %2, p; setp.lt.and.u32 p, %0, %1, p;"
                     TWO TWO TWO TWO TWO TWO TWO
                     "setp.gt.or.s32 p, %0, %2, p; selp.b32 %0, %1, %2, p;}"
                     : "+r"(x[0])
                     : "r"(a), "r"(b));
#undef TWO
    }
    __device__ void keep(uint32_t* sink) { use(sink, x[0]); }
};

/// Choices by two predicates that do not change: 16 SEL, of which each reads the one before.
template <int Chains> struct SelChain {
    uint32_t x[1], a, b;
    __device__ explicit SelChain(const Input& in) : a(word<uint32_t>(in, 50)), b(word<uint32_t>(in, 60)) {
        x[0] = word<uint32_t>(in, 0);
    }
    __device__ void step(int) {
        asm volatile("{.reg .pred p, q; setp.lt.u32 p, %1, %2; setp.gt.s32 q, %1, 77;"
#define TWO "selp.b32 %0, %0, %1, p; selp.b32 %0, %2, %0, q;"
                     TWO TWO TWO TWO TWO TWO TWO TWO "}"
                     : "+r"(x[0])
                     : "r"(a), "r"(b));
#undef TWO
    }
    __device__ void keep(uint32_t* sink) { use(sink, x[0]); }
};

/// A matrix instruction of a warp, with Out registers of D and C, In of A, Other of B.
#define MATRIX(Name, Type, constraint, Out, text)                                                                      \
    template <int Chains> struct Name {                                                                                \
        Type d[Chains][4];                                                                                             \
        uint32_t a[4], b[2];                                                                                           \
        double p[8], q[4];                                                                                             \
        __device__ explicit Name(const Input& in) {                                                                    \
            for (int i = 0; i < Chains; ++i)                                                                           \
                for (int j = 0; j < Out; ++j) d[i][j] = word<Type>(in, i + j);                                         \
            for (int i = 0; i < 4; ++i) a[i] = word<uint32_t>(in, 70 + i);                                             \
            for (int i = 0; i < 2; ++i) b[i] = word<uint32_t>(in, 80 + i);                                             \
            for (int i = 0; i < 8; ++i) p[i] = word<double>(in, 90 + i);                                               \
            for (int i = 0; i < 4; ++i) q[i] = word<double>(in, 99 + i);                                               \
        }                                                                                                              \
        __device__ void step(int u) {                                                                                  \
            Type* x = d[u % Chains];                                                                                   \
            text;                                                                                                      \
        }                                                                                                              \
        __device__ void keep(uint32_t* sink) {                                                                         \
            for (int i = 0; i < Chains; ++i)                                                                           \
                for (int j = 0; j < Out; ++j) use(sink, d[i][j]);                                                      \
        }                                                                                                              \
    };
#define D4(constraint) "+" constraint(x[0]), "+" constraint(x[1]), "+" constraint(x[2]), "+" constraint(x[3])
#define A4 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
MATRIX(MmaBf16, float, "f", 4,
       asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                    : D4("f") : A4, "r"(b[0]), "r"(b[1])))
MATRIX(MmaBf16K8, float, "f", 4,
       asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                    : D4("f") : "r"(a[0]), "r"(a[1]), "r"(b[0])))
MATRIX(MmaF16, uint32_t, "r", 2,
       asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                    : "+r"(x[0]), "+r"(x[1]) : A4, "r"(b[0]), "r"(b[1])))
MATRIX(MmaTf32, float, "f", 4,
       asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                    : D4("f") : A4, "r"(b[0]), "r"(b[1])))
MATRIX(MmaTf32K4, float, "f", 4,
       asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                    : D4("f") : "r"(a[0]), "r"(a[1]), "r"(b[0])))
MATRIX(MmaS8, uint32_t, "r", 4,
       asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                    : D4("r") : A4, "r"(b[0]), "r"(b[1])))
MATRIX(MmaB1, uint32_t, "r", 4,
       asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                    : D4("r") : A4, "r"(b[0]), "r"(b[1])))
MATRIX(MmaB1Xor, uint32_t, "r", 4,
       asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                    : D4("r") : A4, "r"(b[0]), "r"(b[1])))
MATRIX(MmaB1K128, uint32_t, "r", 4,
       asm volatile("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                    : D4("r") : "r"(a[0]), "r"(a[1]), "r"(b[0])))
MATRIX(MmaF64K4, double, "d", 2,
       asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                    : "+d"(x[0]), "+d"(x[1]) : "d"(p[0]), "d"(q[0])))
MATRIX(MmaF64M16K4, double, "d", 4,
       asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                    : D4("d") : "d"(p[0]), "d"(p[1]), "d"(q[0])))
MATRIX(MmaF64M16K8, double, "d", 4,
       asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                    : D4("d") : "d"(p[0]), "d"(p[1]), "d"(p[2]), "d"(p[3]), "d"(q[0]), "d"(q[1])))
MATRIX(MmaF64M16K16, double, "d", 4,
       asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
                    : D4("d") : "d"(p[0]), "d"(p[1]), "d"(p[2]), "d"(p[3]), "d"(p[4]), "d"(p[5]), "d"(p[6]), "d"(p[7]), "d"(q[0]), "d"(q[1]), "d"(q[2]), "d"(q[3])))

template <template <int> class Body, int Chains = 8, int Steps = 128>
void pipe(Bench& bench, const std::string& name, const std::string& what, double instructions = 1) {
    report(name + "_latency", bench.cycles<Body<1>, Steps>({1, 1}) / instructions, "cycles",
           "one warp, each " + what + " reads the one before");
    report(name + "_interval_1_warp", bench.cycles<Body<Chains>, Steps>({1, 1}) / instructions, "cycles",
           "one warp with " + std::to_string(Chains) + " independent chains of " + what + ": cycles each");
    report(name + "_interval_4_warps", bench.cycles<Body<Chains>, Steps>({4, 1}) / (4 * instructions), "cycles",
           "four warps on one sub-core, the other three idle: cycles each " + what + " of that sub-core");
    report(name + "_interval_sm", bench.cycles<Body<Chains>, Steps>({4, 4}) / (4 * instructions), "cycles",
           "four warps on each sub-core: cycles each " + what + " of a sub-core");
}

} // namespace micro

int main() {
    using namespace micro;
    Bench bench;
    pipe<Ffma>(bench, "ffma", "FFMA");
    pipe<Fadd>(bench, "fadd", "FADD");
    pipe<Fmul>(bench, "fmul", "FMUL");
    pipe<Fmnmx>(bench, "fmnmx_fadd", "pair of FMNMX and FADD");
    pipe<Imad>(bench, "imad", "IMAD");
    pipe<ImadWide>(bench, "imad_wide_lop3", "pair of IMAD.WIDE.U32 and LOP3");
    pipe<ImadHi>(bench, "imad_hi", "IMAD.HI.U32");
    pipe<Iadd3>(bench, "iadd3", "IADD3");
    pipe<Lop3>(bench, "lop3", "LOP3");
    pipe<Shf>(bench, "shf", "SHF");
    pipe<LeaHi>(bench, "lea_hi", "LEA.HI");
    pipe<Prmt>(bench, "prmt", "PRMT");
    pipe<IsetpSel>(bench, "isetp_sel", "pair of ISETP and SEL");
    pipe<IsetpChain, 1, 8>(bench, "isetp_chain", "ISETP, which reads the predicate of the one before, with a SEL after 16", 16);
    pipe<SelChain, 1, 8>(bench, "sel", "SEL", 16);
    pipe<Viaddmnmx>(bench, "viaddmnmx", "VIADDMNMX");
    pipe<Idp4a>(bench, "idp4a", "IDP.4A");
    pipe<Hfma2, 16>(bench, "hfma2", "HFMA2 (about every second one HFMA2.MMA)");
    pipe<Hadd2>(bench, "hadd2", "HADD2");
    pipe<Hfma2Bf16, 16>(bench, "hfma2_bf16", "HFMA2.BF16 (about every second one HFMA2.MMA.BF16)");
    pipe<Dfma>(bench, "dfma", "DFMA");
    pipe<Dadd>(bench, "dadd", "DADD");
    pipe<Dmul>(bench, "dmul", "DMUL");
    pipe<MufuEx2>(bench, "mufu_ex2", "MUFU.EX2");
    pipe<MufuRsq>(bench, "mufu_rsq", "MUFU.RSQ");
    pipe<MufuTanh>(bench, "mufu_tanh", "MUFU.TANH");
    pipe<F2i>(bench, "f2i", "F2I");
    pipe<I2fp>(bench, "i2fp", "I2FP");
    pipe<I2fByte>(bench, "i2f_byte", "conversion of a byte");
    pipe<Frnd>(bench, "frnd", "FRND");
    pipe<F2fPair>(bench, "f2f_pair", "pair of F2F.F32.F64 and F2F.F64.F32");
    pipe<I2fF64>(bench, "i2f_f64", "I2F.F64");
    pipe<F2iF64>(bench, "f2i_f64", "F2I.F64");
    pipe<F2fpBf16>(bench, "f2fp_bf16", "F2FP.BF16.F32.PACK_AB");
    pipe<Popc>(bench, "popc", "POPC");
    pipe<Flo>(bench, "flo", "FLO");
    pipe<Brev>(bench, "brev_lop3", "pair of BREV and LOP3");
    pipe<ShflBfly>(bench, "shfl_bfly", "SHFL.BFLY");
    pipe<ShflIdx>(bench, "shfl_idx", "SHFL.IDX");
    pipe<VotePair>(bench, "isetp_vote", "pair of ISETP and VOTE");
    pipe<Redux>(bench, "redux", "REDUX and the copy back from a uniform register");
    pipe<S2r>(bench, "s2r_shf_sgxt", "S2R, SHF, SGXT and half an IADD3");
    pipe<Cs2r>(bench, "cs2r_2_lop3", "triple of CS2R and two LOP3");
    pipe<MmaBf16>(bench, "mma_m16n8k16_bf16", "HMMA.16816.F32.BF16");
    pipe<MmaBf16K8>(bench, "mma_m16n8k8_bf16", "HMMA.1688.F32.BF16");
    pipe<MmaF16>(bench, "mma_m16n8k16_f16", "HMMA.16816.F16");
    pipe<MmaTf32>(bench, "mma_m16n8k8_tf32", "HMMA.1688.F32.TF32");
    pipe<MmaTf32K4>(bench, "mma_m16n8k4_tf32", "HMMA.1684.F32.TF32");
    pipe<MmaS8>(bench, "mma_m16n8k32_s8", "IMMA.16832");
    pipe<MmaB1>(bench, "mma_m16n8k256_b1", "BMMA");
    pipe<MmaB1K128>(bench, "mma_m16n8k128_b1", "BMMA.168128");
    pipe<MmaB1Xor>(bench, "mma_m16n8k256_b1_xor", "product of bits with XOR (ptxas calls a function of two BMMA.AND for it)");
    pipe<MmaF64K4>(bench, "mma_m8n8k4_f64", "DMMA.884");
    pipe<MmaF64M16K4, 4, 32>(bench, "mma_m16n8k4_f64", "DMMA.1684");
    pipe<MmaF64M16K8, 4, 32>(bench, "mma_m16n8k8_f64", "DMMA.1688");
    pipe<MmaF64M16K16, 2, 32>(bench, "mma_m16n8k16_f64", "DMMA.16816");
}
