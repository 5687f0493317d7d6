/* gemmscope
family = "races"
rung = 12
provenance = "this program"
operation = "add_one"
title = { en = "The next piece, please", zh = "请取下一段" }
idea = { en = "A counter in global memory tells each block which piece to finish.", zh = "线程块从全局内存的计数器取得自己要完成的那一段。" }
look = { view = "map", en = "Pieces go to blocks in the order in which they ask.", zh = "哪个线程块先要，就先得到下一段。" }
story = { en = """
Blocks run in no particular order. Here each asks for its piece: it takes the next number from a counter that all blocks share.
After the last number, the counter returns to zero for the next launch.
Find the line, or the two lines, where two blocks access one word with nothing to order them.
""", zh = """
线程块的执行没有固定先后。这里每个线程块自己要一段：从大家共用的计数器取下一个号。
取到最后一个号后计数器归零，以备下次启动。
请找出两个线程块访问同一个字、却没有先后保证的一行或两行。
""" }

[[break]]
name = "twice"
label = { en = "Some pieces twice, some never", zh = "有的段做了两遍，有的没人做" }
look = { en = "Load, add and store are three steps: two blocks may load the same number.", zh = "读、加、写是三步：两个线程块可能读到同一个号。" }
finding = "global_race"
when = "M * N > 128"
find = 'mine = atomicInc(&next, gridDim.x - 1);'
replace = 'mine = next++ % gridDim.x;'

[launch]
block = ["128"]
grid = ["ceil_div(M * N, 128)"]
*/

__device__ unsigned next; // piece to be finished, 0 before and after each launch

// C[i] = A[i] + 1 over all M * N elements, 128 to a block.
__global__ void next_piece(int M, int N, const float* A, float* C) {
    __shared__ unsigned mine;

    if (threadIdx.x == 0) mine = atomicInc(&next, gridDim.x - 1);
    __syncthreads();
    const size_t i = (size_t)mine * 128 + threadIdx.x;
    if (i < (size_t)M * N) C[i] = A[i] + 1;
}
