// The last block waits until the others have counted, and sets the counter back: it has acquired the word through which they released,
// so their counts came before what it stores there.
// grid 4 block 32
// argument u32[1] zero
// argument u32[1] zero
// finds nothing
__global__ void k(unsigned* count, unsigned* last) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x != gridDim.x - 1) {
        __threadfence();
        atomicAdd(count, 1);
        return;
    }
    while (*(volatile unsigned*)count != gridDim.x - 1) {}
    __threadfence();
    *count = 0;
    *last = 1;
}
