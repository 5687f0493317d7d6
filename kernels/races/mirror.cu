/* gemmscope
family = "races"
rung = 1
provenance = "this program"
operation = "add_one"
title = { en = "Mirror", zh = "镜像" }
idea = { en = "Each thread stages one element in shared memory and finishes the element opposite.", zh = "每个线程把一个元素放进共享内存，再完成对面的那个元素。" }
look = { view = "shared", en = "Which warp stores each word of s, and which one loads it.", zh = "s 的每个字由哪个 warp 写入，又由哪个读取。" }
story = { en = """
A block stages 128 elements of A in shared memory. Then each thread adds one to the element opposite its own and stores it in C.
So every word of s has two users: one thread stores it, one at the other end of the block loads it.
Find the two lines that access the same words with nothing to order them.
""", zh = """
一个线程块把 A 的 128 个元素放进共享内存，随后每个线程取对面那个元素，加一后写入 C。
所以 s 的每个字都有两个使用者：一个线程写它，块另一端的一个线程读它。
请找出访问相同的字、却没有先后保证的两行。
""" }

[[break]]
name = "stale"
label = { en = "Some elements of C are garbage", zh = "C 里有些元素是垃圾值" }
look = { en = "Without a barrier between store and load, a warp reads words that another warp has not stored yet.", zh = "写入和读取之间没有屏障，warp 会读到别的 warp 尚未写入的字。" }
finding = "shared_race"
find = '''
    __syncthreads();
    if (first + opposite'''
replace = '''

    if (first + opposite'''

[launch]
block = ["128"]
grid = ["ceil_div(M * N, 128)"]
*/

// C[i] = A[i] + 1 over all M * N elements, 128 to a block.
__global__ void mirror(int M, int N, const float* A, float* C) {
    __shared__ float s[128];
    const size_t count = (size_t)M * N, first = (size_t)blockIdx.x * 128;
    const int t = threadIdx.x, opposite = 127 - t;

    if (first + t < count) s[t] = A[first + t];
    __syncthreads();
    if (first + opposite < count) C[first + opposite] = s[opposite] + 1;
}
