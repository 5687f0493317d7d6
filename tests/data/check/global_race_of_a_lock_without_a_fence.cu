// A lock taken and given back without a fence: what its holder stored may come later than the lock.
// grid 4 block 32
// argument u32[1] zero
// argument u32[1] zero
// finds global_race 9
__global__ void k(unsigned* data, unsigned* lock) {
    if (threadIdx.x) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    *data += 1;
    atomicExch(lock, 0);
}
