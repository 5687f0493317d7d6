/* gemmscope
family = "races"
rung = 6
provenance = "this program"
operation = "add_one"
title = { en = "Rows of a tile", zh = "分块的各行" }
idea = { en = "Warps load a tile of four rows, then finish it row by row.", zh = "各 warp 读入四行的分块，再逐行完成。" }
look = { view = "shared", en = "Which words of the tile have been written before the first is read.", zh = "读第一个字之前，分块里哪些字已经写好。" }
story = { en = """
Three warps load a tile of 4 x 96 elements: each warp takes 32 columns of every row. Then each thread finishes the four elements of another
warp's column. One loop over rows comes before the barrier and one after it. Both must cover the same rows.
Find the line that reads words it must not read.
""", zh = """
三个 warp 读入 4 x 96 个元素的分块，每个 warp 负责每行的 32 列。然后每个线程完成另一个 warp 那一列的四个元素。
屏障前后各有一个按行的循环，两者必须覆盖同样的行。
请找出读了不该读的字的那一行。
""" }

[[break]]
name = "garbage_row"
label = { en = "The last row of a tile is garbage", zh = "每个分块的最后一行是垃圾值" }
look = { en = "The first loop ends one row too early: the fourth row is read, but never stored.", zh = "前一个循环少走一行：第四行被读取，却从未写入。" }
finding = "uninitialised_shared"
find = 'row < 4; ++row) tile'
replace = 'row < 3; ++row) tile'

[[break]]
name = "wrong_beginning"
label = { en = "Tiles may begin with wrong elements", zh = "有些分块开头的元素可能不对" }
look = { en = "The second loop covers a fifth row: it reads past the end of the array and stores in the next block's rows.", zh = "后一个循环走到了第五行：读取越出数组，又写进下一个线程块的行。" }
finding = ["out_of_bounds", "global_race"]
when = "M * N > 384"
find = 'row < 4; ++row) {'
replace = 'row <= 4; ++row) {'

[launch]
block = ["96"]
grid = ["ceil_div(M * N, 384)"]
*/

// C[i] = A[i] + 1 over all M * N elements, in tiles of 4 x 96.
__global__ void rows_of_a_tile(int M, int N, const float* A, float* C) {
    __shared__ float tile[4][96];
    const size_t count = (size_t)M * N, first = (size_t)blockIdx.x * 384;
    const int t = threadIdx.x, other = (t + 32) % 96;

    for (int row = 0; row < 4; ++row) tile[row][t] = first + row * 96 + t < count ? A[first + row * 96 + t] : 0;
    __syncthreads();
    for (int row = 0; row < 4; ++row) {
        const size_t i = first + row * 96 + other;
        if (i < count) C[i] = tile[row][other] + 1;
    }
}
