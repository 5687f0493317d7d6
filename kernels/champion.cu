/* gemmscope
family = "ladder"
rung = 16
arch = "sm_90"
tuned = true
provenance = "this program"
title = { en = "Past cuBLAS", zh = "超过 cuBLAS" }
idea = { en = "FMAs in an order that the register file can feed, reads one step ahead, whole tiles by TMA, and a tile that fills the GPU.", zh = "按寄存器堆供得上的顺序排 FMA，读取提前一步，整块由 TMA 搬运，再选一种恰好填满 GPU 的分块。" }
look = { view = "blocks", en = "The tiles of C fill almost whole waves of 132 SMs.", zh = "C 的分块几乎填满 132 个 SM 的整数个波。" }
story = { en = """
An FMA reads three registers and the register file delivers two per cycle. So one of the three must come from the operand cache: the
FMA before must have used it. Walking the thread's tile row by row, there and back, always leaves one operand. Along a row it is the
value of A, at the turn the value of B. But the compiler reorders what it sees, and the more it sees the more it reorders. So the
loop holds four k and no more, and fences cut it in three. That alone is worth a fifth. Each value is read from shared memory at
least half a k before its use, over the end of a tile too. TMA brings tiles of 64 k, small ones of 128, so that barriers are rare. One
lane of the first warp refills a stage as soon as all have read it. The last part is arithmetic. The number of tiles should be just below a
multiple of the SM count, so that the last wave is full, too. At 4096 128 x 256 makes 512 tiles, 3.88 waves on 132 SMs. At 3072 it
is 192 x 192, at 1536 96 x 192, at 1024 64 x 128. So it does without the persistent blocks of the rung before. In small tiles SLICES groups of
warps share the k of each tile, which keeps the thread tiles large, and add up at the end.
""", zh = """
一条 FMA 要读三个寄存器，寄存器堆每周期只供两个，所以其中一个必须来自操作数缓存：上一条 FMA 刚用过它。逐行来回走过线程分块，总能留住一个
操作数：行内是 A 的值，拐弯处是 B 的值。可是编译器会把看到的指令重排，看得越多排得越乱；所以循环只含四个 k，再用栅栏切成三段，仅这一项就
提速约五分之一。每个值至少提前半个 k 从共享内存读出，跨分块也不例外。TMA 一次搬 64 个 k 的分块（小分块 128 个），屏障因此稀少；第一个 warp 的一个 lane 在大家读完后立刻
补上该阶段。最后是算术：分块数应略少于 SM 数的整数倍，使最后一波也是满的。4096 时 128 x 256 得 512 块，132 个 SM 上是 3.88 波；3072 用 192 x 192，1536 用
96 x 192，1024 用 64 x 128；所以它不需要上一级的常驻线程块。小分块时由 SLICES 组 warp 分担每个分块的 k，线程分块因此仍然够大，最后相加。
""" }

[[parameter]]
name = "BM"
values = [32, 64, 96, 128, 192, 256]
initial = 128
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block", zh = "每个线程块的 C 行数" }

[[parameter]]
name = "BN"
values = [32, 64, 96, 128, 192, 256]
initial = 256
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block", zh = "每个线程块的 C 列数" }

[[parameter]]
name = "BK"
values = [16, 32, 48, 64, 128]
initial = 64
label = { en = "depth of a tile", zh = "分块深度" }
meaning = { en = "elements of k per tile", zh = "每个分块的 k 长度" }

[[parameter]]
name = "TM"
values = [2, 4, 6, 8, 12, 16]
initial = 8
label = { en = "rows per thread", zh = "每线程行数" }
meaning = { en = "rows of C per thread", zh = "每个线程的 C 行数" }

[[parameter]]
name = "TN"
values = [4, 8, 12, 16]
initial = 16
label = { en = "columns per thread", zh = "每线程列数" }
meaning = { en = "columns of C per thread", zh = "每个线程的 C 列数" }

[[parameter]]
name = "SLICES"
values = [1, 2, 4]
initial = 1
label = { en = "slices of k", zh = "k 的份数" }
meaning = { en = "groups of warps that share the k of each tile", zh = "分担每个分块的 k 的 warp 组数" }

[[parameter]]
name = "STAGES"
values = [2, 3, 4]
initial = 2
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles in the ring: one multiplied, the others under way", zh = "环中的分块数：一个在算，其余在途" }

[[rule]]
expression = "(BM % (4 * TM) == 0) && (BN % (8 * TN) == 0)"
reason = { en = "A warp covers 4 x 8 thread tiles, so BM must be a multiple of 4 TM and BN of 8 TN.", zh = "一个 warp 覆盖 4 x 8 个线程分块，所以 BM 须是 4 TM 的倍数，BN 须是 8 TN 的倍数。" }

[[rule]]
expression = "(BM / TM) * (BN / TN) * SLICES <= 1024"
reason = { en = "A block holds at most 1024 threads.", zh = "一个线程块最多 1024 个线程。" }

[[rule]]
expression = "BK % (4 * SLICES) == 0"
reason = { en = "Each slice takes four k at a time of its part of the tile, so BK must be a multiple of 4 SLICES.", zh = "每组每次取它那部分的四个 k，所以 BK 须是 4 SLICES 的倍数。" }

[[rule]]
expression = "(TM * TN + 4 * TM + 2 * TN + 16) * 128 * ceil_div((BM / TM) * (BN / TN) * SLICES, 128) <= 65536"
reason = { en = "All threads of a block share the SM's 65,536 registers: fewer threads, or smaller thread tiles.", zh = "线程块的所有线程共用 SM 的 65,536 个寄存器：请减少线程或缩小线程分块。" }

[[rule]]
expression = "TM * TN + 4 * TM + 2 * TN <= 218"
reason = { en = "A thread has at most 255 registers for its sums, four k of its rows and two k of its columns.", zh = "每个线程最多 255 个寄存器，要放累加值、各行的四个 k 和各列的两个 k。" }

[[rule]]
expression = "STAGES * ((BM + BN) * BK * 4 + 128) <= 232448"
reason = { en = "All stages must fit in a block's largest shared memory, 227 KB.", zh = "所有阶段必须放得进一个线程块最大的共享内存，227 KB。" }

[[rule]]
expression = "(SLICES == 1) || (BM * BN <= STAGES * (BM + BN) * BK)"
reason = { en = "The slices exchange their sums through the ring, so it must hold BM x BN floats: more stages, a larger BK or fewer slices.", zh = "各组通过环交换累加值，环必须放得下 BM x BN 个浮点数：请增加阶段、加大 BK 或减少组数。" }

[[tensor_map]]
of = "A"
box = ["BM", "BK"]

[[tensor_map]]
of = "B"
box = ["BK", "BN"]

[launch]
block = ["(BM / TM) * (BN / TN) * SLICES", "1"]
grid = ["ceil_div(N, BN)", "ceil_div(M, BM)"]
dynamic_shared = "STAGES * ((BM + BN) * BK * 4 + 128)"
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
    __device__ __forceinline__ void end() const { // its bytes are plain memory again
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address) : "memory");
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

// The compiler may not move anything over this. It costs the five cycles of an event that nobody listens to.
__device__ __forceinline__ void fence() { asm volatile("pmevent 0;" ::: "memory"); }

// sum += a * b, and not elsewhere: a plain fmaf would be moved over the fences, for it touches no memory.
__device__ __forceinline__ void multiply_add(float& sum, float a, float b) {
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(a), "f"(b));
}

__device__ __forceinline__ float4 read4(unsigned address) {
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(address) : "memory");
    return v;
}

// The threads of the block copy a ROWS x COLUMNS box of matrix[rows][columns] by hand, zeros for what lies outside.
template <int ROWS, int COLUMNS, int THREADS>
__device__ __forceinline__ void copy_by_hand(float* to, const float* matrix, int rows, int columns, int row0, int column0) {
#pragma unroll 1
    for (int i = threadIdx.x; i < ROWS * COLUMNS; i += THREADS) {
        const int row = row0 + i / COLUMNS, column = column0 + i % COLUMNS;
        to[i] = row < rows && column < columns ? matrix[(size_t)row * columns + column] : 0.0f;
    }
}

// Element `i` of four that lie in registers; `i` is known when this is compiled.
__device__ __forceinline__ float element(const float4& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w; }

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
template <int BM, int BN, int BK, int TM, int TN, int SLICES, int STAGES>
__global__ void __launch_bounds__((BM / TM) * (BN / TN) * SLICES, 1)
champion(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C,
         const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map) {
    constexpr int WM = 4 * TM, WN = 8 * TN; // a warp's tile: 4 x 8 lanes
    constexpr int THREADS = (BM / TM) * (BN / TN) * SLICES, WARPS = THREADS / 32;
    constexpr int SLICE = BK / SLICES;      // of each tile's k a slice of the warps takes so much
    constexpr int DATA = (BM + BN) * BK * 4, STAGE = DATA + 128, RING = STAGES * STAGE; // bytes; 128: two barriers, aligned
    extern __shared__ __align__(128) unsigned char ring[]; // STAGES times: A's box [BM][BK], B's box [BK][BN], two barriers

    const unsigned base = (unsigned)__cvta_generic_to_shared(ring);
    const auto full = [&](unsigned stage) { return Mbarrier{base + stage + DATA}; };      // the tile has arrived
    const auto empty = [&](unsigned stage) { return Mbarrier{base + stage + DATA + 8}; }; // every warp has read it
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32; // the compiler sees that a warp goes one way
    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN; // the block's tile of C starts here
    const int tiles = (K + BK - 1) / BK;

    // TMA wants rows that start at multiples of 16 bytes. Where they don't, threads copy.
    const bool by_hand = K % 4 != 0 || N % 4 != 0;
    const auto fetch = [&](int tile, unsigned stage) {
        if (lane != 0) return;
        full(stage).arrive_and_expect(DATA);
        copy_box(base + stage, a_map, row0, tile * BK, full(stage));
        copy_box(base + stage + BM * BK * 4, b_map, tile * BK, column0, full(stage));
    };
    const auto fetch_by_hand = [&](int tile, unsigned stage) {
        __syncthreads(); // everyone has read what this overwrites
        float* to = reinterpret_cast<float*>(ring + stage);
        copy_by_hand<BM, BK, THREADS>(to, A, M, K, row0, tile * BK);
        copy_by_hand<BK, BN, THREADS>(to + BM * BK, B, K, N, tile * BK, column0);
        __syncthreads();
    };
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) full(s * STAGE).init(1), empty(s * STAGE).init(WARPS);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); // for TMA to see
    }
    __syncthreads();
    if (by_hand) {
        fetch_by_hand(0, 0);
    } else {
        if (warp == 0)
            for (int s = 0; s < STAGES && s < tiles; ++s) fetch(s, s * STAGE);
        __syncwarp();
        full(0).wait(0);
    }

    // Lane (r, c) of a warp's 4 x 8 owns rows r, r + 4, r + 8 ... and in each row columns 4c to 4c + 3, then 32 further.
    constexpr int ACROSS = BN / WN;
    const int slice = warp / (WARPS / SLICES), place = warp % (WARPS / SLICES);
    const int my_row = place / ACROSS * WM + lane / 8, my_column = place % ACROSS * WN + lane % 8 * 4;
    const unsigned a_base = base + (my_row * BK + slice * SLICE) * 4;
    const unsigned b_base = base + BM * BK * 4 + (slice * SLICE * BN + my_column) * 4;
    unsigned a_at = a_base, b_at = b_base;

    float sum[TM][TN] = {};
    float4 a[TM];        // of each of the thread's rows four k
    float4 b[2][TN / 4]; // one k, and the next
    const auto read_a = [&](int from, int to) {
#pragma unroll
        for (int i = 0; i < TM; ++i)
            if (i >= from && i < to) a[i] = read4(a_at + i * 4 * BK * 4);
    };
    const auto read_b = [&](int k) {
#pragma unroll
        for (int j = 0; j < TN / 4; ++j) b[k % 2][j] = read4(b_at + (k * BN + j * 32) * 4);
    };
    const auto multiply = [&](int k, int from, int to) {
#pragma unroll
        for (int i = 0; i < TM; ++i) {
            if (i < from || i >= to) continue;
#pragma unroll
            for (int step = 0; step < TN; ++step) {
                const int j = (i + k * TM) % 2 == 0 ? step : TN - 1 - step; // there and back
                multiply_add(sum[i][j], element(a[i], k), element(b[k % 2][j / 4], j % 4));
            }
        }
    };

    read_a(0, TM / 2);
    read_b(0);
    unsigned stage = 0, phase = 0;
    int tile = 0, groups = SLICE / 4; // of four k, left in this tile
#pragma unroll 1
    while (true) {
        fence();
        read_a(TM / 2, TM);
        read_b(1);
        multiply(0, 0, TM / 2);
        fence();
        multiply(0, TM / 2, TM);
        read_b(2);
        multiply(1, 0, TM);
        fence();
        read_b(3);
        multiply(2, 0, TM);
        a_at += 4 * 4, b_at += 4 * BN * 4;
        if (--groups == 0) { // this warp has read its part of the tile
            groups = SLICE / 4;
            if (++tile == tiles) break;
            const unsigned left = stage;
            stage += STAGE;
            if (stage == RING) stage = 0;
            if (by_hand) {
                fetch_by_hand(tile, stage);
            } else {
                // The last reads have been started, not ended: nothing has used what they bring. TMA must not overtake them.
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
                __syncwarp(); // so far are all lanes
                if (lane == 0) empty(left).arrive();
                if (warp == 0 && tile - 1 + STAGES < tiles) { // refill the stage
                    empty(left).wait(phase);
                    fetch(tile - 1 + STAGES, left);
                }
                __syncwarp();
                if (stage == 0) phase ^= 1;
                full(stage).wait(phase);
            }
            a_at = a_base + stage, b_at = b_base + stage;
        }
        read_b(0);
        multiply(3, 0, TM / 2);
        read_a(0, TM / 2);
        multiply(3, TM / 2, TM);
    }
    multiply(3, 0, TM);

    if (SLICES > 1) { // the slices' sums are added in their order
        if (BM * BN * 4 > DATA) { // the sums reach over barriers: their state lies elsewhere until they end, and would be written over sums
            __syncthreads();
            if (threadIdx.x == 0)
                for (int s = 0; s < STAGES; ++s) full(s * STAGE).end(), empty(s * STAGE).end();
        }
        float* sums = reinterpret_cast<float*>(ring) + (threadIdx.x % (THREADS / SLICES));
        for (int s = SLICES - 1; s > 0; --s) {
            __syncthreads();
            if (slice == s)
#pragma unroll
                for (int i = 0; i < TM * TN; ++i) sums[i * (THREADS / SLICES)] = sum[i / TN][i % TN];
            __syncthreads();
            if (slice == s - 1)
#pragma unroll
                for (int i = 0; i < TM * TN; ++i) sum[i / TN][i % TN] += sums[i * (THREADS / SLICES)];
        }
        if (slice > 0) return;
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            finish4(C, M, N, row0 + my_row + i * 4, column0 + my_column + j / 4 * 32, alpha, &sum[i][j], beta);
}
