/* gemmscope
family = "double"
rung = 4
arch = "sm_90a"
operands = "f64"
tensor_cores = true
provenance = "this program"
tuned = true
title = { en = "Double precision, persistent", zh = "双精度，常驻线程块" }
idea = { en = "TMA feeds persistent blocks, and B takes the place of A, so that 16-byte reads arrive as operands of the tensor cores.", zh = "TMA 为常驻线程块供数；B 与 A 互换位置，16 字节的读取直接成为张量核心的操作数。" }
look = { view = "timeline", en = "A warp reads the operands of the next product while tensor cores multiply these; no barrier stops it.", zh = "张量核心在算这一步时，warp 已在读下一步的操作数；没有屏障让它停下。" }
story = { en = """
The mma of this rung is 16 x 8 x 8. It moves its sums through registers half as often as one of 16 x 8 x 4. A lane hands over rows
lane / 4 and eight further of the first operand. Two registers beside each other are those two rows at one k. A 16-byte read of A
brings two k of one row, and every operand would have to be moved. So the kernel makes C on its side. The first operand is B, and 16
bytes of it are two columns at one k. The second operand is A, and there two k of one row are what a lane needs. Which columns, rows
and k a lane calls its own is free as long as all agree. Here the reads of a quarter warp meet all 32 banks. TMA copies tiles into a
ring, and each warp waits for its stage only. While a tile of C is stored, the producer copies the next.
""", zh = """
这一级使用 16 x 8 x 8 的 mma，累加值进出寄存器的次数是 16 x 8 x 4 的一半。对第一个操作数，一个 lane 要交出第 lane / 4 行和再往下八行；
相邻的两个寄存器就是这两行在同一个 k 的元素。而从 A 读 16 字节，得到的是同一行的两个 k，每个操作数都得再搬一次。于是内核把 C 横过来算：
第一个操作数取 B，它的 16 字节正是同一个 k 的两列；第二个操作数取 A，那里一个 lane 需要的恰好是同一行的两个 k。每个 lane 负责哪些行、列和 k 可以任选，
只要全体一致；这里的选法让四分之一个 warp 的读取铺满 32 个存储体。TMA 把分块拷进环里，每个 warp 只等自己要读的那一阶段；写出 C 的这一块时，生产者已在拷贝下一块。
""" }

[[parameter]]
name = "BM"
values = [64, 128, 256]
initial = 128
label = { en = "rows per block", zh = "线程块的行数" }
meaning = { en = "rows of C per block: 32 for each warp", zh = "每个线程块的 C 行数：每个 warp 32 行" }

[[parameter]]
name = "BN"
values = [64, 128, 256]
initial = 128
label = { en = "columns per block", zh = "线程块的列数" }
meaning = { en = "columns of C per block: 64 for each warp", zh = "每个线程块的 C 列数：每个 warp 64 列" }

[[parameter]]
name = "STAGES"
values = [2, 3, 4, 5, 6]
initial = 6
label = { en = "stages of the ring", zh = "环的阶段数" }
meaning = { en = "tiles of 16 k in the ring: one multiplied, the others under way", zh = "环中的分块数（每块 16 个 k）：一个在算，其余在途" }

[[parameter]]
name = "BAND"
values = [1, 8]
initial = 8
label = { en = "band of tiles", zh = "分块带高" }
meaning = { en = "rows of tiles that blocks walk together, down and then across", zh = "线程块成组行走的分块行数，先向下再向右" }

[[parameter]]
name = "SHARE"
values = [0, 1]
initial = 0
label = { en = "last tiles shared", zh = "共享末尾分块" }
meaning = { en = "1: all blocks share the k of the tiles that would keep only some of them busy (Stream-K)", zh = "1：末尾几个分块只够部分线程块忙时，由全体线程块分担它们的 k（Stream-K）" }
words = [{ en = "off", zh = "关" }, { en = "on", zh = "开" }]

[[parameter]]
name = "SMS"
values = [1, 66, 132]
initial = 132
label = { en = "SMs", zh = "SM 数" }
meaning = { en = "SMs that the grid fills, with two blocks each where their tile has 8192 elements; an H200 has 132", zh = "网格填满的 SM 数：每个 SM 一个线程块，分块为 8192 个元素时两个；H200 有 132 个 SM" }

[[rule]]
expression = "BM * BN == 8192 || BM * BN == 16384"
reason = { en = "Registers are dealt out to four or eight warps that multiply, each with 32 x 64 elements of C.", zh = "寄存器分给四个或八个做乘法的 warp，每个负责 C 的 32 x 64 个元素。" }

[[rule]]
expression = "(STAGES * ((BM + BN) * 128 + 16) + 16 + 1024) * (BM * BN == 8192 ? 2 : 1) <= 233472"
reason = { en = "All stages must fit in an SM's shared memory, 228 KB with 1 KB for each block. Two blocks share it where their tile has 8192 elements.", zh = "所有阶段必须放得进 SM 的共享内存：228 KB，每个线程块另占 1 KB。分块为 8192 个元素时由两个线程块共享。" }

[[tensor_map]]
of = "A"
box = ["BM", "16"]
swizzle = "128"

[[tensor_map]]
of = "B"
box = ["16", "16"]
swizzle = "128"

[launch]
block = ["BM * BN / 64 + 128", "1"]
grid = ["min(SMS * (BM * BN == 8192 ? 2 : 1), ceil_div(N, BN) * ceil_div(M, BM) * (SHARE == 1 ? ceil_div(K, 16) : 1))", "1"]
dynamic_shared = "STAGES * ((BM + BN) * 128 + 16) + 16"
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

// Registers are dealt out by warpgroup: the producer gives back what it does not need, the consumers take it.
template <int GROUPS, int BLOCKS>
struct Registers {
    static constexpr int AT_START = 65536 / BLOCKS / ((GROUPS + 1) * 128) / 8 * 8; // of each thread
    static constexpr int PRODUCER = 32, LEFT = ((GROUPS + 1) * AT_START - PRODUCER) / GROUPS / 8 * 8;
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

// What a block does: parts of tiles that all blocks share, then whole tiles, every gridDim.x-th. Of T tiles the last T % gridDim.x are
// shared: their steps of k, one tile's after the other's, are dealt out evenly. So a block has parts of two tiles at most.
template <bool SHARE>
struct Work {
    int steps, whole, each, over, at, end; // of k in a tile; tiles that are not shared; shared steps of a block, and blocks with one more
    int next, tile = 0, first = 0, last = 0; // the next whole tile; the current tile, and its steps from `first` to before `last`
    __device__ __forceinline__ Work(int tiles, int steps) : steps(steps), whole(SHARE ? tiles / gridDim.x * gridDim.x : tiles), next(blockIdx.x) {
        const int shared = (tiles - whole) * steps;
        each = shared / gridDim.x, over = shared % gridDim.x;
        at = begin(blockIdx.x), end = begin(blockIdx.x + 1);
    }
    __device__ __forceinline__ int begin(int block) const { return block * each + min(block, over); }
    __device__ __forceinline__ int owner(int step) const { // the block that has the shared step
        return step < over * (each + 1) ? step / (each + 1) : over + (step - over * (each + 1)) / each;
    }
    __device__ __forceinline__ bool take() { // the next tile or part; false: there is none
        if (SHARE && at < end) {
            tile = whole + at / steps, first = at % steps, last = min(steps, first + end - at);
            at += last - first;
            return true;
        }
        tile = next, first = 0, last = steps, next += gridDim.x;
        return tile < whole;
    }
    __device__ __forceinline__ bool is_part() const { return SHARE && last - first < steps; }
};

// Sums of parts: of each block two, for an H200. How many parts of a tile are there.
template <int DOUBLES>
__device__ double2 partial_sums[DOUBLES / 2];
template <int TILES>
__device__ unsigned parts_done[TILES];

// Two doubles that lie beside each other in shared memory.
__device__ __forceinline__ void read2(double& first, double& second, unsigned at) {
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(first), "=d"(second) : "r"(at) : "memory");
}

// c[16][8] += b[16][16] * a[16][8]. A lane has of b row lane / 4 and eight further (i % 2) at k = lane % 4 + i / 2 * 4, of a the same k at
// column lane / 4, of c the same rows (i / 2) at columns lane % 4 * 2 and the next (i % 2).
__device__ __forceinline__ void multiply(double (&c)[4], const double (&b)[8], const double (&a)[4]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
                 "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]), "d"(b[4]), "d"(b[5]), "d"(b[6]), "d"(b[7]), "d"(a[0]), "d"(a[1]), "d"(a[2]),
                   "d"(a[3]));
}

// Two neighbouring sums become elements of C. As in BLAS, C is not read when beta is 0: it may hold anything, NaN included.
__device__ __forceinline__ void finish2(double* C, int M, int N, int row, int column, double alpha, double left, double right, double beta) {
    if (row >= M || column >= N) return;
    double* c = C + (size_t)row * N + column;
    if (N % 2 == 0) {
        double2 v = make_double2(alpha * left, alpha * right);
        if (beta != 0) {
            const double2 old = *reinterpret_cast<const double2*>(c);
            v.x = fma(beta, old.x, v.x), v.y = fma(beta, old.y, v.y);
        }
        *reinterpret_cast<double2*>(c) = v;
    } else {
        c[0] = beta == 0 ? alpha * left : fma(beta, c[0], alpha * left);
        if (column + 1 < N) c[1] = beta == 0 ? alpha * right : fma(beta, c[1], alpha * right);
    }
}

// Leaves the sums of a part for others, or, where it is the last of its tile to be done, adds theirs: always in the order of k. True: the
// sums are those of the tile. `flag` is in shared memory.
template <int BM, int BN, int WM, int WN, class Work>
__device__ __forceinline__ bool complete(double (&sum)[WN / 16][WM / 8][4], const Work& work, unsigned* flag) {
    constexpr int THREADS = BM * BN / 64, SLOT = BM * BN / 2; // double2
    const auto meet = [] { asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory"); };
    const int start = (work.tile - work.whole) * work.steps, first = work.owner(start), last = work.owner(start + work.steps - 1);
    const auto slot = [&](int block) { // a block's second part is the beginning of a tile, its first is not, or is all it has
        return partial_sums<2 * 132 * 128 * 128> + (size_t)(block * 2 + (work.begin(block) < start)) * SLOT + threadIdx.x;
    };
    const auto each_pair = [&](auto visit) {
#pragma unroll
        for (int i = 0; i < WM * WN / 64; ++i) {
            double* pair = &sum[i / (WM / 4)][i / 2 % (WM / 8)][i % 2 * 2];
            visit(i * THREADS, pair[0], pair[1]);
        }
    };
    double2* mine = slot(blockIdx.x);
    each_pair([&](int at, double& x, double& y) { mine[at] = make_double2(x, y); });
    __threadfence();
    meet();
    unsigned* done = parts_done<2 * 132> + (work.tile - work.whole);
    if (threadIdx.x == 0) *flag = atomicAdd(done, 1) == last - first;
    meet();
    const bool is_last = *flag;
    meet(); // the flag may change
    if (!is_last) return false;
    __threadfence();
    each_pair([&](int, double& x, double& y) { x = y = 0; });
#pragma unroll 1
    for (int block = first; block <= last; ++block) {
        const double2* part = slot(block);
        each_pair([&](int at, double& x, double& y) {
            const double2 more = __ldcg(part + at);
            x += more.x, y += more.y;
        });
    }
    if (threadIdx.x == 0) *done = 0; // for the next launch
    return true;
}

// C[M][N] = alpha * A[M][K] * B[K][N] + beta * C[M][N], all row-major.
//
// A stage of the ring:  A's box [BM][16], then BN / 16 boxes [16][16] of B.
template <int BM, int BN, int STAGES, int BAND, int SHARE, int SMS>
__global__ void __launch_bounds__(BM * BN / 64 + 128, BM * BN == 8192 ? 2 : 1)
dgemm_persistent(int M, int N, int K, double alpha, const double* A, const double* B, double beta, double* C,
                 const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map) {
    constexpr int BK = 16, WM = 32, WN = 64, WARPS = BM / WM * (BN / WN), PER_SM = BM * BN == 8192 ? 2 : 1;
    constexpr int A_BYTES = BM * 128, BOX = BK * 128, STAGE = A_BYTES + BN / 16 * BOX;
    extern __shared__ __align__(1024) unsigned char ring[]; // STAGES stages, their barriers, a flag

    const unsigned base = (unsigned)__cvta_generic_to_shared(ring);
    const auto full = [&](int stage) { return Mbarrier{base + STAGES * STAGE + stage * 16}; };
    const auto empty = [&](int stage) { return Mbarrier{base + STAGES * STAGE + stage * 16 + 8}; };
    const bool by_hand = K % 2 != 0 || N % 2 != 0; // TMA cannot read these rows; then every thread arrives for itself
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) full(s).init(by_hand ? 128 : 1), empty(s).init(by_hand ? WARPS * 32 : WARPS);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); // for TMA to see
    }
    __syncthreads();

    Work<SHARE> work(((M + BM - 1) / BM) * ((N + BN - 1) / BN), (K + BK - 1) / BK);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row0, column0;        // the tile of C starts here
    int stage = 0, phase = 0; // the phase turns each time around the ring, which knows no tiles of C
    const auto next_stage = [&] {
        if (++stage == STAGES) stage = 0, phase ^= 1;
    };

    if (warp >= WARPS) { // the producer
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers<WARPS / 4, PER_SM>::PRODUCER));
        if (!by_hand && threadIdx.x % 128 != 0) return;
#pragma unroll 1
        while (work.take()) {
            find_tile<BM, BN, BAND>(work.tile, M, N, row0, column0);
#pragma unroll 1
            for (int step = work.first; step < work.last; ++step, next_stage()) {
                empty(stage).wait(phase ^ 1); // a new barrier is past its phase 1: the first time around nobody waits
                if (by_hand) {
                    unsigned char* to = ring + stage * STAGE;
                    copy_by_hand<BM>(to, A, M, K, row0, step * BK);
                    for (int j = 0; j < BN / 16; ++j) copy_by_hand<BK>(to + A_BYTES + j * BOX, B, K, N, step * BK, column0 + j * 16);
                    full(stage).arrive();
                } else {
                    const unsigned to = base + stage * STAGE;
                    full(stage).arrive_and_expect(STAGE);
                    copy_box(to, a_map, row0, step * BK, full(stage));
#pragma unroll 1
                    for (int j = 0; j < BN / 16; ++j) copy_box(to + A_BYTES + j * BOX, b_map, step * BK, column0 + j * 16, full(stage));
                }
            }
        }
        return;
    }

    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers<WARPS / 4, PER_SM>::CONSUMER));
    // Of every eight k a lane's are 2t and 2t + 1, of every 16 columns 2g and 2g + 1, of every eight rows `row`: swizzled, the 16 bytes
    // that the lanes of a quarter warp read are in different banks, of A as of B.
    const int g = lane / 4, t = lane % 4, row = g % 2 * 4 + g / 2;
    const int my_row = warp / (BN / WN) * WM, my_column = warp % (BN / WN) * WN;
    const unsigned my_a = base + (my_row + row) * 128 + (t ^ row) * 16; // of k 8 to 15 it is 64 bytes away, up or down
    const unsigned my_b = base + A_BYTES + my_column / 16 * BOX + t * 256 + (g ^ t * 2) * 16, odd_b = 128 + ((g ^ t * 2 + 1) - (g ^ t * 2)) * 16;
    double a[WM / 8][4], b[2][8]; // of all rows; of 16 columns and the next
    const auto read_a = [&](int from_stage, int i) {
        const unsigned at = my_a + from_stage * STAGE + i * 1024;
        read2(a[i][0], a[i][1], at), read2(a[i][2], a[i][3], at ^ 64);
    };
    const auto read_b = [&](int from_stage, int j) {
        const unsigned at = my_b + from_stage * STAGE + j * BOX;
#pragma unroll
        for (int k = 0; k < BK; k += 8) {
            read2(b[j % 2][k / 2], b[j % 2][k / 2 + 1], at + k * 128);
            read2(b[j % 2][k / 2 + 2], b[j % 2][k / 2 + 3], at + k * 128 + odd_b);
        }
    };

#pragma unroll 1
    while (work.take()) {
        double sum[WN / 16][WM / 8][4] = {};
        full(stage).wait(phase);
#pragma unroll
        for (int i = 0; i < WM / 8; ++i) read_a(stage, i);
        read_b(stage, 0);
#pragma unroll 1
        for (int step = work.first; step < work.last; ++step) {
            const int here = stage;
            const bool more = step + 1 < work.last;
            next_stage();
#pragma unroll
            for (int j = 0; j < WN / 16; ++j) { // what comes next is read while this is multiplied
                const bool last = j + 1 == WN / 16;
                if (last && more) full(stage).wait(phase);
                if (!last) read_b(here, j + 1);
                else if (more) read_b(stage, 0);
#pragma unroll
                for (int i = 0; i < WM / 8; ++i) {
                    multiply(sum[j][i], b[j % 2], a[i]);
                    if (last && more) read_a(stage, i);
                }
            }
            __syncwarp(); // what this warp has read of the stage is in registers: it was multiplied
            if (by_hand || lane == 0) empty(here).arrive();
        }

        if (work.is_part() && !complete<BM, BN, WM, WN>(sum, work, reinterpret_cast<unsigned*>(ring + STAGES * (STAGE + 16)))) continue;

        find_tile<BM, BN, BAND>(work.tile, M, N, row0, column0);
#pragma unroll
        for (int j = 0; j < WN / 16; ++j)
#pragma unroll
            for (int i = 0; i < WM / 8; ++i)
#pragma unroll
                for (int h = 0; h < 2; ++h) // rows t and t + 4 of eight
                    finish2(C, M, N, row0 + my_row + i * 8 + t + h * 4, column0 + my_column + j * 16 + g * 2, alpha, sum[j][i][h],
                            sum[j][i][h + 2], beta);
    }
}
