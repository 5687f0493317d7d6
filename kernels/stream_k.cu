/* gemmscope
family = "other_ways"
rung = 6
arch = "sm_90"
provenance = "this program"
title = { en = "Stream-K: shared tiles", zh = "Stream-K：分担分块" }
idea = { en = "The tiles that fill no whole wave are shared: each SM takes an equal part of their steps of k. Whoever is last adds up.", zh = "凑不满一整波的分块由全体分担：每个 SM 分到同样多的 k 步，最后完成的一块负责相加。" }
look = { view = "timeline", en = "The blocks of the last wave end together, though there are fewer tiles than SMs.", zh = "最后一波的分块比 SM 少，各线程块却同时结束。" }
story = { en = """
The champion gives each tile of C a block. At 8192, 2048 tiles of 128 x 256 are 15 waves of 132 SMs, and 68 tiles more. In the last wave 64 SMs
idle: 3 % of the time. Here the last 68 tiles are cut along k. Their steps of k stand in one line, tile after tile, and the line is
cut in 132 equal pieces, one for each SM. A piece begins somewhere in a tile and may reach into the next, so a block has parts of two tiles at
most. The sums of a part go to a slot in memory, and a counter of the tile goes up. Whoever fills the counter adds up the slots, always in the order of
k. So nobody waits, and C has the same bits in every run. A first version kept the sums of all parts in registers while
it added up. That changed the machine code of the loop, and the kernel was slower than the champion. So a part's sums leave as those of a
tile do, and what adds up holds few values at a time. One line makes the loop faster than the champion's. A shuffle tells the compiler that all
lanes of a warp have one warp number. So 28 instructions of 714 go, and 18 FMAs of 512 take two cycles, not 22. At 2048, 128 tiles
for 132 SMs leave little to share, and the way through memory would cost more: there tiles stay whole. On three H200s single launches
reached 1.11 to 1.12 of cuBLAS at 4096, 1.11 at 8192, and 1.09 to 1.11 at 2048.
""", zh = """
champion 给 C 的每个分块一个线程块。8192 时共有 2048 个 128 x 256 的分块，即 132 个 SM 的 15 波，再加 68 块。最后一波里 64 个 SM 闲着，占总时间的 3 %。
这里把最后 68 块沿 k 切开：它们的 k 步按分块次序排成一列，均分成 132 份，每个 SM 一份。一份可以从某块的中间开始，延伸到下一块，所以一个线程块最多做两块的各一部分。
一部分的累加值写进内存中的一个位置，该分块的计数器加一；使计数器满的那个线程块把各位置相加，次序总是 k 的次序。因此没有线程块需要等待，每次运行的 C 逐位相同。
最初的写法在相加时把累加值都留在寄存器里，这改变了主循环的机器码，结果比 champion 还慢。所以一部分的累加值按整块的方式写出，相加时只同时持有少量值。
有一行代码使主循环比 champion 的更快：用一次 shuffle 告诉编译器，一个 warp 的所有 lane 的 warp 号相同。于是 714 条指令少了 28 条，512 条 FMA 中要两个周期的由 22 条减为 18 条。
2048 时 128 个分块给 132 个 SM，没有多少可分担，经过内存的来回反而更贵，所以那里各块保持完整。在三块 H200 上，单独启动在 4096 时是 cuBLAS 的 1.11 至 1.12 倍，8192 时 1.11 倍，2048 时 1.09 至 1.11 倍。
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
values = [16, 32, 48, 64]
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
name = "STAGES"
values = [2, 3, 4]
initial = 2
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles in the ring: one multiplied, the others under way", zh = "环中的分块数：一个在算，其余在途" }

[[parameter]]
name = "SMS"
values = [2, 16, 132]
initial = 132
label = { en = "SMs", zh = "SM 数" }
meaning = { en = "blocks that run at once, one on each SM, and that share the last tiles; an H200 has 132 SMs", zh = "同时运行、每个 SM 一个、并分担末尾分块的线程块数；H200 有 132 个 SM" }

[[rule]]
expression = "(BM % (4 * TM) == 0) && (BN % (8 * TN) == 0)"
reason = { en = "A warp covers 4 x 8 thread tiles, so BM must be a multiple of 4 TM and BN of 8 TN.", zh = "一个 warp 覆盖 4 x 8 个线程分块，所以 BM 须是 4 TM 的倍数，BN 须是 8 TN 的倍数。" }

[[rule]]
expression = "(BM / TM) * (BN / TN) <= 1024"
reason = { en = "A block holds at most 1024 threads.", zh = "一个线程块最多 1024 个线程。" }

[[rule]]
expression = "(TM * TN + 4 * TM + 2 * TN + 16) * 128 * ceil_div((BM / TM) * (BN / TN), 128) <= 65536"
reason = { en = "All threads of a block share the SM's 65,536 registers: fewer threads, or smaller thread tiles.", zh = "线程块的所有线程共用 SM 的 65,536 个寄存器：请减少线程或缩小线程分块。" }

[[rule]]
expression = "TM * TN + 4 * TM + 2 * TN <= 218"
reason = { en = "A thread has at most 255 registers for its sums, four k of its rows and two k of its columns.", zh = "每个线程最多 255 个寄存器，要放累加值、各行的四个 k 和各列的两个 k。" }

[[rule]]
expression = "STAGES * ((BM + BN) * BK * 4 + 128) <= 232448"
reason = { en = "All stages must fit in a block's largest shared memory, 227 KB.", zh = "所有阶段必须放得进一个线程块最大的共享内存，227 KB。" }

[[rule]]
expression = "BM * BN <= 32768"
reason = { en = "A slot for the sums of a part holds 128 x 256 floats.", zh = "存放一份累加值的位置只容得下 128 x 256 个浮点数。" }

[[tensor_map]]
of = "A"
box = ["BM", "BK"]

[[tensor_map]]
of = "B"
box = ["BK", "BN"]

[launch]
block = ["(BM / TM) * (BN / TN)", "1"]
grid = ["SMS * ceil_div(ceil_div(N, BN) * ceil_div(M, BM), SMS)", "1"]
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

// What a block does. Of T tiles of C the last T % SMS are shared: their steps of k, one tile's after the other's, are dealt out evenly to the
// last SMS blocks. Such a block has parts of two tiles at most; each other block has a whole tile. The way of parts through memory takes
// about the time of two steps. Where each SM would save less, nobody shares.
template <int SMS>
struct Work {
    int steps, whole;         // of k in a tile; tiles that are not shared
    int each = 0, over = 0;   // shared steps of a sharer, and sharers with one more
    int tile, first, count;   // this part: `count` steps of a tile, from `first`
    int left = 0;             // steps of the next part, which begins the next tile
    __device__ __forceinline__ Work(int tiles, int steps) : steps(steps), whole(tiles / SMS * SMS), tile(blockIdx.x), first(0), count(steps) {
        if ((SMS - tiles % SMS) * steps < 2 * SMS) whole = tiles;
        if (tile < whole) return;
        const int shared = (tiles - whole) * steps;
        each = shared / SMS, over = shared % SMS;
        const int at = begin(sharer()), all = begin(sharer() + 1) - at;
        tile = whole + at / steps, first = at % steps, count = min(all, steps - first), left = all - count;
    }
    __device__ __forceinline__ int sharer() const { return blockIdx.x - whole; }
    __device__ __forceinline__ int begin(int sharer) const { return sharer * each + min(sharer, over); } // its first shared step
    __device__ __forceinline__ int owner(int step) const { // the sharer that has the shared step
        return step < over * (each + 1) ? step / (each + 1) : over + (step - over * (each + 1)) / each;
    }
    __device__ __forceinline__ void next() { ++tile, first = 0, count = left, left = 0; }
    __device__ __forceinline__ bool is_part() const { return count < steps; }
    __device__ __forceinline__ int start() const { return (tile - whole) * steps; } // of the tile, among the shared steps
    __device__ __forceinline__ int first_sharer() const { return owner(start()); }
    __device__ __forceinline__ int last_sharer() const { return owner(start() + steps - 1); }
    // A sharer's second part is the beginning of a tile. Its first is not, or is all it has.
    __device__ __forceinline__ int slot(int sharer) const { return sharer * 2 + (begin(sharer) < start()); }
};

// Sums of parts, [BM][BN] in each slot, of each sharer two slots: for an H200. How many parts of a tile are there.
template <int FLOATS>
__device__ float4 partial_sums[FLOATS / 4];
template <int TILES>
__device__ unsigned parts_done[TILES];

// A part of a tile has been stored. True, for all threads: it was the last of its tile.
template <class Work>
__device__ __forceinline__ bool is_last(const Work& work) {
    __shared__ bool last;
    __threadfence(); // who counts this part finds its sums
    __syncthreads();
    unsigned* done = parts_done<132> + (work.tile - work.whole);
    if (threadIdx.x == 0) {
        last = atomicAdd(done, 1) == work.last_sharer() - work.first_sharer();
        if (last) *done = 0; // for the next launch
    }
    __syncthreads();
    if (last) __threadfence();
    return last;
}

// Adds up the parts of a tile, always in the order of k, so that C does not depend on who was last.
template <int BM, int BN, int THREADS, int AT_ONCE, class Work>
__device__ __forceinline__ void add_up(const Work& work, float* C, int M, int N, int row0, int column0, float alpha, float beta) {
#pragma unroll 1
    for (int at = threadIdx.x; at < BM * BN / 4; at += AT_ONCE * THREADS) {
        float4 sum[AT_ONCE] = {};
#pragma unroll 1
        for (int sharer = work.first_sharer(); sharer <= work.last_sharer(); ++sharer) {
            const float4* part = partial_sums<2 * 132 * 128 * 256> + work.slot(sharer) * (BM * BN / 4) + at;
#pragma unroll
            for (int i = 0; i < AT_ONCE; ++i) {
                const float4 more = __ldcg(part + i * THREADS);
                sum[i].x += more.x, sum[i].y += more.y, sum[i].z += more.z, sum[i].w += more.w;
            }
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {
            const int piece = at + i * THREADS;
            finish4(C, M, N, row0 + piece / (BN / 4), column0 + piece % (BN / 4) * 4, alpha, &sum[i].x, beta);
        }
    }
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
template <int BM, int BN, int BK, int TM, int TN, int STAGES, int SMS>
__global__ void __launch_bounds__((BM / TM) * (BN / TN), 1)
stream_k(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C,
         const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map) {
    constexpr int WM = 4 * TM, WN = 8 * TN; // a warp's tile: 4 x 8 lanes
    constexpr int THREADS = (BM / TM) * (BN / TN), WARPS = THREADS / 32;
    constexpr int DATA = (BM + BN) * BK * 4, STAGE = DATA + 128, RING = STAGES * STAGE; // bytes; 128: two barriers, aligned
    extern __shared__ __align__(128) unsigned char ring[]; // STAGES times: A's box [BM][BK], B's box [BK][BN], two barriers

    const unsigned base = (unsigned)__cvta_generic_to_shared(ring);
    const auto full = [&](unsigned stage) { return Mbarrier{base + stage + DATA}; };      // the tile has arrived
    const auto empty = [&](unsigned stage) { return Mbarrier{base + stage + DATA + 8}; }; // every warp has read it
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32; // the compiler sees that a warp goes one way
    const int across = (N + BN - 1) / BN;
    Work<SMS> work(across * ((M + BM - 1) / BM), (K + BK - 1) / BK);
#pragma unroll 1
    for (; work.count > 0; work.next()) {
        const int row0 = work.tile / across * BM, column0 = work.tile % across * BN; // this tile of C starts here
        const int tiles = work.count, first_k = work.first * BK;

        // TMA wants rows that start at multiples of 16 bytes. Where they don't, threads copy.
        const bool by_hand = K % 4 != 0 || N % 4 != 0;
        const auto fetch = [&](int tile, unsigned stage) {
            if (lane != 0) return;
            full(stage).arrive_and_expect(DATA);
            copy_box(base + stage, a_map, row0, first_k + tile * BK, full(stage));
            copy_box(base + stage + BM * BK * 4, b_map, first_k + tile * BK, column0, full(stage));
        };
        const auto fetch_by_hand = [&](int tile, unsigned stage) {
            __syncthreads(); // everyone has read what this overwrites
            float* to = reinterpret_cast<float*>(ring + stage);
            copy_by_hand<BM, BK, THREADS>(to, A, M, K, row0, first_k + tile * BK);
            copy_by_hand<BK, BN, THREADS>(to + BM * BK, B, K, N, first_k + tile * BK, column0);
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
        const int my_row = warp / ACROSS * WM + lane / 8, my_column = warp % ACROSS * WN + lane % 8 * 4;
        const unsigned a_base = base + my_row * BK * 4;
        const unsigned b_base = base + BM * BK * 4 + my_column * 4;
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
        int tile = 0, groups = BK / 4; // of four k, left in this tile
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
                groups = BK / 4;
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

        // A part's sums go to its slot, in the same way as those of a whole tile go to C: what adds up must not touch the registers of the loop.
        const bool is_part = work.is_part();
        float* const to = is_part ? (float*)partial_sums<2 * 132 * 128 * 256> + work.slot(work.sharer()) * (BM * BN) : C;
        const int rows = is_part ? BM : M, columns = is_part ? BN : N;
        const int row = my_row + (is_part ? 0 : row0), column = my_column + (is_part ? 0 : column0);
        const float factor = is_part ? 1 : alpha, old = is_part ? 0 : beta;
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
            for (int j = 0; j < TN; j += 4) finish4(to, rows, columns, row + i * 4, column + j / 4 * 32, factor, &sum[i][j], old);
        if (is_part && is_last(work)) add_up<BM, BN, THREADS, TN / 2>(work, C, M, N, row0, column0, alpha, beta);
        if (work.left == 0) return;
        __syncthreads(); // nobody waits at the barriers any more
        if (threadIdx.x == 0)
            for (int s = 0; s < STAGES; ++s) full(s * STAGE).end(), empty(s * STAGE).end();
    }
}
