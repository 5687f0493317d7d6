/* gemmscope
family = "tensor"
rung = 7
arch = "sm_90a"
tensor_cores = true
provenance = "this program"
tuned = true
title = { en = "FP32 from three TF32 products", zh = "用三次 TF32 乘法得到 FP32" }
idea = { en = "Each operand is split into a large and a small TF32 part; three products give the accuracy of FP32.", zh = "每个操作数拆成大、小两个 TF32 部分；三次乘法得到 FP32 的精度。" }
look = { view = "timeline", en = "For 32 k a warpgroup starts twelve products, then adds their sum to its own registers.", zh = "每 32 个 k，一个 warpgroup 发起 12 条乘法，再把累加值加到自己的寄存器上。" }
story = { en = """
TF32 keeps 11 of the 24 significant bits of a float. The rest of an operand is a float, too: split, it is `large` + `small`, each a
TF32 value. Of the four products the one of the two small parts is below the last bit of FP32. The other three go to tensor cores,
which do the work of eight FMAs in the time of one. This is known as 3xTF32 (Ootomo and Yokota, 2022; CUTLASS). Tensor cores cut sums
off where FP32 rounds. Over thousands of k the cuts add up, all toward zero. So every 32 k a thread adds what they summed to registers
of its own. Parts of B are split in registers. wgmma reads A from shared memory, so three warps write A's small part beside it.
""", zh = """
TF32 只保留 float 24 个有效位中的 11 个；剩下的部分也是一个 float。于是操作数 = large + small，两者都是 TF32 值。四个乘积中，两个 small 的乘积
低于 FP32 的最低位；其余三个交给张量核心，它在一次 FMA 的时间里完成八次。这个方法叫 3xTF32（Ootomo 与 Yokota，2022；CUTLASS）。
FP32 累加会舍入，张量核心则直接截断；上千个 k 之后，截断误差全部朝零累积。因此每 32 个 k，线程就把张量核心的累加值加到自己的
寄存器上。B 在寄存器里拆分；wgmma 从共享内存读 A，所以由三个 warp 把 A 的 small 部分写在旁边。
""" }

[[parameter]]
name = "BM"
values = [32, 64, 128]
initial = 128
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block, all in one wgmma", zh = "每个线程块的 C 行数，由一条 wgmma 完成" }

[[parameter]]
name = "BN"
values = [64, 128, 192]
initial = 128
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block: 64 for each warpgroup", zh = "每个线程块的 C 列数：每个 warpgroup 64 列" }

[[parameter]]
name = "SLICES"
values = [1, 2, 3]
initial = 1
label = { en = "slices of k", zh = "k 的切片数" }
meaning = { en = "warpgroups that share the stages of one tile and add their sums at the end", zh = "分担一个分块各阶段的 warpgroup 数，最后把累加值相加" }

[[parameter]]
name = "STAGES"
values = [2, 3, 4, 6, 8]
initial = 4
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles of 32 k in the ring: one multiplied, the others split or under way", zh = "环中的分块数（每块 32 个 k）：一个在算，其余在拆分或在途" }

[[parameter]]
name = "BAND"
values = [1, 8]
initial = 8
label = { en = "band of tiles", zh = "分块带高" }
meaning = { en = "rows of tiles that blocks walk together, down and then across", zh = "线程块成组行走的分块行数，先向下再向右" }

[[parameter]]
name = "SMS"
values = [1, 66, 132]
initial = 132
label = { en = "SMs", zh = "SM 数" }
meaning = { en = "SMs that the grid fills, one block each; an H200 has 132", zh = "网格填满的 SM 数：每个 SM 一个线程块；H200 有 132 个 SM" }

[[rule]]
expression = "BN / 64 * SLICES <= (BM <= 64 ? 3 : 2)"
reason = { en = "A block has registers for three warpgroups of 64 rows, or for two of 128: BN / 64 * SLICES.", zh = "线程块的寄存器只够三个 64 行的 warpgroup，或两个 128 行的：BN / 64 * SLICES。" }

[[rule]]
expression = "STAGES % SLICES == 0"
reason = { en = "Each slice multiplies its own stages of the ring, all of them as many.", zh = "每个切片负责环中固定的阶段，各切片的阶段数相同。" }

[[rule]]
expression = "STAGES * ((2 * BM + BN) * 128 + 24) + (SLICES - 1) * BM * BN * 4 + 1024 <= 232448"
reason = { en = "All stages, and the sums of the other slices, must fit in a block's largest shared memory, 227 KB.", zh = "所有阶段和其他切片的累加值必须放得进一个线程块最大的共享内存：227 KB。" }

[[tensor_map]]
of = "A"
box = ["BM", "32"]
swizzle = "128"

[[tensor_map]]
of = "B"
box = ["32", "32"]
swizzle = "128"

[launch]
block = ["2 * BN * SLICES + 128", "1"]
grid = ["min(SMS, ceil_div(N, BN) * ceil_div(M, BM))", "1"]
dynamic_shared = "STAGES * ((2 * BM + BN) * 128 + 24) + (SLICES - 1) * BM * BN * 4"
*/

