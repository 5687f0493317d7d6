/* gemmscope
family = "tensor"
rung = 3
arch = "sm_90a"
operands = "tf32"
provenance = "this program"
tuned = true
title = { en = "TF32, multicast", zh = "TF32，多播" }
idea = { en = "Two blocks form a cluster. Each copies half of the A that both need, and TMA multicasts it to both.", zh = "两个线程块组成一个簇，各拷贝两者都要的 A 的一半，由 TMA 多播给双方。" }
look = { view = "timeline", en = "After its last product a warp fills boxes of C; TMA stores them while the next tile begins.", zh = "最后一条乘法之后，warp 填写 C 的 box；TMA 写出它们时，下一块已经开始。" }
story = { en = """
Two blocks form a cluster, and their tiles lie side by side: both need the same rows of A, the larger half of a stage. Each block copies
half of them, and TMA multicasts them to both. The second step is the way back. A warp holds 64 bytes of a row of C, half a cache line of 128.
Stored directly, each line went to L2 in two halves from two warps. Now two warps fill a box of 32 x 32 in shared memory. TMA stores it in
whole lines, and the warps go on: two boxes take turns. On an H200 the stores of a tile of 256 x 128 are nearly free then. With 32 steps of k a tile
the kernel runs at 1.02 of cuBLAS, before at 0.95. The third step is who takes which tile. Clusters of one GPC take tiles of the same columns. They
ask for the same bytes of B at the same time, and L2 looks those up once. That is 9 to 17 % fewer sectors at 8192, and 2 % fewer joules. The fourth step
is a word in the tensor map. TMA rounds floats to TF32 on their way to shared memory; cuBLAS rounds them, too. Thirteen bits of each are zero then, and wires
that stay at zero take no energy: 4 % fewer joules at 8192. wgmma would have cut those bits off, so C is four to five times as exact, too. On seven H200s
single launches reached 0.99 to 1.04 of cuBLAS at 8192, on five of them 1.05 to 1.09 at 4096.
""", zh = """
两个线程块组成一个簇，它们的分块左右相邻，需要同样几行 A，那是一个阶段里较大的一半。每个线程块各拷贝一半，由 TMA 多播给双方。第二步是写回：
一个 warp 只有 C 的一行中的 64 字节，即 128 字节缓存行的一半；直接写出时，每个缓存行分两半由两个 warp 送到 L2。现在两个 warp 先在共享内存里填好一个 32 x 32
的 box，由 TMA 按整个缓存行写出，warp 则继续往下算，两个 box 轮流使用。在 H200 上，256 x 128 的分块写回几乎不再花时间：每块 32 步 k 时，速度从 cuBLAS 的
0.95 倍升到 1.02 倍。第三步是哪个簇取哪个分块：同一 GPC 的簇取相同几列的分块，同时要 B 的同样字节，L2 只查找一次。8192 时扇区少 9 至 17 %，耗能少
2 %。第四步只是张量映射里的一个词：TMA 在拷贝途中把浮点数舍入成 TF32，cuBLAS 的结果也是舍入过的。于是每个数有 13 位恒为零，不翻转的导线不耗能：8192 时耗能少 4 %。
不舍入时 wgmma 会直接截掉这些位，所以 C 的误差也降到四分之一至五分之一。在七块 H200 上，单独启动在 8192 时是 cuBLAS 的 0.99 至 1.04 倍；其中五块上，4096 时是 1.05 至 1.09 倍。
""" }

[[parameter]]
name = "BM"
values = [128, 192, 256]
initial = 256
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block, all in one wgmma", zh = "每个线程块的 C 行数，由一条 wgmma 完成" }

[[parameter]]
name = "BN"
values = [128, 192]
initial = 128
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block: 64 for each warpgroup", zh = "每个线程块的 C 列数：每个 warpgroup 64 列" }

[[parameter]]
name = "STAGES"
values = [2, 3, 4, 5, 6]
initial = 4
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles of 32 k in the ring: one multiplied, the others under way", zh = "环中的分块数（每块 32 个 k）：一个在算，其余在途" }

[[parameter]]
name = "BAND"
values = [1, 4, 8, 16]
initial = 8
label = { en = "band of tiles", zh = "分块带高" }
meaning = { en = "rows of tiles that clusters walk together, down and then across", zh = "各簇成组行走的分块行数，先向下再向右" }

[[parameter]]
name = "SMS"
values = [2, 66, 128, 132]
initial = 132
label = { en = "SMs", zh = "SM 数" }
meaning = { en = "SMs that the grid fills, one block each; an H200 has 132", zh = "网格填满的 SM 数，每个 SM 一个线程块；H200 有 132 个 SM" }

[[rule]]
expression = "BN <= 128 || BM <= 192"
reason = { en = "Three warpgroups have registers for 96 sums a thread: BN = 192 needs BM of at most 192.", zh = "三个 warpgroup 的寄存器只够每线程 96 个累加值：BN = 192 时 BM 不超过 192。" }

[[rule]]
expression = "STAGES * ((BM + BN) * 128 + 16) + BN * 256 + 1024 <= 233472"
reason = { en = "All stages and the boxes of C must fit in an SM's shared memory, 228 KB with 1 KB for the block.", zh = "所有阶段和 C 的 box 必须放得进 SM 的共享内存：228 KB，线程块另占 1 KB。" }

[[tensor_map]]
of = "A"
box = ["BM / 2", "32"]
swizzle = "128"
element = "tf32"

[[tensor_map]]
of = "B"
box = ["32", "32"]
swizzle = "128"
element = "tf32"

[[tensor_map]]
of = "C"
box = ["32", "32"]
swizzle = "128"

[launch]
block = ["2 * BN + 128", "1"]
grid = ["min(SMS, 2 * ceil_div(N, 2 * BN) * ceil_div(M, BM))", "1"]
dynamic_shared = "STAGES * ((BM + BN) * 128 + 16) + BN * 256"
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
    __device__ __forceinline__ void arrive_in(unsigned block) const { // at the one that lies here in that block of the cluster
        asm volatile("{\n\t"
                     ".reg .b32 there;\n\t"
                     "mapa.shared::cluster.u32 there, %0, %1;\n\t"
                     "mbarrier.arrive.shared::cluster.b64 _, [there];\n\t"
                     "}" ::"r"(address), "r"(block) : "memory");
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

// The same for both blocks of the cluster at once: the box arrives in each of them at the same place, and each one's `done` counts it.
__device__ __forceinline__ void copy_box_to_both(unsigned to, const TensorMap& map, int row, int column, Mbarrier done) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                 "l"(&map), "r"(column), "r"(row), "r"(done.address), "h"((unsigned short)0b11) : "memory");
}

// The way back, called by one thread: the box at shared address `from` goes to the map's matrix, but for what lies outside. Such stores are read
// in turn; wait_for_stores<N>(): all but the last N have been read, and their place is free.
__device__ __forceinline__ void store_box(const TensorMap& map, int row, int column, unsigned from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n\t"
                 "cp.async.bulk.commit_group;" ::"l"(&map), "r"(column), "r"(row), "r"(from) : "memory");
}
template <int PENDING>
__device__ __forceinline__ void wait_for_stores() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory"); }

// All threads of both blocks have come here.
__device__ __forceinline__ void meet_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::: "memory");
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
// same for all: DESCRIPTOR_UPPER. Above its 18 bits a shared address tells the block of the cluster.
__device__ __forceinline__ unsigned descriptor(unsigned address) { return address % (1 << 18) >> 4; }
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

#define SUMS_64 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define SUMS_128 SUMS_64 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define SUMS_192 SUMS_128 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define SUMS_256 SUMS_192 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

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
template <int GROUPS>
struct Registers {
    static constexpr int AT_START = 65536 / ((GROUPS + 1) * 128) / 8 * 8; // of each thread
    static constexpr int PRODUCER = 40, LEFT = ((GROUPS + 1) * AT_START - PRODUCER) / GROUPS / 8 * 8;
    static constexpr int CONSUMER = LEFT < 240 ? LEFT : 240;
};

// Where tile `number` of C starts, of a cluster's two. Tiles at work together should share rows and columns, which then come from the L2
// cache: in this order they are BAND rows of tiles, down and then across.
template <int BM, int BN, int BAND>
__device__ __forceinline__ void find_tile(int number, int M, int N, int& row0, int& column0) {
    const int down = (M + BM - 1) / BM, across = (N + BN - 1) / BN;
    const int band = number / (BAND * across), rows = min(BAND, down - band * BAND), in_band = number - band * BAND * across;
    row0 = (band * BAND + in_band % rows) * BM;
    column0 = in_band / rows * BN;
}

// The number of a cluster's first tile. Clusters of a GPC take tiles of the same columns: L2 answers SMs of a GPC that ask for the same bytes at
// once with one lookup, and multicast leaves B to ask for twice. This is how 64 clusters lay on idle H200s: four on pairs of SMs that no larger
// cluster gets, then one in each of eight GPCs, four times over, then in each of seven. Where they lie otherwise, only lookups are lost.
__device__ __forceinline__ int first_tile_of(int cluster) {
    if (gridDim.x != 128) return cluster;
    int gpc = 0, in_gpc = cluster; // the four pairs join the GPC that is full first
    if (cluster >= 36) gpc = 1 + (cluster - 36) % 7, in_gpc = 4 + (cluster - 36) / 7;
    else if (cluster >= 4) gpc = (cluster - 4) % 8, in_gpc = (cluster - 4) / 8 + (gpc == 0 ? 4 : 0);
    return gpc * 8 + in_gpc;
}

// A sum becomes an element of C. As in BLAS, C is not read when beta is 0: it may hold anything, NaN included.
__device__ __forceinline__ void finish(float* C, int row, int column, int M, int N, float alpha, float sum, float beta) {
    if (row >= M || column >= N) return;
    float& c = C[(size_t)row * N + column];
    c = beta == 0 ? alpha * sum : fmaf(beta, c, alpha * sum);
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
//
// The tiles of a cluster's two blocks lie side by side: both need the same rows of A.
// A stage of the ring:  A's box [BM][32], of which each block copies half of the rows for both, then BN / 32 boxes [32][32] of B, one for
//                       two warps.
// Two warps also have two boxes [32][32] of C: one is filled while the other is stored.
template <int BM, int BN, int STAGES, int BAND, int SMS>
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(2 * BN + 128)
tensor_tf32_multicast(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C,
                      const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map,
                      const __grid_constant__ TensorMap c_map) {
    constexpr int BK = 32, GROUPS = BN / 64, PART = BM / 2; // of A's rows, this block's
    constexpr int A_BYTES = BM * 128, BOX = BK * 128, STAGE = A_BYTES + BN / 32 * BOX;
    constexpr int STORES = STAGES * STAGE, C_BOX = 32 * 128, BARRIERS = STORES + BN / 32 * 2 * C_BOX;
    extern __shared__ __align__(1024) unsigned char ring[]; // STAGES stages, the boxes of C, the barriers

    const unsigned base = (unsigned)__cvta_generic_to_shared(ring);
    const auto full = [&](int stage) { return Mbarrier{base + BARRIERS + stage * 16}; };
    const auto empty = [&](int stage) { return Mbarrier{base + BARRIERS + stage * 16 + 8}; };
    const bool by_hand = K % 4 != 0 || N % 4 != 0; // TMA cannot read these rows; then every thread arrives for itself
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) full(s).init(by_hand ? 128 : 1), empty(s).init(GROUPS * (by_hand ? 128 : 8));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); // for TMA to see
    }
    meet_cluster(); // nobody copies to a block, or arrives there, before its barriers are ready

    const int rank = blockIdx.x % 2, steps = (K + BK - 1) / BK; // in the cluster; of k
    const int first_tile = first_tile_of(blockIdx.x / 2);
    const int tiles = ((M + BM - 1) / BM) * ((N + 2 * BN - 1) / (2 * BN)); // of C; those of a cluster count as one
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32; // the compiler sees that a warp goes one way
    int row0, column0;        // the tile of C starts here
    int stage = 0, phase = 0; // the phase turns each time around the ring, which knows no tiles of C
    const auto next_stage = [&] {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    };

    if (warp >= GROUPS * 4) { // the producer
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers<GROUPS>::PRODUCER));
        const int first = by_hand || threadIdx.x % 128 == 0 ? first_tile : tiles; // TMA wants one thread
#pragma unroll 1
        for (int tile = first; tile < tiles; tile += gridDim.x / 2) {
            find_tile<BM, 2 * BN, BAND>(tile, M, N, row0, column0), column0 += rank * BN;
#pragma unroll 1
            for (int step = 0; step < steps; ++step, next_stage()) {
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
                    copy_box_to_both(to + rank * PART * 128, a_map, row0 + rank * PART, step * BK, full(stage)); // this block's rows
#pragma unroll
                    for (int j = 0; j < BN / 32; ++j) copy_box(to + A_BYTES + j * BOX, b_map, step * BK, column0 + j * 32, full(stage));
                }
            }
        }
        __syncwarp();
        meet_cluster();
        return;
    }

    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers<GROUPS>::CONSUMER));
    // A box holds the columns of two warps, eight pieces of four: 0 1 4 5 and 2 3 6 7. Lane (g, t) reads, of rows t and t + 4 of every
    // eight k, half of `piece`. Swizzled, the pieces that the lanes 0 to 15 read, and 16 to 31, are all eight.
    const int pair = warp / 2, g = lane / 4, t = lane % 4, piece = warp % 2 * 2 + g / 4 + g % 4 / 2 * 4;
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
        if (by_hand) empty(stage).arrive();
        else if (lane < 2) empty(stage).arrive_in(lane); // both blocks copy here
    };

#pragma unroll 1
    for (int tile = first_tile; tile < tiles; tile += gridDim.x / 2) {
        float sum[BM / 2];
        full(stage).wait(phase);
        read(0, stage, 0);
        int before = 0; // the stage of the step before
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            const unsigned a = descriptor(base) + stage * (STAGE >> 4);
            const int here = stage;
#pragma unroll
            for (int k = 0; k < BK; k += 8) {
                begin();
                Multiply<BM>::start(sum, b[k / 8 % 2], a + (k * 4 >> 4), step + k > 0);
                commit();
                if (k + 8 == BK) {
                    next_stage();
                    if (step + 1 < steps) full(stage).wait(phase);
                }
                wait<1>(); // the product before is done: its registers are free, and with the last of a step so is its stage
                if (k == 0 && step > 0) release(before);
                if (k + 8 < BK) read((k / 8 + 1) % 2, here, k + 8);
                else if (step + 1 < steps) read(0, stage, 0);
            }
            before = here;
        }
        wait<0>();
        release(before);

        find_tile<BM, 2 * BN, BAND>(tile, M, N, row0, column0), column0 += rank * BN;
        const int column = column0 + pair * 32;
        if (by_hand || beta != 0) {
#pragma unroll
            for (int i = 0; i < BM / 2; ++i)
                finish(C, row0 + i / 4 * 8 + t * 2 + i % 2, column + piece * 4 + g % 2 * 2 + i % 4 / 2, M, N, alpha, sum[i], beta);
            continue;
        }
        const auto meet_pair = [&] { asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory"); };
        const bool first = threadIdx.x % 64 == 0;
#pragma unroll
        for (int i = 0; i < BM / 2; i += 16) { // 32 rows
            const unsigned box = base + STORES + (pair * 2 + i / 16 % 2) * C_BOX;
            if (first) wait_for_stores<1>();
            meet_pair();
#pragma unroll
            for (int j = 0; j < 16; j += 4)
#pragma unroll
                for (int odd = 0; odd < 2; ++odd) { // two sums of a row; the swizzle of TMA
                    const int row = j * 2 + t * 2 + odd;
                    asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(box + row * 128 + (piece ^ row % 8) * 16 + g % 2 * 8),
                                 "f"(alpha * sum[i + j + odd]), "f"(alpha * sum[i + j + odd + 2]) : "memory");
                }
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // TMA reads by another way than threads write
            meet_pair();
            if (first) store_box(c_map, row0 + i * 2, column, box);
        }
    }
    wait_for_stores<0>();
    meet_cluster(); // until then the other block arrives at barriers of this one
}
