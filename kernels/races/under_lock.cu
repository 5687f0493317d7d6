/* gemmscope
family = "races"
rung = 15
provenance = "this program"
operation = "add_one"
title = { en = "Under lock", zh = "加锁保护" }
idea = { en = "Blocks take pieces from a list that a lock protects.", zh = "线程块从由锁保护的清单里领取各自的一段。" }
look = { view = "timeline", en = "One thread of each block spins on the lock; the others wait at the barrier.", zh = "每个线程块有一个线程在等锁，其余在屏障处等待。" }
story = { en = """
The number of the next piece is a plain word. A block locks it, takes the number, advances it, and unlocks it for the next block.
A lock keeps others out. It must also make the stores of one holder visible to the next.
Find the line, or the two lines, where two blocks access one word with nothing to order them.
""", zh = """
下一段的编号是一个普通的字。线程块先上锁，取号，改号，再解锁让给下一个。
锁能挡住别人，还必须让下一个持锁者看到这一个写下的内容。
请找出两个线程块访问同一个字、却没有先后保证的一行或两行。
""" }

[[break]]
name = "same_number"
label = { en = "Two blocks get the same number", zh = "两个线程块取到同一个号" }
look = { en = "Nothing makes the new number visible before the lock is free: a __threadfence() is missing before the unlock.", zh = "解锁之前没有保证新号可见：缺一个 __threadfence()。" }
finding = "global_race"
when = "M * N > 128"
find = '''
        __threadfence();
        atomicExch(&lock, 0);
    }
'''
replace = '''
        atomicExch(&lock, 0);
    }

'''

[launch]
block = ["128"]
grid = ["ceil_div(M * N, 128)"]
*/

__device__ unsigned lock, number; // both 0 before and after each launch

// C[i] = A[i] + 1 over all M * N elements, 128 to a block.
__global__ void under_lock(int M, int N, const float* A, float* C) {
    __shared__ unsigned mine;

    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence();
        mine = number, number = (number + 1) % gridDim.x;
        __threadfence();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    const size_t i = (size_t)mine * 128 + threadIdx.x;
    if (i < (size_t)M * N) C[i] = A[i] + 1;
}