// A CUtensorMap, made by whoever launches the kernel: a matrix and the box of it that one copy brings.
struct alignas(64) TensorMap {
    unsigned char bytes[128];
};

// A barrier in shared memory (PTX ISA, "mbarrier"): threads arrive, copies announce and deliver bytes, and its phase turns
// from 0 to 1 to 0 whenever all that it awaits is there.
struct Mbarrier {
    unsigned address;
    __device__ __forceinline__ void init(int arrivals) const {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(arrivals) : "memory");
    }
    __device__ __forceinline__ void arrive() const {
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address) : "memory");
    }
    __device__ __forceinline__ void arrive_and_expect(int bytes) const {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address), "r"(bytes) : "memory");
    }
    __device__ __forceinline__ void wait(unsigned phase) const { // for the end of this phase
        asm volatile("{\n\t"
                     ".reg .pred ended;\n"
                     "again:\n\t"
                     "mbarrier.try_wait.parity.shared.b64 ended, [%0], %1;\n\t"
                     "@!ended bra again;\n\t"
                     "}" ::"r"(address), "r"(phase) : "memory");
    }
};

// Called by one thread, which goes on at once: the box whose first element is (row, column) of the map's matrix arrives at
// shared address `to`, zeros for what lies outside the matrix, and `done` counts its bytes.
__device__ __forceinline__ void copy_box(unsigned to, const TensorMap& map, int row, int column, Mbarrier done) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(&map), "r"(column), "r"(row), "r"(done.address) : "memory");
}

// A warpgroup copies such a box by hand: ROWS rows of 128 bytes. The swizzle of TMA: the eight 16-byte pieces of row r
// change places, piece p lies where p ^ (r % 8) would.
template <int ROWS, class Element>
__device__ __forceinline__ void copy_by_hand(unsigned char* to, const Element* matrix, int rows, int columns, int row0, int column0) {
    constexpr int COLUMNS = 128 / sizeof(Element), PIECE = 16 / sizeof(Element);
#pragma unroll 1
    for (int i = threadIdx.x % 128; i < ROWS * COLUMNS; i += 128) {
        const int r = i / COLUMNS, c = i % COLUMNS, row = row0 + r, column = column0 + c;
        const int place = (c / PIECE ^ r % 8) * PIECE + c % PIECE;
        reinterpret_cast<Element*>(to)[r * COLUMNS + place] = row < rows && column < columns ? matrix[(size_t)row * columns + column] : Element(0);
    }
}

// Where wgmma finds its operand in shared memory (PTX ISA, "Matrix descriptor"): rows of 128 bytes, swizzled; groups of eight
// rows lie `stride` bytes apart, and `leading` bytes lie between pieces of 128 bytes where a row goes on in the next box.
__device__ __forceinline__ unsigned long long descriptor(unsigned address, unsigned leading, unsigned stride) {
    return (unsigned long long)(address >> 4 & 0x3FFF) | (unsigned long long)(leading >> 4) << 16 | (unsigned long long)(stride >> 4) << 32 | 1ull << 62;
}

// A warpgroup's multiplications run beside it. begin(): its registers and shared memory are as it left them; commit(): what was
// started since then is a group; wait<N>(): all groups but the last N are done.
__device__ __forceinline__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int PENDING>
__device__ __forceinline__ void wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory"); }

#define SUMS4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define SUMS16(i) SUMS4(i), SUMS4(i + 4), SUMS4(i + 8), SUMS4(i + 12)

// Starts sum[64][BM] += b[64][8] * a[8][BM], or = where `add` is 0: C's tile on its side. Of b a thread hands over four values, of
// row t / 32 * 16 + t % 32 / 4 and eight further the columns t % 4 and four further; of the sums it gets of the same rows, in every
// eight columns, the two at t % 4 * 2.
template <int BM>
struct Multiply;

