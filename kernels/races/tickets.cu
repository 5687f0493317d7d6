/* gemmscope
family = "races"
rung = 8
provenance = "this program"
operation = "add_one"
title = { en = "Tickets", zh = "取号" }
idea = { en = "A counter in shared memory tells each warp which piece to finish next.", zh = "各 warp 从共享内存里的计数器取号，决定接下来完成哪一段。" }
look = { view = "timeline", en = "Which warp finishes how many pieces depends on their order; C does not.", zh = "哪个 warp 完成几段取决于先后，C 却不受影响。" }
story = { en = """
A block has 512 elements in 16 pieces. A warp draws a ticket with an atomic operation, finishes that piece and draws again.
Tickets come from one word that starts at zero.
Find the two lines that access this word with nothing to order them.
""", zh = """
一个线程块有 512 个元素，分成 16 段。warp 用原子操作取一个号，完成那一段，再取下一个。
号码来自同一个从零开始的字。
请找出访问这个字、却没有先后保证的两行。
""" }

[[break]]
name = "pieces_missing"
label = { en = "Some pieces of C are never written", zh = "C 的某些段从未写入" }
look = { en = "Nothing makes the other warps wait until the counter is zero: they draw from the value that it held.", zh = "没有什么让别的 warp 等计数器清零：它们从原来的任意值取号。" }
finding = "shared_race"
find = '''
    __syncthreads();
    while (true) {'''
replace = '''

    while (true) {'''

[launch]
block = ["128"]
grid = ["ceil_div(M * N, 512)"]
*/

// C[i] = A[i] + 1 over all M * N elements, 512 to a block.
__global__ void tickets(int M, int N, const float* A, float* C) {
    __shared__ int next;
    const size_t count = (size_t)M * N, first = (size_t)blockIdx.x * 512;
    const int lane = threadIdx.x % 32;

    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    while (true) {
        int piece = 0;
        if (lane == 0) piece = atomicAdd(&next, 1);
        piece = __shfl_sync(~0u, piece, 0);
        if (piece >= 16) break;
        const size_t i = first + piece * 32 + lane;
        if (i < count) C[i] = A[i] + 1;
    }
}
