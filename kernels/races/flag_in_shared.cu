/* gemmscope
family = "races"
rung = 13
provenance = "this program"
operation = "add_one"
title = { en = "A flag in shared memory", zh = "共享内存里的标志" }
idea = { en = "One warp stores a tile and raises a flag; the others spin on it instead of waiting at a barrier.", zh = "一个 warp 写入分块后举起标志，其余 warp 自旋等待，代替屏障。" }
look = { view = "timeline", en = "Three warps spin until the flag of the first is up.", zh = "三个 warp 自旋，直到第一个 warp 的标志举起。" }
story = { en = """
The first warp stores 96 elements and then raises a flag. The other three warps spin on the flag, then finish the elements.
A flag is only as good as its order: the elements must be visible first, the flag after them.
Find the two lines that access the same words with nothing to order them.
""", zh = """
第一个 warp 写入 96 个元素，然后举起标志；另外三个 warp 自旋等待标志，再完成这些元素。
标志是否可靠，全看次序：元素必须先可见，标志在后。
请找出访问相同的字、却没有先后保证的两行。
""" }

[[break]]
name = "not_there"
label = { en = "The flag is up, the tile is old", zh = "标志举起了，分块还是旧的" }
look = { en = "Without __threadfence_block() the flag may become visible before the elements.", zh = "没有 __threadfence_block()，标志可能先于元素变得可见。" }
finding = "shared_race"
find = '''
        __threadfence_block();
        __syncwarp();'''
replace = '''

        __syncwarp();'''

[launch]
block = ["128"]
grid = ["ceil_div(M * N, 96)"]
*/

// C[i] = A[i] + 1 over all M * N elements, 96 to a block.
__global__ void flag_in_shared(int M, int N, const float* A, float* C) {
    __shared__ float s[96];
    __shared__ int ready;
    const size_t count = (size_t)M * N, first = (size_t)blockIdx.x * 96;
    const int t = threadIdx.x;

    if (t == 0) ready = 0;
    __syncthreads();
    if (t < 32) {
        for (int e = t; e < 96; e += 32) s[e] = first + e < count ? A[first + e] : 0;
        __threadfence_block();
        __syncwarp();
        if (t == 0) atomicExch(&ready, 1);
    } else {
        while (atomicAdd(&ready, 0) == 0) {}
        __threadfence_block();
        if (first + t - 32 < count) C[first + t - 32] = s[t - 32] + 1;
    }
}
