/* gemmscope
family = "tensor"
rung = 1
arch = "sm_90a"
operands = "tf32"
provenance = "this program"
tuned = true
title = { en = "Tensor cores, TF32", zh = "张量核心，TF32" }
idea = { en = "The matrices stay FP32; a tensor core looks at 19 of the 32 bits of each element and multiplies whole tiles.", zh = "矩阵仍是 FP32；张量核心只看每个元素 32 位中的 19 位，整块相乘。" }
look = { view = "banks", en = "Which four columns a lane reads of the swizzled tile.", zh = "一个 lane 在 swizzle 后的分块里读哪四列。" }
story = { en = """
TF32 is a float with 10 bits of mantissa, and the tensor core ignores the rest. TMA rounds to it on the way, as the tensor map says. Where
rows are no multiple of 16 bytes threads copy instead, and round as TMA does: to the nearest, of two to the even one. A warpgroup, four warps, starts
one wgmma for 64 x 128 x 8 products and goes on. For 32-bit elements wgmma wants both operands in shared memory with k running
fastest. A is stored that way; B, row-major, is not, and cannot be transposed on the way. So the kernel computes the transposed
product, Cᵀ = BᵀAᵀ. C's columns become the 64 rows, and that operand may come from registers, where threads put it. One 16-byte read
brings four columns of one k. Which four is chosen so that eight lanes meet eight different pieces of TMA's swizzle. Each thread
ends with four neighbours of a row of C to write.
""", zh = """
TF32 是尾数 10 位的浮点数，张量核心忽略其余的位。张量映射让 TMA 在拷贝途中舍入；行不是 16 字节的倍数时由线程拷贝，舍入方式与 TMA 相同：就近，居中时取偶。
一个 warpgroup（四个 warp）发起一条 64 x 128 x 8 的 wgmma 后继续前进。
对 32 位元素，wgmma 要求两个操作数都在共享内存且 k 方向连续。A 正是这样存放；行主序的 B 不是，途中也无法转置。于是改算转置后的乘积 Cᵀ = BᵀAᵀ：C 的列成为那 64 行，
这个操作数可以来自寄存器，由线程逐个元素放好。一次 16 字节的读取取来同一个 k 的四列；选哪四列，使八个 lane 正好碰到TMA 重排后的八个不同小段，
也使每个线程最后得到 C 一行中相邻的四个元素。
""" }

[[parameter]]
name = "BM"
values = [64, 128]
initial = 128
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block", zh = "每个线程块的 C 行数" }

[[parameter]]
name = "BN"
values = [128, 256]
initial = 256
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block: 128 for each warpgroup", zh = "每个线程块的 C 列数：每个 warpgroup 128 列" }

[[parameter]]
name = "STAGES"
values = [2, 3, 4, 5]
initial = 4
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles of 32 k in the ring: one multiplied, the others under way", zh = "环中的分块数（每块 32 个 k）：一个在算，其余在途" }

[[parameter]]
name = "BAND"
values = [1, 4, 8, 16]
initial = 8
label = { en = "band of tiles", zh = "分块带高" }
meaning = { en = "rows of tiles that blocks walk together, down and then across", zh = "线程块成组行走的分块行数，先向下再向右" }

[[rule]]
expression = "(STAGES * (BM + BN) * 128 + 1024) * (BM == 64 && BN == 128 ? 2 : 1) <= 232448"
reason = { en = "All stages must fit in an SM's shared memory, 227 KB, shared by two blocks where their tile is 64 x 128.", zh = "所有阶段必须放得进 SM 的共享内存 227 KB；分块为 64 x 128 时由两个线程块共享。" }

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
block = ["BN + 128", "1"]
grid = ["ceil_div(N, BN)", "ceil_div(M, BM)"]
dynamic_shared = "STAGES * ((BM + BN) * 128 + 16)"
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

template <>
struct Multiply<64> {
    __device__ __forceinline__ static void start(float* sum, const unsigned* b, unsigned long long a, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     "setp.ne.b32 add, %37, 0;\n\t"
                     "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
                     "}, {%32, %33, %34, %35}, %36, add, 1, 1;\n\t"
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
                     "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
                     "}, {%64, %65, %66, %67}, %68, add, 1, 1;\n\t"
                     "}"
                     : SUMS16(0), SUMS16(16), SUMS16(32), SUMS16(48)
                     : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "l"(a), "r"(add));
    }
};

// Registers are dealt out by warpgroup: the producer gives back what it does not need, the consumers take it.
template <int GROUPS, int BLOCKS>
struct Registers {
    static constexpr int AT_START = 65536 / BLOCKS / ((GROUPS + 1) * 128) / 8 * 8; // of each thread
    static constexpr int PRODUCER = 40, LEFT = ((GROUPS + 1) * AT_START - PRODUCER) / GROUPS / 8 * 8;
    static constexpr int CONSUMER = LEFT < 240 ? LEFT : 240;
};

// The tile of C that a block works on. Blocks start in order, so those at work together should share rows and columns, which
// then come from the L2 cache: they walk BAND rows of tiles at a time, down and then across.
template <int BAND>
__device__ __forceinline__ void find_tile(int& down, int& across) {
    const int number = blockIdx.y * gridDim.x + blockIdx.x, band = number / (BAND * gridDim.x);
    const int rows = min(BAND, (int)gridDim.y - band * BAND), in_band = number - band * BAND * gridDim.x;
    down = band * BAND + in_band % rows;
    across = in_band / rows;
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
// A stage of the ring:  A's box [BM][32], then BN / 32 boxes [32][32] of B, one for each warp.
template <int BM, int BN, int STAGES, int BAND>
__global__ void __launch_bounds__(BN + 128, BM == 64 && BN == 128 ? 2 : 1)
tensor_tf32(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C,
            const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map) {
    constexpr int BK = 32, GROUPS = BN / 128, BLOCKS = BM == 64 && BN == 128 ? 2 : 1;
    constexpr int A_BYTES = BM * 128, BOX = BK * 128, STAGE = A_BYTES + BN / 32 * BOX;
    extern __shared__ __align__(1024) unsigned char ring[]; // STAGES stages, then their barriers

    const unsigned base = (unsigned)__cvta_generic_to_shared(ring);
    const auto full = [&](int stage) { return Mbarrier{base + STAGES * STAGE + stage * 16}; };
    const auto empty = [&](int stage) { return Mbarrier{base + STAGES * STAGE + stage * 16 + 8}; };
    const bool by_hand = K % 4 != 0 || N % 4 != 0; // TMA cannot read these rows; then every thread arrives for itself
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) full(s).init(by_hand ? 128 : 1), empty(s).init(GROUPS * (by_hand ? 128 : 4));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); // for TMA to see
    }
    __syncthreads();

    int row0, column0; // the block's tile of C starts here
    find_tile<BAND>(row0, column0);
    row0 *= BM, column0 *= BN;
    const int tiles = (K + BK - 1) / BK;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int stage = 0, phase = 0; // the phase turns each time around the ring
    const auto next_stage = [&] {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    };

    if (warp >= GROUPS * 4) { // the producer
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers<GROUPS, BLOCKS>::PRODUCER));
        if (by_hand) {
#pragma unroll 1
            for (int tile = 0; tile < tiles; ++tile, next_stage()) {
                empty(stage).wait(phase ^ 1);
                unsigned char* to = ring + stage * STAGE;
                copy_by_hand<BM>(to, A, M, K, row0, tile * BK);
                for (int j = 0; j < BN / 32; ++j) copy_by_hand<BK>(to + A_BYTES + j * BOX, B, K, N, tile * BK, column0 + j * 32);
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // wgmma reads by another way than threads write
                full(stage).arrive();
            }
        } else if (threadIdx.x % 128 == 0) {
#pragma unroll 1
            for (int tile = 0; tile < tiles; ++tile, next_stage()) {
                empty(stage).wait(phase ^ 1); // a new barrier is past its phase 1: the first time around nobody waits
                const unsigned to = base + stage * STAGE;
                full(stage).arrive_and_expect(STAGE);
                copy_box(to, a_map, row0, tile * BK, full(stage));
#pragma unroll
                for (int j = 0; j < BN / 32; ++j) copy_box(to + A_BYTES + j * BOX, b_map, tile * BK, column0 + j * 32, full(stage));
            }
        }
        return;
    }

    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers<GROUPS, BLOCKS>::CONSUMER));
    // Lane (g, t) reads of its warp's box rows t and t + 4 of every eight k, in each piece `piece` of the eight: those of eight
    // neighbouring lanes, swizzled, are eight different ones.
    const int g = lane / 4, t = lane % 4, piece = g % 2 * 4 + g / 2;
    const unsigned my_b = base + A_BYTES + warp * BOX + t * 128;
    const unsigned upper = (piece ^ t) * 16, lower = 4 * 128 + (piece ^ t ^ 4) * 16;
    unsigned b[2][2][4]; // eight k and the next, for two products
    const auto read = [&](int to, int from_stage, int k) {
        const unsigned at = my_b + from_stage * STAGE + k * 128;
        unsigned(&v)[2][4] = b[to];
        asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(v[0][0]), "=r"(v[0][1]), "=r"(v[1][0]), "=r"(v[1][1]) : "r"(at + upper) : "memory");
        asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(v[0][2]), "=r"(v[0][3]), "=r"(v[1][2]), "=r"(v[1][3]) : "r"(at + lower) : "memory");
    };

    float sum[2][BM / 2];
    full(0).wait(0);
    read(0, 0, 0);
    int before = 0; // the stage of the tile before
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        const unsigned a = base + stage * STAGE;
        const int here = stage;
#pragma unroll
        for (int k = 0; k < BK; k += 8) {
            begin();
#pragma unroll
            for (int i = 0; i < 2; ++i) Multiply<BM>::start(sum[i], b[k / 8 % 2][i], descriptor(a + k * 4, 0, 1024), tile + k > 0);
            commit();
            if (k + 8 == BK) {
                next_stage();
                if (tile + 1 < tiles) full(stage).wait(phase);
            }
            wait<1>(); // the products before are done: their registers are free, and with the last of a tile so is its stage
            if (k == 0 && tile > 0) {
                __syncwarp();
                if (by_hand || lane == 0) empty(before).arrive();
            }
            if (k + 8 < BK) read((k / 8 + 1) % 2, here, k + 8);
            else if (tile + 1 < tiles) read(0, stage, 0);
        }
        before = here;
    }
    wait<0>();

    const int column = column0 + warp * 32 + piece * 4;
#pragma unroll
    for (int j = 0; j < BM / 2; j += 4)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
            const float four[4] = {sum[0][j + e], sum[0][j + e + 2], sum[1][j + e], sum[1][j + e + 2]};
            finish4(C, M, N, row0 + j * 2 + t * 2 + e, column, alpha, four, beta);
        }
}
