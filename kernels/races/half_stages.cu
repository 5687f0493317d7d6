/* gemmscope
family = "races"
rung = 3
provenance = "this program"
operation = "add_one"
title = { en = "Half a block loads", zh = "半个线程块读入" }
idea = { en = "Two of four warps load the elements, and all four finish them.", zh = "四个 warp 中的两个读入元素，四个一起完成。" }
look = { view = "timeline", en = "Which warps arrive at the barrier, and when.", zh = "哪些 warp 到达屏障，何时到达。" }
story = { en = """
The first 64 threads copy 128 elements to shared memory, two each. Then each of the 128 threads finishes one element.
A barrier of the block counts all its threads.
Find the line that not every thread reaches, so that it orders nothing.
""", zh = """
前 64 个线程把 128 个元素放进共享内存，每个线程两个；然后 128 个线程各完成一个元素。
线程块的屏障要等块内的每一个线程。
请找出并非每个线程都会到达、因而什么也保证不了的那一行。
""" }

[[break]]
name = "hangs"
label = { en = "Works here, hangs on another GPU", zh = "这里正常，换个 GPU 就卡死" }
look = { en = "The barrier is inside the branch: half of the warps never arrive at it.", zh = "屏障写在分支里：一半的 warp 根本不会到达。" }
finding = ["divergent_barrier", "shared_race"]
find = '''
    }
    __syncthreads();
'''
replace = '''
        __syncthreads();
    }
'''

[launch]
block = ["128"]
grid = ["ceil_div(M * N, 128)"]
*/

// C[i] = A[i] + 1 over all M * N elements, 128 to a block.
__global__ void half_stages(int M, int N, const float* A, float* C) {
    __shared__ float s[128];
    const size_t count = (size_t)M * N, first = (size_t)blockIdx.x * 128;
    const int t = threadIdx.x;

    if (t < 64) {
        for (int e = t; e < 128; e += 64) s[e] = first + e < count ? A[first + e] : 0;
    }
    __syncthreads();
    if (first + t < count) C[first + t] = s[t] + 1;
}
