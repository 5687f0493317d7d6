/* gemmscope
family = "tensor"
rung = 2
arch = "sm_90a"
operands = "tf32"
provenance = "this program"
tuned = true
title = { en = "TF32, wide and persistent", zh = "TF32，加宽、常驻" }
idea = { en = "One wgmma multiplies 256 rows of A, and persistent blocks copy the next tile while they store this one.", zh = "一条 wgmma 乘 A 的 256 行；常驻线程块写出这一块时，下一块已在拷贝。" }
look = { view = "timeline", en = "With fewer SMS than tiles, the products of the next tile follow the stores of this one at once.", zh = "SMS 少于分块数时，写出 C 的一块之后，下一块的乘法紧接着开始。" }
story = { en = """
On the first TF32 rung each warpgroup starts two products of 64 x 128 x 8. Both read the same rows of A from shared memory. Here it starts
one of 64 x 256 x 8. A tile of 256 x 128 takes as many operations as one of 128 x 256. It reads 17 % fewer bytes of shared memory. On a
GPU at its power limit, bytes not moved are clock cycles gained. A lane needs two columns of B now. The columns of a warp are four
pieces of 16 bytes that lie so that the swizzle spreads half a warp over all banks. Two lanes swap half of their sums at the end.
Each then stores 16 bytes of one row. The blocks are persistent: the producer fills the ring for the next tile of C while this one
is stored. Where tiles are few, SLICES of k share one. On an H200 it runs at 1.20 of cuBLAS at 2048 and 1.18 at 3072. At 4096 and 8192
both are at the power limit, and cuBLAS gets as much or more out of a joule: 1.00 and 0.95.
""", zh = """
TF32 的第一级里，每个 warpgroup 发起两条 64 x 128 x 8 的乘法，两条都从共享内存读 A 的同样几行。这里只发起一条 64 x 256 x 8：256 x 128 的分块与
128 x 256 的分块运算量相同，共享内存的读取量少 17 %。GPU 到了功率上限时，少搬一个字节就多得一些时钟。每个 lane 现在需要 B 的两列；一个 warp 的
列取四个 16 字节的小段，经 swizzle 后半个 warp 恰好分布在全部 bank 上。最后相邻的两个 lane 互换一半累加值，各自写出同一行的 16 字节。线程块常驻：
写出 C 的这一块时，生产者已在为下一块填环。分块太少时，SLICES 个 warpgroup 切分 k、共算一块。在 H200 上，2048 时是 cuBLAS 的 1.20 倍，
3072 时是 1.18 倍；4096 和 8192 时两者都到了功率上限，cuBLAS 每焦耳做得一样多或更多：1.00 和 0.95 倍。
""" }

[[parameter]]
name = "BM"
values = [32, 64, 128, 192, 256]
initial = 256
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
values = [2, 4, 5, 6, 8]
initial = 4
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles of 32 k in the ring: one multiplied, the others under way", zh = "环中的分块数（每块 32 个 k）：一个在算，其余在途" }

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
meaning = { en = "SMs that the grid fills, with two blocks each where BM * BN * SLICES is at most 8192; an H200 has 132", zh = "网格填满的 SM 数：每个 SM 一个线程块，BM * BN * SLICES 不超过 8192 时两个；H200 有 132 个 SM" }

[[rule]]
expression = "BN / 64 * SLICES <= (BM <= 192 ? 3 : 2)"
reason = { en = "A block has registers for three warpgroups of up to 192 rows, or for two of 256: BN / 64 * SLICES.", zh = "线程块的寄存器只够三个不超过 192 行的 warpgroup，或两个 256 行的：BN / 64 * SLICES。" }

[[rule]]
expression = "STAGES % SLICES == 0"
reason = { en = "Each slice multiplies its own stages of the ring, all of them as many.", zh = "每个切片负责环中固定的阶段，各切片的阶段数相同。" }

[[rule]]
expression = "STAGES >= 2 * SLICES"
reason = { en = "A slice waits for its next stage before it releases the last, so it needs two.", zh = "切片先等下一个阶段，再释放上一个，所以至少要有两个阶段。" }

[[rule]]
expression = "(STAGES * ((BM + BN) * 128 + 16) + (SLICES - 1) * BM * BN * 4 + 1024) * (BM * BN * SLICES <= 8192 ? 2 : 1) <= 233472"
reason = { en = "All stages and the sums of the other slices must fit in an SM's shared memory, 228 KB with 1 KB for each block. Two blocks share it where BM * BN * SLICES is at most 8192.", zh = "所有阶段和其他切片的累加值必须放得进 SM 的共享内存：228 KB，每个线程块另占 1 KB。BM * BN * SLICES 不超过 8192 时由两个线程块共享。" }

[[tensor_map]]
of = "A"
box = ["BM", "32"]
swizzle = "128"
element = "tf32"

[[tensor_map]]
of = "B"
box = ["32", "32"]
swizzle = "128"
element = "tf32"

[launch]
block = ["2 * BN * SLICES + 128", "1"]
grid = ["min(SMS * (BM * BN * SLICES <= 8192 ? 2 : 1), ceil_div(N, BN) * ceil_div(M, BM))", "1"]
dynamic_shared = "STAGES * ((BM + BN) * 128 + 16) + (SLICES - 1) * BM * BN * 4"
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

// The bits of a float rounded to TF32 as TMA does it: to the nearest, of two to the even one.
__device__ __forceinline__ unsigned to_tf32(float v) {
    unsigned bits;
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
    return bits;
}

// A warpgroup copies such a box by hand: ROWS rows of 128 bytes. It rounds as TMA does, and has its swizzle: the eight 16-byte pieces
// of row r change places, piece p lies where p ^ (r % 8) would.
template <int ROWS>
__device__ __forceinline__ void copy_by_hand(unsigned char* to, const float* matrix, int rows, int columns, int row0, int column0) {
#pragma unroll 1
    for (int i = threadIdx.x % 128; i < ROWS * 32; i += 128) {
        const int r = i / 32, c = i % 32, row = row0 + r, column = column0 + c;
        const int place = (c / 4 ^ r % 8) * 4 + c % 4;
        reinterpret_cast<unsigned*>(to)[r * 32 + place] = row < rows && column < columns ? to_tf32(matrix[(size_t)row * columns + column]) : 0;
    }
}

// Where wgmma finds its operand in shared memory (PTX ISA, "Matrix descriptor"): rows of 128 bytes, swizzled; groups of eight
// rows lie 1024 bytes apart. This is the lower word; a matrix that begins 16 bytes further on has the next. The upper one is the
// same for all: DESCRIPTOR_UPPER.
__device__ __forceinline__ unsigned descriptor(unsigned address) { return address >> 4; }
#define DESCRIPTOR_UPPER "0x40000040" // 1024 / 16, and bit 30: a swizzle of 128 bytes

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
#define SUMS_192 SUMS_128 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define SUMS_256 SUMS_192 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

template <>
struct Multiply<32> {
    __device__ __forceinline__ static void start(float* sum, const unsigned* b, unsigned a, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     ".reg .b64 a;\n\t"
                     "setp.ne.b32 add, %21, 0;\n\t"
                     "mov.b64 a, {%20, " DESCRIPTOR_UPPER "};\n\t"
                     "wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 {" SUMS_32 "}, {%16, %17, %18, %19}, a, add, 1, 1;\n\t"
                     "}"
                     : SUMS16(0)
                     : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(a), "r"(add));
    }
};

template <>
struct Multiply<64> {
    __device__ __forceinline__ static void start(float* sum, const unsigned* b, unsigned a, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     ".reg .b64 a;\n\t"
                     "setp.ne.b32 add, %37, 0;\n\t"
                     "mov.b64 a, {%36, " DESCRIPTOR_UPPER "};\n\t"
                     "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {" SUMS_64 "}, {%32, %33, %34, %35}, a, add, 1, 1;\n\t"
                     "}"
                     : SUMS16(0), SUMS16(16)
                     : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(a), "r"(add));
    }
};

template <>
struct Multiply<128> {
    __device__ __forceinline__ static void start(float* sum, const unsigned* b, unsigned a, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     ".reg .b64 a;\n\t"
                     "setp.ne.b32 add, %69, 0;\n\t"
                     "mov.b64 a, {%68, " DESCRIPTOR_UPPER "};\n\t"
                     "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {" SUMS_128 "}, {%64, %65, %66, %67}, a, add, 1, 1;\n\t"
                     "}"
                     : SUMS16(0), SUMS16(16), SUMS16(32), SUMS16(48)
                     : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(a), "r"(add));
    }
};

template <>
struct Multiply<192> {
    __device__ __forceinline__ static void start(float* sum, const unsigned* b, unsigned a, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     ".reg .b64 a;\n\t"
                     "setp.ne.b32 add, %101, 0;\n\t"
                     "mov.b64 a, {%100, " DESCRIPTOR_UPPER "};\n\t"
                     "wgmma.mma_async.sync.aligned.m64n192k8.f32.tf32.tf32 {" SUMS_192 "}, {%96, %97, %98, %99}, a, add, 1, 1;\n\t"
                     "}"
                     : SUMS16(0), SUMS16(16), SUMS16(32), SUMS16(48),
                       SUMS16(64), SUMS16(80)
                     : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(a), "r"(add));
    }
};

template <>
struct Multiply<256> {
    __device__ __forceinline__ static void start(float* sum, const unsigned* b, unsigned a, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     ".reg .b64 a;\n\t"
                     "setp.ne.b32 add, %133, 0;\n\t"
                     "mov.b64 a, {%132, " DESCRIPTOR_UPPER "};\n\t"
                     "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {" SUMS_256 "}, {%128, %129, %130, %131}, a, add, 1, 1;\n\t"
                     "}"
                     : SUMS16(0), SUMS16(16), SUMS16(32), SUMS16(48),
                       SUMS16(64), SUMS16(80), SUMS16(96), SUMS16(112)
                     : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(a), "r"(add));
    }
};

// Registers are dealt out by warpgroup: the producer gives back what it does not need, the consumers take it.
template <int GROUPS, int BLOCKS>
struct Registers {
    static constexpr int AT_START = 65536 / BLOCKS / ((GROUPS + 1) * 128) / 8 * 8; // of each thread
    static constexpr int PRODUCER = 40, LEFT = ((GROUPS + 1) * AT_START - PRODUCER) / GROUPS / 8 * 8;
    static constexpr int CONSUMER = LEFT < 240 ? LEFT : 240;
};

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
__device__ __forceinline__ void finish4(float* c, int row, int column, int M, int N, float alpha, const float* sum, float beta) {
    if (row >= M || column >= N) return;
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
// A stage of the ring:  A's box [BM][32], then BN / 32 boxes [32][32] of B, one for two warps. One slice multiplies it.
template <int BM, int BN, int SLICES, int STAGES, int BAND, int SMS>
__global__ void __launch_bounds__(2 * BN * SLICES + 128, BM * BN * SLICES <= 8192 ? 2 : 1)
tensor_tf32_persistent(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C,
                       const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map) {
    constexpr int BK = 32, SLICE = 2 * BN, GROUPS = BN / 64 * SLICES, PER_SM = BM * BN * SLICES <= 8192 ? 2 : 1; // SLICE: threads
    constexpr int A_BYTES = BM * 128, BOX = BK * 128, STAGE = A_BYTES + BN / 32 * BOX;
    extern __shared__ __align__(1024) unsigned char ring[]; // STAGES stages, the sums of slices 1 and 2, the barriers
    constexpr int SUMS = STAGES * STAGE, BARRIERS = SUMS + (SLICES - 1) * BM * BN * 4;

    const unsigned base = (unsigned)__cvta_generic_to_shared(ring);
    const auto full = [&](int stage) { return Mbarrier{base + BARRIERS + stage * 16}; };
    const auto empty = [&](int stage) { return Mbarrier{base + BARRIERS + stage * 16 + 8}; };
    const bool by_hand = K % 4 != 0 || N % 4 != 0; // TMA cannot read these rows; then every thread arrives for itself
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) full(s).init(by_hand ? 128 : 1), empty(s).init(BN / 64 * (by_hand ? 128 : 4));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); // for TMA to see
    }
    __syncthreads();

    const int tiles = ((M + BM - 1) / BM) * ((N + BN - 1) / BN), steps = (K + BK - 1) / BK; // of C; of k in each
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32; // the compiler sees that a warp goes one way
    int row0, column0;        // the tile of C starts here
    int stage = 0, phase = 0; // the phase turns each time around the ring, which knows no tiles of C
    const auto advance = [&](int stages) {
        if ((stage += stages) >= STAGES) stage -= STAGES, phase ^= 1;
    };

    if (warp >= GROUPS * 4) { // the producer
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers<GROUPS, PER_SM>::PRODUCER));
        if (!by_hand && threadIdx.x % 128 != 0) return;
#pragma unroll 1
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            find_tile<BM, BN, BAND>(tile, M, N, row0, column0);
#pragma unroll 1
            for (int step = 0; step < steps; ++step, advance(1)) {
                empty(stage).wait(phase ^ 1); // a new barrier is past its phase 1: the first time around nobody waits
                if (by_hand) {
                    unsigned char* to = ring + stage * STAGE;
                    copy_by_hand<BM>(to, A, M, K, row0, step * BK);
                    for (int j = 0; j < BN / 32; ++j) copy_by_hand<BK>(to + A_BYTES + j * BOX, B, K, N, step * BK, column0 + j * 32);
                    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // wgmma reads by another way than threads write
                    full(stage).arrive();
                } else {
                    const unsigned to = base + stage * STAGE;
                    full(stage).arrive_and_expect(STAGE);
                    copy_box(to, a_map, row0, step * BK, full(stage));
#pragma unroll
                    for (int j = 0; j < BN / 32; ++j) copy_box(to + A_BYTES + j * BOX, b_map, step * BK, column0 + j * 32, full(stage));
                }
            }
        }
        return;
    }

    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers<GROUPS, PER_SM>::CONSUMER));
    // A box holds the columns of two warps, eight pieces of four: 0 1 4 5 and 2 3 6 7. Lane (g, t) reads, of rows t and t + 4 of every
    // eight k, half of `piece`. Swizzled, the pieces that the lanes 0 to 15 read, and 16 to 31, are all eight.
    const int slice = warp / (SLICE / 32), pair = warp % (SLICE / 32) / 2;
    const int g = lane / 4, t = lane % 4, piece = warp % 2 * 2 + g / 4 + g % 4 / 2 * 4;
    const unsigned my_b = base + A_BYTES + pair * BOX + t * 128 + g % 2 * 8;
    const unsigned upper = (piece ^ t) * 16, lower = 4 * 128 + (piece ^ t ^ 4) * 16;
    unsigned b[2][4]; // eight k and the next
    const auto read = [&](int to, int from_stage, int k) {
        const unsigned at = my_b + from_stage * STAGE + k * 128;
        unsigned(&v)[4] = b[to];
        asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(at + upper) : "memory");
        asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(v[2]), "=r"(v[3]) : "r"(at + lower) : "memory");
    };
    const auto release = [&](int stage) { // this warp has read it
        __syncwarp();
        if (by_hand || lane == 0) empty(stage).arrive();
    };

    stage = slice;
    int start = 0; // the slice that multiplies the first step of the tile
#pragma unroll 1
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int first = (slice + SLICES - start) % SLICES; // of this slice's steps
        const bool has_steps = SLICES == 1 || first < steps;
        float sum[BM / 2];
        if (has_steps) {
            full(stage).wait(phase);
            read(0, stage, 0);
        }
        int before = 0; // the stage of the step before
#pragma unroll 1
        for (int step = first; step < steps; step += SLICES) {
            const unsigned a = descriptor(base) + stage * (STAGE >> 4);
            const int here = stage;
#pragma unroll
            for (int k = 0; k < BK; k += 8) {
                begin();
                Multiply<BM>::start(sum, b[k / 8 % 2], a + (k * 4 >> 4), step - first + k > 0);
                commit();
                if (k + 8 == BK) {
                    advance(SLICES);
                    if (step + SLICES < steps) full(stage).wait(phase);
                }
                wait<1>(); // the product before is done: its registers are free, and with the last of a step so is its stage
                if (k == 0 && step > first) release(before);
                if (k + 8 < BK) read((k / 8 + 1) % 2, here, k + 8);
                else if (step + SLICES < steps) read(0, stage, 0);
            }
            before = here;
        }
        wait<0>();
        if (has_steps) release(before);

        if (SLICES > 1) {
            start = (start + steps) % SLICES;
            float* sums = reinterpret_cast<float*>(ring + SUMS) + threadIdx.x % SLICE;
            const auto meet = [] { asm volatile("bar.sync 1, %0;" ::"n"(GROUPS * 128) : "memory"); };
#pragma unroll
            for (int i = 0; i < BM / 2; ++i) {
                if (!has_steps) sum[i] = 0;
                if (slice > 0) sums[((slice - 1) * BM / 2 + i) * SLICE] = sum[i];
            }
            meet();
#pragma unroll
            for (int i = 0; i < BM / 2; ++i)
#pragma unroll
                for (int j = 0; slice == 0 && j < SLICES - 1; ++j) sum[i] += sums[(j * BM / 2 + i) * SLICE];
            meet(); // the sums of the next tile may overwrite them
            if (slice > 0) continue;
        }

        // Lanes g and g + 1 have neighbouring pairs of columns, both of rows t * 2 and t * 2 + 1. They swap: the even one takes the upper
        // row, the odd one the lower.
        find_tile<BM, BN, BAND>(tile, M, N, row0, column0);
        const bool odd = g % 2;
        const int row = row0 + t * 2 + odd, column = column0 + pair * 32 + piece * 4;
        float* const c = C + (size_t)row * N + column;
        const auto finish = [&](auto store) { // four of a row so many rows down from this thread's first
#pragma unroll
            for (int j = 0; j < BM / 2; j += 4) {
                const float left = exchange<4>(odd ? sum[j] : sum[j + 1]), right = exchange<4>(odd ? sum[j + 2] : sum[j + 3]);
                const float four[4] = {odd ? left : sum[j], odd ? right : sum[j + 2], odd ? sum[j + 1] : left, odd ? sum[j + 3] : right};
                store(j * 2, four);
            }
        };
        if (row0 + BM <= M && column0 + BN <= N && N % 4 == 0 && beta == 0) // nothing to ask of each: a third of the instructions
            finish([&](int down, const float* v) {
                *reinterpret_cast<float4*>(c + (size_t)down * N) = make_float4(alpha * v[0], alpha * v[1], alpha * v[2], alpha * v[3]);
            });
        else
            finish([&](int down, const float* v) { finish4(c + (size_t)down * N, row + down, column, M, N, alpha, v, beta); });
    }
}