#define SUMS_32 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define SUMS_64 SUMS_32 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define SUMS_128 SUMS_64 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

template <>
struct Multiply<32> {
    __device__ __forceinline__ static void start(float* sum, const unsigned* b, unsigned long long a, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     "setp.ne.b32 add, %21, 0;\n\t"
                     "wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 {" SUMS_32 "}, {%16, %17, %18, %19}, %20, add, 1, 1;\n\t"
                     "}"
                     : SUMS16(0)
                     : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "l"(a), "r"(add));
    }
};

template <>
struct Multiply<64> {
    __device__ __forceinline__ static void start(float* sum, const unsigned* b, unsigned long long a, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     "setp.ne.b32 add, %37, 0;\n\t"
                     "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {" SUMS_64 "}, {%32, %33, %34, %35}, %36, add, 1, 1;\n\t"
                     "}"
                     : SUMS16(0), SUMS16(16)
                     : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "l"(a), "r"(add));
    }
};

template <>
struct Multiply<128> {
    __device__ __forceinline__ static void start(float* sum, const unsigned* b, unsigned long long a, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     "setp.ne.b32 add, %69, 0;\n\t"
                     "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {" SUMS_128 "}, {%64, %65, %66, %67}, %68, add, 1, 1;\n\t"
                     "}"
                     : SUMS16(0), SUMS16(16), SUMS16(32), SUMS16(48)
                     : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "l"(a), "r"(add));
    }
};

// Registers are dealt out by warpgroup: the producer gives back what it does not need, the consumers take it.
template <int GROUPS>
struct Registers {
    static constexpr int AT_START = 65536 / ((GROUPS + 1) * 128) / 8 * 8; // of each thread
    static constexpr int PRODUCER = 56, LEFT = ((GROUPS + 1) * AT_START - PRODUCER) / GROUPS / 8 * 8;
    static constexpr int CONSUMER = LEFT < 240 ? LEFT : 240;
};

// TF32 has the upper 19 bits of a float. What they leave of x is exact, has the sign of x, and is rounded here: tensor cores leave out
// the lower 13 bits of what they read.
__device__ __forceinline__ unsigned large_of(unsigned x) { return x & 0xFFFFE000u; }
__device__ __forceinline__ unsigned small_of(unsigned x) {
    return __float_as_uint(__uint_as_float(x) - __uint_as_float(large_of(x))) + 0x1000u;
}

// Writes the small part of each of COUNT floats, 16 bytes at a time, by THREADS threads of which this is `mine`.
template <int COUNT, int THREADS>
__device__ __forceinline__ void split(unsigned char* small, const unsigned char* whole, int mine) {
#pragma unroll 8
    for (int i = mine; i < COUNT / 4; i += THREADS) {
        const uint4 x = reinterpret_cast<const uint4*>(whole)[i];
        reinterpret_cast<uint4*>(small)[i] = make_uint4(small_of(x.x), small_of(x.y), small_of(x.z), small_of(x.w));
    }
}

// Where tile `number` of C starts. Tiles at work together should share rows and columns, which then come from the L2 cache: in this
// order they are BAND rows of tiles, down and then across.
template <int BM, int BN, int BAND>
__device__ __forceinline__ void find_tile(int number, int M, int N, int& row0, int& column0) {
    const int down = (M + BM - 1) / BM, across = (N + BN - 1) / BN;
    const int band = number / (BAND * across), rows = min(BAND, down - band * BAND), in_band = number - band * BAND * across;
    row0 = (band * BAND + in_band % rows) * BM;
    column0 = in_band / rows * BN;
}

// What lane ^ LANES hands over. __shfl_xor_sync takes integers: the compiler would then keep sums as such in the loop, and move them between
// products that run.
template <int LANES>
__device__ __forceinline__ float exchange(float mine) {
    float theirs;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=f"(theirs) : "f"(mine), "n"(LANES));
    return theirs;
}

