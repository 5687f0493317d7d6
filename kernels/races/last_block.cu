/* gemmscope
family = "races"
rung = 14
provenance = "this program"
operation = "add_one"
title = { en = "The last block", zh = "最后一个线程块" }
idea = { en = "Every block copies its piece, and the one that finishes last adds one to them all.", zh = "每个线程块拷贝自己的一段，最后完成的那个给全部元素加一。" }
look = { view = "timeline", en = "The last block does all the additions; the others have long ended.", zh = "加法全由最后一个线程块做，其余早已结束。" }
story = { en = """
Each block copies its piece of A to C and increments a counter. The block that finds itself last adds one to every element.
The counter says that the others are done; their stores must be visible by then, too.
Find the two lines that access the same elements of C with nothing to order them.
""", zh = """
每个线程块把 A 的一段拷贝到 C，然后给计数器加一。发现自己是最后一个的线程块，给每个元素加一。
计数器说明别人已经做完；到那时，它们写入的内容也必须可见。
请找出访问 C 的相同元素、却没有先后保证的两行。
""" }

[[break]]
name = "old_elements"
label = { en = "Once in a while C has old elements", zh = "C 里偶尔残留旧值" }
look = { en = "There is no __threadfence() between the stores and the counter: others may see the count before the stores.", zh = "写入与计数之间没有 __threadfence()：别人可能先看到计数，后看到数据。" }
finding = "global_race"
when = "M * N > 128"
find = '''
    __threadfence();
    __syncthreads();'''
replace = '''

    __syncthreads();'''

[[break]]
name = "new_gpu"
label = { en = "Old elements, on newer GPUs only", zh = "只在较新的 GPU 上残留旧值" }
look = { en = "The fence comes before the store that it should make visible.", zh = "栅栏写在了写入之前，而它本该保证这次写入可见。" }
finding = "global_race"
when = "M * N > 128"
find = '''
    if (i < count) C[i] = A[i];
    __threadfence();'''
replace = '''
    __threadfence();
    if (i < count) C[i] = A[i];'''

[launch]
block = ["128"]
grid = ["ceil_div(M * N, 128)"]
*/

__device__ unsigned done; // blocks that have copied, 0 before and after each launch

// C[i] = A[i] + 1 over all M * N elements, 128 to a block.
__global__ void last_block(int M, int N, const float* A, float* C) {
    __shared__ bool last;
    const size_t count = (size_t)M * N, i = (size_t)blockIdx.x * 128 + threadIdx.x;

    if (i < count) C[i] = A[i];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;

    __threadfence();
    for (size_t e = threadIdx.x; e < count; e += 128) C[e] += 1;
}
