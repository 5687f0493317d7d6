// Blocks take turns behind a lock.
// grid 8 block 32
// argument u32[1] zero
// argument u32[4] zero
// finds nothing
__global__ void k(unsigned* lock, unsigned* data) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0) {}
        __threadfence();
        for (int i = 0; i < 4; ++i) data[i] = data[i] * 3 + blockIdx.x;
        __threadfence();
        atomicExch(lock, 0u);
    }
}