// Four neighbouring sums become elements of C. As in BLAS, C is not read when beta is 0: it may hold anything, NaN included.
__device__ __forceinline__ void finish4(float* C, int M, int N, int row, int column, float alpha, const float* sum, float beta) {
    if (row >= M || column >= N) return;
    float* c = C + (size_t)row * N + column;
    if (N % 4 == 0) {
        float4 v = make_float4(alpha * sum[0], alpha * sum[1], alpha * sum[2], alpha * sum[3]);
        if (beta != 0) {
            const float4 old = *reinterpret_cast<const float4*>(c);
            v.x = fmaf(beta, old.x, v.x), v.y = fmaf(beta, old.y, v.y), v.z = fmaf(beta, old.z, v.z), v.w = fmaf(beta, old.w, v.w);
        }
        *reinterpret_cast<float4*>(c) = v;
    } else {
#pragma unroll
        for (int j = 0; j < 4; ++j)
            if (column + j < N) c[j] = beta == 0 ? alpha * sum[j] : fmaf(beta, c[j], alpha * sum[j]);
    }
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
//
// A stage of the ring:  A's box [BM][32], BN / 32 boxes [32][32] of B, one for two warps, and the small parts of A, which lie as A does.
// Each stage has one warp that splits it and one slice that multiplies it. Who took turns at stages instead could be a phase ahead of a
// barrier whose copy is late, and take the phase before for the one it waits for: their parities are the same.
template <int BM, int BN, int SLICES, int STAGES, int BAND, int SMS>
__global__ void __launch_bounds__(2 * BN * SLICES + 128, 1)
tensor_3xtf32(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C,
              const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map) {
    constexpr int BK = 32, SLICE = 2 * BN, GROUPS = BN / 64 * SLICES, SPLITTERS = 3; // SLICE: threads; SPLITTERS: warps
    constexpr int A_BYTES = BM * 128, BOX = BK * 128, COPIED = A_BYTES + BN / 32 * BOX, STAGE = COPIED + A_BYTES;
    extern __shared__ __align__(1024) unsigned char ring[]; // STAGES stages, the sums of slices 1 and 2, the barriers
    constexpr int SUMS = STAGES * STAGE, BARRIERS = SUMS + (SLICES - 1) * BM * BN * 4;

    const unsigned base = (unsigned)__cvta_generic_to_shared(ring);
    const auto full = [&](int stage) { return Mbarrier{base + BARRIERS + stage * 24}; };
    const auto ready = [&](int stage) { return Mbarrier{base + BARRIERS + stage * 24 + 8}; }; // A is split, too
    const auto empty = [&](int stage) { return Mbarrier{base + BARRIERS + stage * 24 + 16}; };
    const bool by_hand = K % 4 != 0 || N % 4 != 0; // TMA cannot read these rows; then every thread arrives for itself
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s)
            full(s).init(by_hand ? 128 : 1), ready(s).init(by_hand ? 128 : 32), empty(s).init(BN / 64 * (by_hand ? 128 : 4));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); // for TMA to see
    }
    __syncthreads();

    const int tiles = ((M + BM - 1) / BM) * ((N + BN - 1) / BN), steps = (K + BK - 1) / BK; // of C; of k in each
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32; // the compiler sees that a warp goes one way
    int row0, column0;        // the tile of C starts here
    int stage = 0, phase = 0; // the phase turns each time around the ring, which knows no tiles of C
    const auto next_stage = [&] {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    };

    if (warp >= GROUPS * 4) { // a warp that copies, and three that split, each its own stages
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers<GROUPS>::PRODUCER));
        const bool copies = warp == GROUPS * 4;
        if (!by_hand && copies && lane != 0) return;
#pragma unroll 1
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            find_tile<BM, BN, BAND>(tile, M, N, row0, column0);
#pragma unroll 1
            for (int step = 0; step < steps; ++step, next_stage()) {
                unsigned char* to = ring + stage * STAGE;
                if (by_hand || copies) empty(stage).wait(phase ^ 1); // a new barrier is past its phase 1: the first time around nobody waits
                if (by_hand) {
                    copy_by_hand<BM>(to, A, M, K, row0, step * BK);
                    for (int j = 0; j < BN / 32; ++j) copy_by_hand<BK>(to + A_BYTES + j * BOX, B, K, N, step * BK, column0 + j * 32);
                    full(stage).arrive();
                } else if (copies) {
                    const unsigned at = base + stage * STAGE;
                    full(stage).arrive_and_expect(COPIED);
                    copy_box(at, a_map, row0, step * BK, full(stage));
#pragma unroll
                    for (int j = 0; j < BN / 32; ++j) copy_box(at + A_BYTES + j * BOX, b_map, step * BK, column0 + j * 32, full(stage));
                    continue;
                } else if (warp - GROUPS * 4 - 1 != stage % SPLITTERS) {
                    continue;
                }
                full(stage).wait(phase);
                if (by_hand) split<BM * BK, 128>(to + COPIED, to, threadIdx.x % 128);
                else split<BM * BK, 32>(to + COPIED, to, lane);
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // wgmma reads by another way than threads write
                ready(stage).arrive();
            }
        }
        return;
    }

    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers<GROUPS>::CONSUMER));
    // A box holds the columns of two warps, eight pieces of four: 0 1 4 5 and 2 3 6 7. Lane (g, t) reads, of rows t and t + 4 of every
    // eight k, half of `piece`. Swizzled, the pieces that the lanes 0 to 15 read, and 16 to 31, are all eight.
    const int slice = warp / (SLICE / 32), pair = warp % (SLICE / 32) / 2;
    const int g = lane / 4, t = lane % 4, piece = warp % 2 * 2 + g / 4 + g % 4 / 2 * 4;
    const unsigned my_b = base + A_BYTES + pair * BOX + t * 128 + g % 2 * 8;
    const unsigned upper = (piece ^ t) * 16, lower = 4 * 128 + (piece ^ t ^ 4) * 16;

