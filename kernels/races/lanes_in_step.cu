/* gemmscope
family = "races"
rung = 10
provenance = "this program"
operation = "add_one"
title = { en = "Lanes in step", zh = "齐步走的 lane" }
idea = { en = "Each warp permutes its own 32 elements without a block barrier.", zh = "每个 warp 重排自己的 32 个元素，不用线程块的屏障。" }
look = { view = "shared", en = "No word of s is used by two warps.", zh = "s 里没有一个字被两个 warp 使用。" }
story = { en = """
Each warp has 32 words of shared memory of its own. A lane stores an element, reads the one opposite and stores it where its neighbour stored.
No other warp accesses these words, so the block needs no barrier. But since Volta, the lanes of a warp need not run in lockstep.
Find the two lines that access the same words with nothing to order them.
""", zh = """
每个 warp 有自己的 32 个字：lane 写入一个元素，读取对面的那个，再写到邻居写过的字里。
别的 warp 不访问这些字，所以线程块不需要屏障。可是从 Volta 起，同一 warp 的 lane 不保证齐步走。
请找出访问相同的字、却没有先后保证的两行。
""" }

[[break]]
name = "next_compiler"
label = { en = "Wrong with the next compiler", zh = "换个编译器就出错" }
look = { en = "Without __syncwarp() nothing orders the second store of a lane before its neighbour's load.", zh = "没有 __syncwarp()，一个 lane 的第二次写入与邻居的读取之间就没有先后保证。" }
finding = "shared_race"
find = '''
        __syncwarp();
        const size_t mine'''
replace = '''

        const size_t mine'''

[launch]
block = ["128"]
grid = ["ceil_div(M * N, 512)"]
*/

// C[i] = A[i] + 1 over all M * N elements, 128 to a warp.
__global__ void lanes_in_step(int M, int N, const float* A, float* C) {
    __shared__ float s[4][32];
    const size_t count = (size_t)M * N;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t first = (size_t)blockIdx.x * 512 + warp * 128;

    for (size_t i = first; i < first + 128; i += 32) {
        s[warp][lane] = i + lane < count ? A[i + lane] : 0;
        __syncwarp();
        const float taken = s[warp][31 - lane];
        __syncwarp();
        s[warp][lane ^ 1] = taken + 1;
        __syncwarp();
        const size_t mine = i + 31 - (lane ^ 1);
        if (mine < count) C[mine] = s[warp][lane];
        __syncwarp();
    }
}
