/* gemmscope
family = "tensor"
rung = 4
arch = "sm_90a"
operands = "bf16"
provenance = "this program"
tuned = true
title = { en = "Tensor cores, bf16", zh = "张量核心，bf16" }
idea = { en = "128 threads together start a 64 x 256 x 16 product that reads its operands from shared memory; elements of 16 bits, sums of 32.", zh = "128 个线程一起发起 64 x 256 x 16 的乘积，操作数直接取自共享内存；元素 16 位，累加 32 位。" }
look = { view = "timeline", en = "One wgmma is 524,288 operations, and it runs beside the warps.", zh = "一条 wgmma 是 524,288 次运算，与 warp 并行。" }
story = { en = """
A tensor core multiplies small matrices, not numbers. On Hopper four warps, a warpgroup, start one wgmma instruction. It multiplies
64 rows of A with up to 256 columns of B, sixteen k at once. That is 524,288 operations. No thread reads elements into registers any
more. A descriptor says where the tiles lie in shared memory, as TMA left them. The product runs beside the warps until one waits
for it. What is left for threads is to keep the ring full and to write C. bf16 has a float's range and 8 bits of precision; products
are exact, sums are FP32. One warpgroup copies and gives most of its registers to the others, which hold 128 sums a thread. Peak is
now fifteen times that of FP32: memory, the L2 cache and the power limit decide.
""", zh = """
张量核心乘的是小矩阵，而不是数。在 Hopper 上，一个 warpgroup（四个 warp）的一条 wgmma 指令把 A 的 64 行与 B 的至多 256 列相乘，一次十六个 k：
524,288 次运算。不再有人把元素读进寄存器：描述符说明分块在共享内存的何处（TMA 放下的样子），乘法与 warp 并行进行，直到有人等待结果。
线程要做的只剩下让环保持满，以及写出 C。bf16 的范围同 float，精度 8 位；乘积精确，累加用 FP32。一个 warpgroup 负责拷贝，把大部分寄存器让给
其余的，后者每个线程持有 128 个累加值。峰值是 FP32 的十五倍：此时由内存、L2 缓存和功率上限决定快慢。
""" }

[[parameter]]
name = "BM"
values = [64, 128, 192]
initial = 128
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block: 64 for each warpgroup", zh = "每个线程块的 C 行数：每个 warpgroup 64 行" }

[[parameter]]
name = "BN"
values = [128, 256]
initial = 256
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block", zh = "每个线程块的 C 列数" }

[[parameter]]
name = "STAGES"
values = [2, 3, 4, 5, 6]
initial = 4
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles of 64 k in the ring: one multiplied, the others under way", zh = "环中的分块数（每块 64 个 k）：一个在算，其余在途" }

[[parameter]]
name = "BAND"
values = [1, 4, 8, 16]
initial = 8
label = { en = "band of tiles", zh = "分块带高" }
meaning = { en = "rows of tiles that blocks walk together, down and then across", zh = "线程块成组行走的分块行数，先向下再向右" }

[[rule]]
expression = "BM <= 128 || BN == 128"
reason = { en = "Three warpgroups have registers for 64 sums a thread: BM = 192 needs BN = 128.", zh = "三个 warpgroup 的寄存器只够每线程 64 个累加值：BM = 192 时 BN 须为 128。" }

[[rule]]
expression = "(STAGES * (BM + BN) * 128 + 1024) * (BM == 64 && BN == 128 ? 2 : 1) <= 232448"
reason = { en = "All stages must fit in an SM's shared memory, 227 KB, shared by two blocks where their tile is 64 x 128.", zh = "所有阶段必须放得进 SM 的共享内存 227 KB；分块为 64 x 128 时由两个线程块共享。" }

[[tensor_map]]
of = "A"
box = ["BM", "64"]
swizzle = "128"

[[tensor_map]]
of = "B"
box = ["64", "64"]
swizzle = "128"

[launch]
block = ["2 * BM + 128", "1"]
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

// Starts sum[64][BN] += a[64][16] * b[16][BN], or = where `add` is 0. B is stored row by row, so its descriptor is transposed (the
// last 1). Thread t of the warpgroup gets of rows t / 32 * 16 + t % 32 / 4 and eight further, in every eight columns, the two at
// t % 4 * 2.
template <int BN>
struct Multiply;

template <>
struct Multiply<128> {
    __device__ __forceinline__ static void start(float* sum, unsigned long long a, unsigned long long b, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     "setp.ne.b32 add, %66, 0;\n\t"
                     "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
                     "}, %64, %65, add, 1, 1, 0, 1;\n\t"
                     "}"
                     : SUMS16(0), SUMS16(16), SUMS16(32), SUMS16(48)
                     : "l"(a), "l"(b), "r"(add));
    }
};

template <>
struct Multiply<256> {
    __device__ __forceinline__ static void start(float* sum, unsigned long long a, unsigned long long b, int add) {
        asm volatile("{\n\t"
                     ".reg .pred add;\n\t"
                     "setp.ne.b32 add, %130, 0;\n\t"
                     "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                     "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                     "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                     "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
                     "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
                     "}, %128, %129, add, 1, 1, 0, 1;\n\t"
                     "}"
                     : SUMS16(0), SUMS16(16), SUMS16(32), SUMS16(48),
                     SUMS16(64), SUMS16(80), SUMS16(96), SUMS16(112)
                     : "l"(a), "l"(b), "r"(add));
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

// Two neighbouring sums become elements of C. As in BLAS, C is not read when beta is 0: it may hold anything, NaN included.
__device__ __forceinline__ void finish2(float* C, int M, int N, int row, int column, float alpha, const float* sum, float beta) {
    if (row >= M || column >= N) return;
    float* c = C + (size_t)row * N + column;
    if (N % 2 == 0) {
        float2 v = make_float2(alpha * sum[0], alpha * sum[1]);
        if (beta != 0) {
            const float2 old = *reinterpret_cast<const float2*>(c);
            v.x = fmaf(beta, old.x, v.x), v.y = fmaf(beta, old.y, v.y);
        }
        *reinterpret_cast<float2*>(c) = v;
    } else {
#pragma unroll
        for (int j = 0; j < 2; ++j)
            if (column + j < N) c[j] = beta == 0 ? alpha * sum[j] : fmaf(beta, c[j], alpha * sum[j]);
    }
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major; A and B are bf16.
//
// A stage of the ring:  A's box [BM][64], then BN / 64 boxes [64][64] of B, side by side in the matrix.
template <int BM, int BN, int STAGES, int BAND>
__global__ void __launch_bounds__(2 * BM + 128, BM == 64 && BN == 128 ? 2 : 1)
tensor_bf16(int M, int N, int K, float alpha, const unsigned short* A, const unsigned short* B, float beta, float* C,
            const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map) {
    constexpr int BK = 64, GROUPS = BM / 64, BLOCKS = BM == 64 && BN == 128 ? 2 : 1;
    constexpr int A_BYTES = BM * 128, BOX = BK * 128, STAGE = A_BYTES + BN / 64 * BOX;
    extern __shared__ __align__(1024) unsigned char ring[]; // STAGES stages, then their barriers

    const unsigned base = (unsigned)__cvta_generic_to_shared(ring);
    const auto full = [&](int stage) { return Mbarrier{base + STAGES * STAGE + stage * 16}; };
    const auto empty = [&](int stage) { return Mbarrier{base + STAGES * STAGE + stage * 16 + 8}; };
    const bool by_hand = K % 8 != 0 || N % 8 != 0; // TMA cannot read these rows; then every thread arrives for itself
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) full(s).init(by_hand ? 128 : 1), empty(s).init(GROUPS * (by_hand ? 128 : 4));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); // for TMA to see
    }
    __syncthreads();

    int row0, column0; // the block's tile of C starts here
    find_tile<BAND>(row0, column0);
    row0 *= BM, column0 *= BN;
    const int tiles = (K + BK - 1) / BK;
    const int group = threadIdx.x / 128, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int stage = 0, phase = 0; // the phase turns each time around the ring
    const auto next_stage = [&] {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    };

    if (group == GROUPS) { // the producer
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers<GROUPS, BLOCKS>::PRODUCER));
        if (by_hand) {
#pragma unroll 1
            for (int tile = 0; tile < tiles; ++tile, next_stage()) {
                empty(stage).wait(phase ^ 1);
                unsigned char* to = ring + stage * STAGE;
                copy_by_hand<BM>(to, A, M, K, row0, tile * BK);
                for (int j = 0; j < BN / 64; ++j) copy_by_hand<BK>(to + A_BYTES + j * BOX, B, K, N, tile * BK, column0 + j * 64);
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
                for (int j = 0; j < BN / 64; ++j) copy_box(to + A_BYTES + j * BOX, b_map, tile * BK, column0 + j * 64, full(stage));
            }
        }
        return;
    }

    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers<GROUPS, BLOCKS>::CONSUMER));
    float sum[BN / 2];
    int before = 0; // the stage of the tile before
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile, next_stage()) {
        full(stage).wait(phase);
        const unsigned a = base + stage * STAGE + group * 64 * 128, b = base + stage * STAGE + A_BYTES;
        begin();
#pragma unroll
        for (int k = 0; k < BK; k += 16) // 16 k are 32 bytes of a row of A, and 16 rows of B
            Multiply<BN>::start(sum, descriptor(a + k * 2, 0, 1024), descriptor(b + k * 128, BOX, 1024), tile + k > 0);
        commit();
        if (tile > 0) { // one group stays under way; the tile before has been read
            wait<1>();
            __syncwarp();
            if (by_hand || lane == 0) empty(before).arrive();
        }
        before = stage;
    }
    wait<0>();

    const int row = row0 + warp * 16 + lane / 4;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < BN / 8; ++j)
            finish2(C, M, N, row + i * 8, column0 + j * 8 + lane % 4 * 2, alpha, &sum[j * 4 + i * 2], beta);
}