#pragma unroll 1
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        float total[BM / 2] = {};
#pragma unroll 1
        for (int step = 0; step < steps; ++step, next_stage()) {
            if (stage % SLICES != slice) continue;
            full(stage).wait(phase);
            unsigned large[BK / 8][4], small[BK / 8][4]; // of B
#pragma unroll
            for (int k = 0; k < BK; k += 8) {
                const unsigned at = my_b + stage * STAGE + k * 128;
                unsigned(&v)[4] = large[k / 8];
                asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(at + upper) : "memory");
                asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(v[2]), "=r"(v[3]) : "r"(at + lower) : "memory");
            }
#pragma unroll
            for (int i = 0; i < BK / 2; ++i) {
                unsigned& x = large[i / 4][i % 4];
                small[i / 4][i % 4] = small_of(x), x = large_of(x);
            }
            ready(stage).wait(phase);
            const unsigned a = base + stage * STAGE;
            float sum[BM / 2]; // of these 32 k
            begin();
#pragma unroll
            for (int k = 0; k < BK; k += 8) {
                const unsigned long long whole = descriptor(a + k * 4, 0, 1024); // as TF32 its large part
                Multiply<BM>::start(sum, small[k / 8], whole, k > 0);
                Multiply<BM>::start(sum, large[k / 8], descriptor(a + COPIED + k * 4, 0, 1024), 1);
                Multiply<BM>::start(sum, large[k / 8], whole, 1);
            }
            commit();
            wait<0>();
            __syncwarp();
            if (by_hand || lane == 0) empty(stage).arrive(); // this warp has read it
#pragma unroll
            for (int i = 0; i < BM / 2; ++i) total[i] += sum[i];
        }

        if (SLICES > 1) {
            float* sums = reinterpret_cast<float*>(ring + SUMS) + threadIdx.x % SLICE;
            const auto meet = [] { asm volatile("bar.sync 1, %0;" ::"n"(GROUPS * 128) : "memory"); };
#pragma unroll
            for (int i = 0; slice > 0 && i < BM / 2; ++i) sums[((slice - 1) * BM / 2 + i) * SLICE] = total[i];
            meet();
#pragma unroll
            for (int i = 0; slice == 0 && i < (SLICES - 1) * BM / 2; ++i) total[i % (BM / 2)] += sums[i * SLICE];
            meet(); // the sums of the next tile may overwrite them
            if (slice > 0) continue;
        }

        // Lanes g and g + 1 have neighbouring pairs of columns, both of rows t * 2 and t * 2 + 1. They swap: the even one takes the upper
        // row, the odd one the lower.
        find_tile<BM, BN, BAND>(tile, M, N, row0, column0);
        const bool odd = g % 2;
        const int column = column0 + pair * 32 + piece * 4;
#pragma unroll
        for (int j = 0; j < BM / 2; j += 4) {
            const float left = exchange<4>(odd ? total[j] : total[j + 1]), right = exchange<4>(odd ? total[j + 2] : total[j + 3]);
            const float four[4] = {odd ? left : total[j], odd ? right : total[j + 2], odd ? total[j + 1] : left, odd ? total[j + 3] : right};
            finish4(C, M, N, row0 + j * 2 + t * 2 + odd, column, alpha, four, beta);
        }
    }
}
