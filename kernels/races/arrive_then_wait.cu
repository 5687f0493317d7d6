/* gemmscope
family = "races"
rung = 19
provenance = "this program"
operation = "add_one"
arch = "sm_90"
title = { en = "Arrive, then wait", zh = "先到达，再等待" }
idea = { en = "An mbarrier splits a barrier in two: a thread arrives, does other work, and waits later.", zh = "mbarrier 把屏障一分为二：线程先到达，做别的事，再等待。" }
look = { view = "timeline", en = "Between arriving and waiting, no warp is held up.", zh = "到达与等待之间，没有 warp 被拦住。" }
story = { en = """
A thread stores its element of a tile, arrives at an mbarrier, computes an address, and only then waits for the others.
A phase completes when all 128 threads have arrived. A thread that waits names the parity of the phase: 0, then 1. Each tile has its own buffer.
Find the two lines that access the same words with nothing to order them.
""", zh = """
线程写入分块里自己的元素，到达 mbarrier，算好地址，然后才等别人。
128 个线程全部到达，一个阶段就结束；等待者要指明所等阶段的奇偶位：先 0 后 1。每个分块各有自己的缓冲区。
请找出访问相同的字、却没有先后保证的两行。
""" }

[[break]]
name = "hangs"
label = { en = "Right at first, then it hangs", zh = "开头正确，随后卡死" }
look = { en = "The parity never changes: at the second tile, early warps pass at once, and the last one waits forever.", zh = "奇偶位从不翻转：到第二块时，早到的 warp 直接放行，最后一个永远等下去。" }
finding = ["shared_race", "mbarrier_misuse"]
find = 'wait(&stored, tile % 2);'
replace = 'wait(&stored, 0);'

[launch]
block = ["128"]
grid = ["ceil_div(M * N, 256)"]
*/

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void begin(size_t* barrier, int arrivals) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(barrier)), "r"(arrivals) : "memory"); }
__device__ void arrive(size_t* barrier) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at(barrier)) : "memory"); }
__device__ void wait(size_t* barrier, int parity) { // until the phase of that parity is complete
    for (int over = 0; over == 0;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                     : "=r"(over) : "r"(at(barrier)), "r"(parity) : "memory");
}

// C[i] = A[i] + 1 over all M * N elements, two tiles of 128 to a block.
__global__ void arrive_then_wait(int M, int N, const float* A, float* C) {
    __shared__ float s[2][128];
    __shared__ size_t stored;
    const size_t count = (size_t)M * N, first = (size_t)blockIdx.x * 256;
    const int t = threadIdx.x, opposite = 127 - t;

    if (t == 0) begin(&stored, 128);
    __syncthreads();
    for (int tile = 0; tile < 2; ++tile) {
        const size_t mine = first + tile * 128 + t;
        s[tile][t] = mine < count ? A[mine] : 0;
        arrive(&stored);
        const size_t i = first + tile * 128 + opposite;
        wait(&stored, tile % 2);
        if (i < count) C[i] = s[tile][opposite] + 1;
    }
}
