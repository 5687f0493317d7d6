/* gemmscope
family = "races"
rung = 17
provenance = "this program"
operation = "add_one"
title = { en = "Copies in flight", zh = "在途的拷贝" }
idea = { en = "While a tile is finished, cp.async copies the next one.", zh = "完成一个分块的同时，下一个正由 cp.async 送来。" }
look = { view = "shared", en = "Which of the two buffers is in flight, and which one is read.", zh = "两个缓冲区里哪个在途，哪个正被读取。" }
story = { en = """
Every thread copies its element of the next tile asynchronously, commits the copy as a group, and then waits for the tile before.
After a barrier, it finishes the opposite element, which another thread has copied. At most one group may stay in flight then.
Find the line that copies and the line that reads the copied data, with nothing to order them.
""", zh = """
每个线程异步拷贝下一个分块里自己的元素，提交为一组，再等上一个分块到齐。
过了屏障，它完成对面的元素，那是别的线程拷贝来的。这时最多只能有一组在途。
请找出拷贝的那一行和读取其数据的那一行，二者之间没有先后保证。
""" }

[[break]]
name = "busy_gpu"
label = { en = "Wrong on a busy GPU only", zh = "只有 GPU 繁忙时才出错" }
look = { en = "The wait allows two groups in flight, so the tile that is read may still be one of them.", zh = "等待时允许两组在途，要读的分块可能就在其中。" }
finding = ["unwaited_async_copy", "shared_race"]
find = 'wait_group 1;'
replace = 'wait_group 2;'

[[break]]
name = "old_elements"
label = { en = "Elements of an earlier tile in C", zh = "C 里混进更早分块的元素" }
look = { en = "A thread waits for its own copies only: without the barrier nothing says that the others' have arrived.", zh = "线程只等自己的拷贝：没有屏障，就不知道别人的是否到齐。" }
finding = ["shared_race", "unwaited_async_copy"]
find = '''
        __syncthreads();
        const size_t i'''
replace = '''

        const size_t i'''

[launch]
block = ["128"]
grid = ["ceil_div(M * N, 512)"]
*/

// C[i] = A[i] + 1 over all M * N elements, four tiles of 128 to a block.
__global__ void copies_in_flight(int M, int N, const float* A, float* C) {
    __shared__ float s[2][128];
    const size_t count = (size_t)M * N, first = (size_t)blockIdx.x * 512;
    const int t = threadIdx.x, opposite = 127 - t;

    for (int tile = 0; tile <= 4; ++tile) {
        const size_t from = first + tile * 128 + t;
        const unsigned to = (unsigned)__cvta_generic_to_shared(&s[tile % 2][t]);
        if (tile < 4 && from < count) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(A + from) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (tile == 0) continue;

        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        const size_t i = first + (tile - 1) * 128 + opposite;
        if (i < count) C[i] = s[(tile - 1) % 2][opposite] + 1;
        __syncthreads();
    }
}
