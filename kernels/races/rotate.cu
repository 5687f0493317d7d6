/* gemmscope
family = "races"
rung = 7
provenance = "this program"
operation = "add_one"
title = { en = "Rotate in place", zh = "就地轮转" }
idea = { en = "The elements of a block move up by one place, in the same array.", zh = "块内的元素在同一个数组里各前移一位。" }
look = { view = "shared", en = "Every word of s is stored twice and loaded twice.", zh = "s 的每个字写入两次，读取两次。" }
story = { en = """
A block stages 128 elements, then moves each up by one place and adds one. Neighbouring threads share words: each overwrites the word that
the thread before it reads. At the end of a warp, the neighbour belongs to another warp.
Find the two lines that access the same words with nothing to order them.
""", zh = """
线程块读入 128 个元素，再把每个元素前移一位并加一。相邻线程共用一个字：每个线程覆盖的，正是前一个线程要读的。
到了 warp 的边界，邻居就属于另一个 warp。
请找出访问相同的字、却没有先后保证的两行。
""" }

[[break]]
name = "one_in_32"
label = { en = "One element in 32 is wrong", zh = "每 32 个元素中有一个不对" }
look = { en = "Nothing separates the load from the second store: a neighbouring warp may overwrite the word first.", zh = "读取与第二次写入之间没有屏障：相邻的 warp 可能抢先覆盖了那个字。" }
finding = "shared_race"
find = '''
    __syncthreads();
    s[t] = taken + 1;'''
replace = '''

    s[t] = taken + 1;'''

[launch]
block = ["128"]
grid = ["ceil_div(M * N, 128)"]
*/

// C[i] = A[i] + 1 over all M * N elements, 128 to a block.
__global__ void rotate(int M, int N, const float* A, float* C) {
    __shared__ float s[128];
    const size_t count = (size_t)M * N, first = (size_t)blockIdx.x * 128;
    const int t = threadIdx.x, next = (t + 1) % 128;

    s[t] = first + t < count ? A[first + t] : 0;
    __syncthreads();
    const float taken = s[next];
    __syncthreads();
    s[t] = taken + 1;
    __syncthreads();
    if (first + t < count) C[first + t] = s[(t + 127) % 128];
}
