/* gemmscope
family = "races"
rung = 11
provenance = "this program"
operation = "add_one"
title = { en = "Two buffers, one barrier", zh = "两个缓冲区，一个屏障" }
idea = { en = "Tiles alternate between two buffers, so that one barrier for each tile is enough.", zh = "分块轮流使用两个缓冲区，每个分块只需一个屏障。" }
look = { view = "timeline", en = "A fast warp stores the next tile while slow warps still read this one.", zh = "快的 warp 写入下一个分块时，慢的 warp 还在读这一个。" }
story = { en = """
A block processes eight tiles of 128 elements. It stores a tile in a buffer, passes a barrier and reads the tile.
A fast warp may store the next tile before slow warps have read this one, and no barrier prevents it.
Find the two lines that access the same words with nothing to order them.
""", zh = """
一个线程块依次处理八个分块，每块 128 个元素：写入缓冲区，过屏障，再读取。
较慢的 warp 还没读完这一块时，快的 warp 就可能写入下一块，没有屏障阻止它。
请找出访问相同的字、却没有先后保证的两行。
""" }

[[break]]
name = "every_second"
label = { en = "Tiles hold elements of the next", zh = "分块里混进下一块的元素" }
look = { en = "The buffers alternate only every second tile, so a tile overwrites the one that slow warps still read.", zh = "缓冲区每两个分块才换一次：后一块覆盖了慢 warp 还在读的前一块。" }
finding = "shared_race"
find = 's[tile % 2]'
replace = 's[tile / 2 % 2]'

[launch]
block = ["128"]
grid = ["ceil_div(M * N, 1024)"]
*/

// C[i] = A[i] + 1 over all M * N elements, eight tiles of 128 to a block.
__global__ void alternating_buffers(int M, int N, const float* A, float* C) {
    __shared__ float s[2][128];
    const size_t count = (size_t)M * N;
    const int t = threadIdx.x, opposite = 127 - t;

    for (int tile = 0; tile < 8; ++tile) {
        const size_t first = blockIdx.x * (size_t)1024 + tile * 128;
        float* buffer = s[tile % 2];
        buffer[t] = first + t < count ? A[first + t] : 0;
        __syncthreads();
        if (first + opposite < count) C[first + opposite] = buffer[opposite] + 1;
    }
}
