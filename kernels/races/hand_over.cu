/* gemmscope
family = "races"
rung = 20
provenance = "this program"
operation = "add_one"
arch = "sm_90"
title = { en = "Handing over", zh = "交接" }
idea = { en = "A producer warp fills a tile, four consumer warps empty it; two mbarriers synchronize them.", zh = "一个生产者 warp 填充分块，四个消费者 warp 取空它，用两个 mbarrier 同步。" }
look = { view = "timeline", en = "Producer and consumers take turns: full, empty, full, empty.", zh = "生产者与消费者轮流：满、空、满、空。" }
story = { en = """
One tile of 128 words is filled four times and emptied four times. "full" completes a phase when 32 producer threads have arrived, "empty"
when 128 consumer threads have. A thread that waits names the parity of that phase: 0, 1, 0, 1.
Find the two lines that access the same words with nothing to order them.
""", zh = """
一个 128 字的分块被填充四次、取空四次。32 个生产者线程到达，full 完成一个阶段；128 个消费者线程到达，empty 完成一个阶段。
等待者要指明所等阶段的奇偶位：0、1、0、1。
请找出访问相同的字、却没有先后保证的两行。
""" }

[[break]]
name = "slow_warps"
label = { en = "Slow warps get the next tile", zh = "慢的 warp 得到了下一块" }
look = { en = "Consumers arrive at \"empty\" before they have read: the producer may fill the tile in the meantime.", zh = "消费者还没读就到达了 empty：生产者可能趁机填充。" }
finding = "shared_race"
find = '''
            if (i < count) C[i] = s[159 - t] + 1;
            arrive(&empty);'''
replace = '''
            arrive(&empty);
            if (i < count) C[i] = s[159 - t] + 1;'''

[launch]
block = ["160"]
grid = ["ceil_div(M * N, 512)"]
*/

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void begin(size_t* barrier, int arrivals) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(barrier)), "r"(arrivals) : "memory"); }
__device__ void arrive(size_t* barrier) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at(barrier)) : "memory"); }
__device__ void wait(size_t* barrier, int parity) { // until the phase of that parity is complete
    for (int over = 0; over == 0;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                     : "=r"(over) : "r"(at(barrier)), "r"(parity) : "memory");
}

// C[i] = A[i] + 1 over all M * N elements, four tiles of 128 to a block. The first warp produces, the others consume.
__global__ void hand_over(int M, int N, const float* A, float* C) {
    __shared__ float s[128];
    __shared__ size_t full, empty;
    const size_t count = (size_t)M * N;
    const int t = threadIdx.x;

    if (t == 0) begin(&full, 32), begin(&empty, 128);
    __syncthreads();
    for (int tile = 0; tile < 4; ++tile) {
        const size_t first = (size_t)blockIdx.x * 512 + tile * 128;
        if (t < 32) {
            wait(&empty, (tile + 1) % 2);
            for (int e = t; e < 128; e += 32) s[e] = first + e < count ? A[first + e] : 0;
            arrive(&full);
        } else {
            const size_t i = first + 159 - t;
            wait(&full, tile % 2);
            if (i < count) C[i] = s[159 - t] + 1;
            arrive(&empty);
        }
    }
}
