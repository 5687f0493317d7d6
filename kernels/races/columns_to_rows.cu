/* gemmscope
family = "races"
rung = 9
provenance = "this program"
operation = "add_one"
title = { en = "Columns to rows", zh = "列变成行" }
idea = { en = "A block stores 8 x 16 elements column by column, then reads them back.", zh = "线程块把 8 x 16 个元素按列写入，再读回来。" }
look = { view = "shared", en = "Every word of s holds an element of its own.", zh = "s 的每个字里都有自己的一个元素。" }
story = { en = """
A block stages 8 rows of 16 elements, column after column, and reads them back from the same words.
The word of an element is computed from its number. As long as no two elements share a word, one barrier is enough.
Find the line, or the two lines, where two threads access one word with nothing to order them.
""", zh = """
线程块读入 8 行、每行 16 个元素，按列依次写入，再从同样的字读回来。
元素的字由编号算出；只要没有两个元素共用一个字，一个屏障就够了。
请找出两个线程访问同一个字、却没有先后保证的一行或两行。
""" }

[[break]]
name = "fifteen"
label = { en = "Fifteen of 128 elements are wrong", zh = "128 个元素中有 15 个不对" }
look = { en = "A column is 8 words long, but columns start 7 words apart: two threads store different values in one word.", zh = "一列有 8 个字，却只隔 7 个字就开始下一列：两个线程往同一个字写不同的值。" }
finding = "shared_race"
find = 'e % 16 * 8 + e / 16'
replace = 'e % 16 * 7 + e / 16'

[launch]
block = ["128"]
grid = ["ceil_div(M * N, 128)"]
*/

// C[i] = A[i] + 1 over all M * N elements, 128 to a block.
__global__ void columns_to_rows(int M, int N, const float* A, float* C) {
    __shared__ float s[128];
    const size_t count = (size_t)M * N, first = (size_t)blockIdx.x * 128;
    const int t = threadIdx.x, opposite = 127 - t;
    const auto place = [](int e) { return e % 16 * 8 + e / 16; };

    s[place(t)] = first + t < count ? A[first + t] : 0;
    __syncthreads();
    if (first + opposite < count) C[first + opposite] = s[place(opposite)] + 1;
}
