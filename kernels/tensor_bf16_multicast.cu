/* gemmscope
family = "tensor"
rung = 6
arch = "sm_90a"
operands = "bf16"
provenance = "this program"
tuned = true
title = { en = "bf16, multicast", zh = "bf16，多播" }
idea = { en = "Two blocks form a cluster. Each copies half of the B that both need, and TMA multicasts it to both.", zh = "两个线程块组成一个簇，各拷贝两者都要的 B 的一半，由 TMA 多播给双方。" }
look = { view = "timeline", en = "Both blocks of a cluster wait for the same boxes of B.", zh = "同一簇的两个线程块等待同样的 B 的 box。" }
story = { en = """
At the power limit joules decide, and copies from L2 to shared memory take a fifth of them. Here two blocks form a cluster. Their tiles
lie one below the other, so both need the same columns of B. Each block copies half of the rows of every box of B, and TMA multicasts
them to both. A stage costs an SM 32 KB of L2 reads, not 48. A stage is full when the bytes of both producers are there: a barrier counts
what arrives, whoever sent it. It is empty when the warps of both blocks have read it, so each warp arrives at both barriers. The order of
the tiles decides as much. 64 clusters at work, eight rows of eight, are a square of 2048 x 2048 of C. With four rows more than half of the gain
is lost. Clusters of one GPC take tiles of the same rows. They ask for the same bytes of A at the same time, and L2 looks those up once. In four
runs on four H200s single launches reached 1.02 to 1.05 of cuBLAS at 4096, 1.01 to 1.04 at 8192.
""", zh = """
到了功率上限，快慢由焦耳决定，而从 L2 到共享内存的拷贝占其中五分之一。这里两个线程块组成一个簇，它们的分块上下相邻，需要同样几列 B。每个线程块
只拷贝 B 的每个 box 的一半行，由 TMA 多播给双方：一个阶段每个 SM 只从 L2 读 32 KB，而不是 48 KB。两个生产者的字节都到齐，阶段才算满；屏障只数
到达的字节，不问由谁发来。双方的 warp 都读完，阶段才算空，所以每个 warp 要向两边的屏障各到达一次。分块的次序同样重要：同时在算的 64 个簇排成
8 行 8 列，是 C 中 2048 x 2048 的正方形；只排 4 行，收益少一半以上。同一 GPC 的簇取相同几行的分块：同时要 A 的同样字节，L2 只查找一次。在四块 H200
上各测一次，单独启动在 4096 时是 cuBLAS 的 1.02 至 1.05 倍，8192 时是 1.01 至 1.04 倍。
""" }

[[parameter]]
name = "BM"
values = [128, 192]
initial = 128
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block: 64 for each warpgroup", zh = "每个线程块的 C 行数：每个 warpgroup 64 行" }

[[parameter]]
name = "BN"
values = [128, 192, 256]
initial = 256
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block, all in one wgmma", zh = "每个线程块的 C 列数，由一条 wgmma 完成" }

[[parameter]]
name = "STAGES"
values = [2, 4, 5]
initial = 4
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles of 64 k in the ring: one multiplied, the others under way", zh = "环中的分块数（每块 64 个 k）：一个在算，其余在途" }

[[parameter]]
name = "BAND"
values = [1, 4, 8, 16]
initial = 8
label = { en = "band of tiles", zh = "分块带高" }
meaning = { en = "rows of clusters' tiles that clusters walk together, down and then across", zh = "各簇成组行走的行数（以一个簇的两块为一行），先向下再向右" }

[[parameter]]
name = "SMS"
values = [2, 66, 128, 132]
initial = 132
label = { en = "SMs", zh = "SM 数" }
meaning = { en = "SMs that the grid fills, one block each; an H200 has 132", zh = "网格填满的 SM 数，每个 SM 一个线程块；H200 有 132 个 SM" }

[[rule]]
expression = "BM <= 128 || BN <= 192"
reason = { en = "Three warpgroups have registers for 96 sums a thread: BM = 192 needs BN of at most 192.", zh = "三个 warpgroup 的寄存器只够每线程 96 个累加值：BM = 192 时 BN 不超过 192。" }

[[rule]]
expression = "STAGES * ((BM + BN) * 128 + 16) + 1024 <= 233472"
reason = { en = "All stages must fit in an SM's shared memory, 228 KB with 1 KB for the block.", zh = "所有阶段必须放得进 SM 的共享内存：228 KB，线程块另占 1 KB。" }

[[tensor_map]]
of = "A"
box = ["BM", "64"]
swizzle = "128"

[[tensor_map]]
of = "B"
box = ["32", "64"]
swizzle = "128"

[launch]
block = ["2 * BM + 128", "1"]
grid = ["min(SMS, 2 * ceil_div(N, BN) * ceil_div(M, 2 * BM))", "1"]
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

// All threads of both blocks have come here.
__device__ __forceinline__ void meet_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::: "memory");
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
// rows lie 1024 bytes apart, and `leading` bytes lie between pieces of 128 bytes where a row goes on in the next box. This is the
// lower word; a matrix that begins 16 bytes further on has the next. The upper one is the same for all: DESCRIPTOR_UPPER.
// Above its 18 bits a shared address tells the block of the cluster.
__device__ __forceinline__ unsigned descriptor(unsigned address, unsigned leading) { return address % (1 << 18) >> 4 | leading >> 4 << 16; }
#define DESCRIPTOR_UPPER "0x40000040" // 1024 / 16, and bit 30: a swizzle of 128 bytes

// A warpgroup's multiplications run beside it. begin(): its registers and shared memory are as it left them; commit(): what was
// started since then is a group; wait<N>(): all groups but the last N are done.
__device__ __forceinline__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int PENDING>
__device__ __forceinline__ void wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory"); }

#define SUMS4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define SUMS16(i) SUMS4(i), SUMS4(i + 4), SUMS4(i + 8), SUMS4(i + 12)

// Starts sum[64][BN] += a[64][16] * b[16][BN], or = where `add` is 0. B is stored row by row, so its descriptor is transposed (the
// last 1). Thread t of the warpgroup gets of rows t / 32 * 16 + t % 32 / 4 and eight further, in every eight columns, the two at
// t % 4 * 2.
template <int BN>
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
    __device__ __forceinline__ static void start(float* sum, unsigned a, unsigned b, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     ".reg .b64 a, b;\n\t"
                     "setp.ne.b32 add, %66, 0;\n\t"
                     "mov.b64 a, {%64, " DESCRIPTOR_UPPER "};\n\t"
                     "mov.b64 b, {%65, " DESCRIPTOR_UPPER "};\n\t"
                     "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" SUMS_128 "}, a, b, add, 1, 1, 0, 1;\n\t"
                     "}"
                     : SUMS16(0), SUMS16(16), SUMS16(32), SUMS16(48)
                     : "r"(a), "r"(b), "r"(add));
    }
};

template <>
struct Multiply<192> {
    __device__ __forceinline__ static void start(float* sum, unsigned a, unsigned b, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     ".reg .b64 a, b;\n\t"
                     "setp.ne.b32 add, %98, 0;\n\t"
                     "mov.b64 a, {%96, " DESCRIPTOR_UPPER "};\n\t"
                     "mov.b64 b, {%97, " DESCRIPTOR_UPPER "};\n\t"
                     "wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {" SUMS_192 "}, a, b, add, 1, 1, 0, 1;\n\t"
                     "}"
                     : SUMS16(0), SUMS16(16), SUMS16(32), SUMS16(48),
                       SUMS16(64), SUMS16(80)
                     : "r"(a), "r"(b), "r"(add));
    }
};

template <>
struct Multiply<256> {
    __device__ __forceinline__ static void start(float* sum, unsigned a, unsigned b, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     ".reg .b64 a, b;\n\t"
                     "setp.ne.b32 add, %130, 0;\n\t"
                     "mov.b64 a, {%128, " DESCRIPTOR_UPPER "};\n\t"
                     "mov.b64 b, {%129, " DESCRIPTOR_UPPER "};\n\t"
                     "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" SUMS_256 "}, a, b, add, 1, 1, 0, 1;\n\t"
                     "}"
                     : SUMS16(0), SUMS16(16), SUMS16(32), SUMS16(48),
                       SUMS16(64), SUMS16(80), SUMS16(96), SUMS16(112)
                     : "r"(a), "r"(b), "r"(add));
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

// The number of a cluster's first tile. Clusters of a GPC take tiles of the same rows: L2 answers SMs of a GPC that ask for the same bytes at
// once with one lookup, and multicast leaves A to ask for twice. This is how 64 clusters lay on idle H200s: four on pairs of SMs that no larger
// cluster gets, then one in each of eight GPCs, four times over, then in each of seven. Where they lie otherwise, only lookups are lost.
__device__ __forceinline__ int first_tile_of(int cluster) {
    if (gridDim.x != 128) return cluster;
    int gpc = 0, in_gpc = cluster; // the four pairs join the GPC that is full first
    if (cluster >= 36) gpc = 1 + (cluster - 36) % 7, in_gpc = 4 + (cluster - 36) / 7;
    else if (cluster >= 4) gpc = (cluster - 4) % 8, in_gpc = (cluster - 4) / 8 + (gpc == 0 ? 4 : 0);
    return in_gpc * 8 + gpc;
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

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major; A and B are bf16.
//
// The tiles of a cluster's two blocks lie one below the other: both need the same columns of B.
// A stage of the ring:  A's box [BM][64], then BN / 64 boxes [64][64] of B, side by side in the matrix. Each block copies 32 rows of every
//                      box of B, for both.
template <int BM, int BN, int STAGES, int BAND, int SMS>
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(2 * BM + 128)
tensor_bf16_multicast(int M, int N, int K, float alpha, const unsigned short* A, const unsigned short* B, float beta, float* C,
                      const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map) {
    constexpr int BK = 64, GROUPS = BM / 64, PART = BK / 2; // of B's rows, this block's
    constexpr int A_BYTES = BM * 128, BOX = BK * 128, STAGE = A_BYTES + BN / 64 * BOX;
    extern __shared__ __align__(1024) unsigned char ring[]; // STAGES stages, then their barriers

    const unsigned base = (unsigned)__cvta_generic_to_shared(ring);
    const auto full = [&](int stage) { return Mbarrier{base + STAGES * STAGE + stage * 16}; };
    const auto empty = [&](int stage) { return Mbarrier{base + STAGES * STAGE + stage * 16 + 8}; };
    const bool by_hand = K % 8 != 0 || N % 8 != 0; // TMA cannot read these rows; then every thread arrives for itself
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) full(s).init(by_hand ? 128 : 1), empty(s).init(GROUPS * (by_hand ? 128 : 8));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); // for TMA to see
    }
    meet_cluster(); // nobody copies to a block, or arrives there, before its barriers are ready

    const int rank = blockIdx.x % 2, steps = (K + BK - 1) / BK; // in the cluster; of k
    const int first_tile = first_tile_of(blockIdx.x / 2);
    const int tiles = ((M + 2 * BM - 1) / (2 * BM)) * ((N + BN - 1) / BN); // of C; those of a cluster count as one
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
            find_tile<2 * BM, BN, BAND>(tile, M, N, row0, column0), row0 += rank * BM;
#pragma unroll 1
            for (int step = 0; step < steps; ++step, next_stage()) {
                empty(stage).wait(phase ^ 1); // a new barrier is past its phase 1: the first time around nobody waits
                if (by_hand) {
                    unsigned char* to = ring + stage * STAGE;
                    copy_by_hand<BM>(to, A, M, K, row0, step * BK);
                    for (int j = 0; j < BN / 64; ++j) copy_by_hand<BK>(to + A_BYTES + j * BOX, B, K, N, step * BK, column0 + j * 64);
                    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // wgmma reads by another way than threads write
                    full(stage).arrive();
                } else {
                    const unsigned to = base + stage * STAGE;
                    full(stage).arrive_and_expect(STAGE);
                    copy_box(to, a_map, row0, step * BK, full(stage));
#pragma unroll
                    for (int j = 0; j < BN / 64; ++j) // this block's rows of the box
                        copy_box_to_both(to + A_BYTES + j * BOX + rank * PART * 128, b_map, step * BK + rank * PART, column0 + j * 64, full(stage));
                }
            }
        }
        __syncwarp();
        meet_cluster();
        return;
    }

    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers<GROUPS>::CONSUMER));
    const unsigned my_a = descriptor(base + warp / 4 * 64 * 128, 0), all_b = descriptor(base + A_BYTES, BOX); // in stage 0
    const auto release = [&](int stage) { // this warp has read it
        __syncwarp();
        if (by_hand) empty(stage).arrive();
        else if (lane < 2) empty(stage).arrive_in(lane); // both blocks copy here
    };

#pragma unroll 1
    for (int tile = first_tile; tile < tiles; tile += gridDim.x / 2) {
        float sum[BN / 2];
        int before = 0; // the stage of the step before
#pragma unroll 1
        for (int step = 0; step < steps; ++step, next_stage()) {
            full(stage).wait(phase);
            const unsigned a = my_a + stage * (STAGE >> 4), b = all_b + stage * (STAGE >> 4);
            begin();
#pragma unroll
            for (int k = 0; k < BK; k += 16) // 16 k are 32 bytes of a row of A, and 16 rows of B
                Multiply<BN>::start(sum, a + (k * 2 >> 4), b + (k * 128 >> 4), step + k > 0);
            commit();
            if (step > 0) { // one group stays under way; the step before has been read
                wait<1>();
                release(before);
            }
            before = stage;
        }
        wait<0>();
        release(before);

        // Of every 16 columns lane t has the pairs t and t + 4. An even lane and the next swap: the even one takes their four of the left
        // eight columns, the odd one of the right.
        find_tile<2 * BM, BN, BAND>(tile, M, N, row0, column0), row0 += rank * BM;
        const int t = lane % 4, odd = t % 2, row = row0 + warp * 16 + lane / 4, column = column0 + (odd ? 8 + (t - 1) * 2 : t * 2);
        float* const c = C + (size_t)row * N + column;
        const auto finish = [&](auto store) { // four so many rows down and columns right of this thread's first
#pragma unroll
            for (int i = 0; i < 4; i += 2) // this row, and eight further
#pragma unroll
                for (int j = 0; j < BN / 2; j += 8) {
                    const float *left = &sum[j + i], *right = &sum[j + 4 + i];
                    const float first = exchange<1>(odd ? left[0] : right[0]), second = exchange<1>(odd ? left[1] : right[1]);
                    const float four[4] = {odd ? first : left[0], odd ? second : left[1], odd ? right[0] : first, odd ? right[1] : second};
                    store(i * 4, j * 2, four);
                }
        };
        if (row0 + BM <= M && column0 + BN <= N && N % 4 == 0 && beta == 0) // nothing to ask of each: a third of the instructions
            finish([&](int down, int right, const float* v) {
                *reinterpret_cast<float4*>(c + (size_t)down * N + right) = make_float4(alpha * v[0], alpha * v[1], alpha * v[2], alpha * v[3]);
            });
        else
            finish([&](int down, int right, const float* v) { finish4(c + (size_t)down * N + right, row + down, column + right, M, N, alpha, v, beta); });
    }
    meet_cluster(); // until then the other block arrives at barriers of this one
}
