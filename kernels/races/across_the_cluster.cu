/* gemmscope
family = "races"
rung = 21
provenance = "this program"
operation = "add_one"
arch = "sm_90"
title = { en = "Across the cluster", zh = "跨越线程块簇" }
idea = { en = "Two blocks of a cluster finish each other's elements through distributed shared memory.", zh = "一个线程块簇（cluster）的两个线程块通过分布式共享内存完成彼此的元素。" }
look = { view = "timeline", en = "Two blocks of a cluster, side by side: who waits for whom.", zh = "簇内两个线程块并排执行：谁在等谁。" }
story = { en = """
Each of two blocks stages 128 elements in its own shared memory. Then it reads the other block's shared memory and finishes those elements.
Shared memory lives as long as its block, and a barrier of one block does not order the other.
Find the line, or the two lines, that access the same words with nothing to order the blocks.
""", zh = """
两个线程块各把 128 个元素放进自己的共享内存，再直接读取对方的共享内存，完成对方的元素。
共享内存与线程块同生共灭；一个线程块的屏障管不到另一个。
请找出访问相同的字、线程块之间却没有先后保证的一行或两行。
""" }

[[break]]
name = "garbage_half"
label = { en = "Half of C is garbage now and then", zh = "C 的一半偶尔是垃圾值" }
look = { en = "Each block waits for its own threads only, not for the other block that stores what it reads.", zh = "每个线程块只等自己的线程，没有等写入数据的另一块。" }
finding = "shared_race"
find = '''
    meet_cluster();
    const float* theirs'''
replace = '''
    __syncthreads();
    const float* theirs'''

[[break]]
name = "last_loads"
label = { en = "The last loads fail now and then", zh = "最后的读取偶尔出错" }
look = { en = "A block may end while the other still reads its shared memory.", zh = "一个线程块可能先结束，而另一块还在读它的共享内存。" }
finding = "shared_race"
find = '''
    meet_cluster();
}'''
replace = '''
    __syncthreads();
}'''

[launch]
block = ["128"]
grid = ["2 * ceil_div(M * N, 256)"]
*/

__device__ void meet_cluster() { asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ const float* of_block(const float* word, unsigned rank) { // the same word of another block of the cluster
    const float* there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(word), "r"(rank));
    return there;
}

// C[i] = A[i] + 1 over all M * N elements, 256 to a cluster of two blocks.
__global__ void __cluster_dims__(2, 1, 1) across_the_cluster(int M, int N, const float* A, float* C) {
    __shared__ float s[128];
    const size_t count = (size_t)M * N;
    const unsigned t = threadIdx.x, other = blockIdx.x ^ 1;
    const size_t mine = (size_t)blockIdx.x * 128 + t, i = (size_t)other * 128 + t;

    s[t] = mine < count ? A[mine] : 0;
    meet_cluster();
    const float* theirs = of_block(s, other % 2);
    if (i < count) C[i] = theirs[t] + 1;
    meet_cluster();
}
