/* gemmscope
family = "ladder"
rung = 15
arch = "sm_90"
provenance = "this program"
title = { en = "Persistent blocks", zh = "常驻线程块" }
idea = { en = "The grid has as many blocks as the GPU holds at once. Each walks from tile to tile of C, and its producer runs ahead across the border.", zh = "网格只有 GPU 一次装得下的那么多线程块；每个块逐块处理 C 的分块，生产者越过分块边界继续提前读。" }
look = { view = "timeline", en = "With BLOCKS below the number of tiles, copies for the next tile of C run during the stores of this one.", zh = "BLOCKS 少于分块数时，写出 C 的一块期间，下一块的拷贝已在进行。" }
story = { en = """
On the rung before every tile of C has a block of its own. When a block ends, its ring has run empty, and during its stores of C
nothing was copied. The next block makes its barriers, waits for its first tile and only then multiplies. Here BLOCKS blocks stay
and share the tiles: block b takes tile b, then b + BLOCKS, and so on. The producer does not know borders: while the consumers still
write one tile of C, it already fills the ring for the next. The ring, the phases and the loop are those of the rung before, set up
once a block. 132 blocks fill an H200, one on each SM. At 4096, tiles of 128 x 128 make 1024 for 132 blocks: seven or eight each. In
the last round 32 SMs have none. This tail effect, or wave quantization, no loop over tiles can mend. On an H200 it is slower than
the rung before at every size, at 4096 with 41.7 against 43.9 TFLOPS. So the borders between tiles did not limit that one. At small
sizes choose a smaller BLOCKS, so that a block has more than one tile to walk.
""", zh = """
上一级里，C 的每个分块都有自己的线程块。一个线程块结束时，它的环也空了：下一个线程块要重新建屏障，等第一个分块到齐才能计算；写出 C 的那段时间
里也没有任何拷贝。这里只有 BLOCKS 个线程块常驻，分摊所有分块：第 b 个线程块先做第 b 块，再做第 b + BLOCKS 块，依此类推。生产者不管边界：消费者
还在写出 C 的一块时，它已经在为下一块填环。环、阶段和循环与上一级相同，每个线程块只建立一次。132 个线程块正好填满 H200，每个 SM 一个。4096 时
按 128 x 128 共 1024 块，由 132 个线程块分担：每个七到八块，最后一轮有 32 个 SM 无事可做，这种尾部效应（波量化）靠循环是消不掉的。在 H200 上，
各种规模下这一级都比上一级慢，4096 时是 41.7 对 43.9 TFLOPS：可见分块之间的边界并不是上一级的瓶颈。
矩阵较小时请减小 BLOCKS，让每个线程块不止处理一块。
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
initial = 128
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block", zh = "每个线程块的 C 列数" }

[[parameter]]
name = "BK"
values = [8, 16, 32]
initial = 32
label = { en = "depth of a tile", zh = "分块深度" }
meaning = { en = "elements of k per tile", zh = "每个分块的 k 长度" }

[[parameter]]
name = "TM"
values = [1, 2, 4, 6, 8, 12, 16]
initial = 8
label = { en = "rows per thread", zh = "每线程行数" }
meaning = { en = "rows of C per thread", zh = "每个线程的 C 行数" }

[[parameter]]
name = "TN"
values = [4, 8, 12, 16]
initial = 8
label = { en = "columns per thread", zh = "每线程列数" }
meaning = { en = "columns of C per thread", zh = "每个线程的 C 列数" }

[[parameter]]
name = "STAGES"
values = [2, 3, 4, 5]
initial = 4
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles in the ring: one multiplied, the others under way", zh = "环中的分块数：一个在算，其余在途" }

[[parameter]]
name = "BLOCKS"
values = [1, 2, 4, 8, 16, 33, 66, 132, 264]
initial = 132
label = { en = "blocks of the grid", zh = "网格线程块数" }
meaning = { en = "blocks of the grid, where there are so many tiles of C", zh = "网格的线程块数（C 的分块不少于此数时）" }

[[rule]]
expression = "(BM % (4 * TM) == 0) && (BN % (8 * TN) == 0)"
reason = { en = "A warp covers 4 x 8 thread tiles, so BM must be a multiple of 4 TM and BN of 8 TN.", zh = "一个 warp 覆盖 4 x 8 个线程分块，所以 BM 须是 4 TM 的倍数，BN 须是 8 TN 的倍数。" }

[[rule]]
expression = "(BM / TM) * (BN / TN) <= 992"
reason = { en = "A block holds at most 1024 threads, and 32 of them are the producer.", zh = "一个线程块最多 1024 个线程，其中 32 个是生产者。" }

[[rule]]
expression = "(TM * TN + 4 * TM + 2 * TN + 16) * 128 * ceil_div((BM / TM) * (BN / TN) + 32, 128) <= 65536"
reason = { en = "The warps share the SM's 65,536 registers in fours, and the producer counts: fewer threads, or smaller thread tiles.", zh = "warp 每四个一组共用 SM 的 65,536 个寄存器，生产者也算在内：请减少线程或缩小线程分块。" }

[[rule]]
expression = "TM * TN + 4 * TM + 2 * TN <= 215"
reason = { en = "A thread has at most 255 registers for its sums, four k of its rows and two k of its columns.", zh = "每个线程最多 255 个寄存器，要放累加值、各行的四个 k 和各列的两个 k。" }

[[rule]]
expression = "STAGES * (BM + BN) * BK * 4 + 1024 <= 232448"
reason = { en = "All stages and their barriers must fit in a block's largest shared memory, 227 KB.", zh = "所有阶段及其屏障必须放得进一个线程块最大的共享内存，227 KB。" }

[[break]]
name = "missing_wait"
label = { en = "No wait for \"full\"", zh = "不等 full" }
look = { en = "Consumers run through a ring that nobody has filled. In a shuffled order of the warps they read copies that are still under way.", zh = "消费者跑过一个还没有填充的环；打乱 warp 次序时，它们读到仍在途的拷贝。" }
finding = ["mbarrier_misuse", "uninitialised_shared", "shared_race", "unwaited_async_copy"]
find = '            full(stage).wait(phase);'
replace = '            // no wait'

[[tensor_map]]
of = "A"
box = ["BM", "BK"]
swizzle = "BK * 4"

[[tensor_map]]
of = "B"
box = ["BK", "BN"]

[launch]
block = ["(BM / TM) * (BN / TN) + 32", "1"]
grid = ["min(BLOCKS, ceil_div(N, BN) * ceil_div(M, BM))", "1"]
dynamic_shared = "STAGES * (BM + BN) * BK * 4 + 1024"
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

// The 16-byte pieces of A's rows, BK / 4 of them in each, change places: piece p of row r lies where p ^ line(r) would, lines
// being 128 bytes long and counted from an address that is a multiple of 1024. This is how TMA swizzles.
template <int BK>
__device__ __forceinline__ int line(int row) { return row * BK / 32 % (BK / 4); }

// A warp copies a ROWS x COLUMNS box of matrix[rows][columns] by hand, zeros for what lies outside.
template <int ROWS, int COLUMNS, bool SWIZZLED>
__device__ __forceinline__ void copy_by_hand(float* to, const float* matrix, int rows, int columns, int row0, int column0) {
#pragma unroll 1
    for (int i = threadIdx.x % 32; i < ROWS * COLUMNS; i += 32) {
        const int r = i / COLUMNS, c = i % COLUMNS, row = row0 + r, column = column0 + c;
        to[SWIZZLED ? i ^ line<COLUMNS>(r) * 4 : i] = row < rows && column < columns ? matrix[(size_t)row * columns + column] : 0.0f;
    }
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
//
// A ring of three stages, three tiles along k for each tile of C; letters are tiles of C.
//
//   producer    copy a0  copy a1  copy a2  copy b0  copy b1  copy b2                copy c0 ...
//   consumers            multiply a0  multiply a1  multiply a2  store a  multiply b0  multiply b1 ...
template <int BM, int BN, int BK, int TM, int TN, int STAGES, int BLOCKS>
__global__ void __launch_bounds__((BM / TM) * (BN / TN) + 32, 1)
persistent(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C,
           const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map) {
    constexpr int CONSUMERS = (BM / TM) * (BN / TN) / 32; // warps
    constexpr int A_BYTES = BM * BK * 4, STAGE = (BM + BN) * BK * 4;
    extern __shared__ __align__(1024) unsigned char ring[]; // STAGES times: A's box [BM][BK], B's box [BK][BN]; then the barriers

    const unsigned base = (unsigned)__cvta_generic_to_shared(ring);
    const auto full = [&](int stage) { return Mbarrier{base + STAGES * STAGE + stage * 16}; };
    const auto empty = [&](int stage) { return Mbarrier{base + STAGES * STAGE + stage * 16 + 8}; };
    const bool by_hand = K % 4 != 0 || N % 4 != 0; // TMA cannot read these rows; then every lane arrives for itself
    if (threadIdx.x == 0) {
        const int lanes = by_hand ? 32 : 1;
        for (int s = 0; s < STAGES; ++s) full(s).init(lanes), empty(s).init(CONSUMERS * lanes);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); // for TMA to see
    }
    __syncthreads();

    const int tiles = (K + BK - 1) / BK; // along k, for each tile of C
    const int across = (N + BN - 1) / BN, all = across * ((M + BM - 1) / BM); // tiles of C
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int stage = 0, phase = 0; // the phase turns each time around the ring
    const auto next_stage = [&] {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    };

    if (warp == CONSUMERS) { // the producer
#pragma unroll 1
        for (int mine = blockIdx.x; mine < all; mine += gridDim.x) {
            const int row0 = mine / across * BM, column0 = mine % across * BN; // this tile of C starts here
#pragma unroll 1
            for (int tile = 0; tile < tiles; ++tile, next_stage()) {
                empty(stage).wait(phase ^ 1); // a new barrier is past its phase 1: the first time around nobody waits
                if (by_hand) {
                    float* to = reinterpret_cast<float*>(ring + stage * STAGE);
                    copy_by_hand<BM, BK, true>(to, A, M, K, row0, tile * BK);
                    copy_by_hand<BK, BN, false>(to + BM * BK, B, K, N, tile * BK, column0);
                    full(stage).arrive();
                } else if (lane == 0) {
                    const unsigned to = base + stage * STAGE;
                    full(stage).arrive_and_expect(STAGE);
                    copy_box(to, a_map, row0, tile * BK, full(stage));
                    copy_box(to + A_BYTES, b_map, tile * BK, column0, full(stage));
                }
                __syncwarp();
            }
        }
        return;
    }

    // Lane (r, c) of a warp's 4 x 8 owns rows r, r + 4, r + 8 ... and in each row columns 4c to 4c + 3, then 32 further.
    constexpr int WM = 4 * TM, WN = 8 * TN;
    const int my_row = warp / (BN / WN) * WM + lane / 8, my_column = warp % (BN / WN) * WN + lane % 8 * 4;

    const int my_line = line<BK>(my_row);

#pragma unroll 1
    for (int mine = blockIdx.x; mine < all; mine += gridDim.x) {
        const int row0 = mine / across * BM, column0 = mine % across * BN;
        float sum[TM][TN] = {};
#pragma unroll 1
        for (int tile = 0; tile < tiles; ++tile, next_stage()) {
            full(stage).wait(phase);
            const float* a_box = reinterpret_cast<const float*>(ring + stage * STAGE);
            const float* b_box = a_box + BM * BK;
            float4 b[2][TN / 4]; // one k, and the next
            const auto read_b = [&](int to, int k) {
#pragma unroll
                for (int j = 0; j < TN / 4; ++j) b[to][j] = *reinterpret_cast<const float4*>(b_box + k * BN + my_column + j * 32);
            };
            read_b(0, 0);
#pragma unroll 1
            for (int k0 = 0; k0 < BK; k0 += 4) {
                float4 a[TM]; // four k of each of the thread's rows
                const int even = k0 / 4 ^ my_line, odd = even ^ BK / 8; // 4 rows on, line() is half a turn on
#pragma unroll
                for (int i = 0; i < TM; ++i)
                    a[i] = *reinterpret_cast<const float4*>(a_box + (my_row + i * 4) * BK + (i % 2 == 0 ? even : odd) * 4);
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    if (k < 3 || k0 + 4 < BK) read_b((k + 1) % 2, k0 + k + 1);
#pragma unroll
                    for (int i = 0; i < TM; ++i)
#pragma unroll
                        for (int step = 0; step < TN; ++step) {
                            const int j = (i + k * TM) % 2 == 0 ? step : TN - 1 - step; // there and back
                            sum[i][j] = fmaf(element(a[i], k), element(b[k % 2][j / 4], j % 4), sum[i][j]);
                        }
                }
            }
            __syncwarp(); // all lanes have read the tile
            if (by_hand || lane == 0) empty(stage).arrive();
        }
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
            for (int j = 0; j < TN; j += 4)
                finish4(C, M, N, row0 + my_row + i * 4, column0 + my_column + j / 4 * 32, alpha, &sum[i][j], beta);
    }
}
