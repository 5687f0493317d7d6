/* gemmscope
family = "races"
rung = 16
provenance = "this program"
operation = "add_one"
title = { en = "From block to block", zh = "从线程块到线程块" }
idea = { en = "Blocks work in pairs: one copies and raises a flag, then the other adds one.", zh = "线程块两两合作：一个拷贝并举起标志，另一个随后加一。" }
look = { view = "timeline", en = "The second block of a pair spins on the flag of the first.", zh = "每对中的第二个线程块在自旋，等第一个的标志。" }
story = { en = """
Sixteen blocks form eight pairs. The first of a pair copies its share of A to C and then raises a flag.
The second waits for the flag and adds one to each of these elements.
Find the two lines that access the same elements of C with nothing to order them.
""", zh = """
十六个线程块组成八对。每对的第一个把自己那份 A 拷贝到 C，然后举起标志。
第二个等到标志，给这些元素各加一。
请找出访问 C 的相同元素、却没有先后保证的两行。
""" }

[[break]]
name = "still_old"
label = { en = "The flag is up, and C is still old", zh = "标志举起了，C 还是旧的" }
look = { en = "Without __threadfence() the flag may become visible before the elements that it announces.", zh = "没有 __threadfence()，标志可能先于它所宣告的元素变得可见。" }
finding = "global_race"
find = '''
        __threadfence();
        __syncthreads();
        if (t == 0) atomicExch'''
replace = '''

        __syncthreads();
        if (t == 0) atomicExch'''

[launch]
block = ["128"]
grid = ["16"]
*/

__device__ unsigned copied[8]; // by the pair: 1 once its elements are in C, 0 before and after each launch

// C[i] = A[i] + 1 over all M * N elements; a pair of blocks takes every eighth piece of 128.
__global__ void block_to_block(int M, int N, const float* A, float* C) {
    const size_t count = (size_t)M * N;
    const int pair = blockIdx.x / 2, t = threadIdx.x;

    if (blockIdx.x % 2 == 0) {
        for (size_t i = pair * 128 + t; i < count; i += 8 * 128) C[i] = A[i];
        __threadfence();
        __syncthreads();
        if (t == 0) atomicExch(&copied[pair], 1);
    } else {
        if (t == 0)
            while (atomicCAS(&copied[pair], 1, 0) == 0) {}
        __threadfence();
        __syncthreads();
        for (size_t i = pair * 128 + t; i < count; i += 8 * 128) C[i] += 1;
    }
}
