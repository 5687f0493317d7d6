// All blocks add to a variable of the file, one way without an atomic operation and one way with it.
// grid 4 block 32
// argument i32[128] counting
// finds global_race 9
__device__ int total, counted;
__global__ void k(const int* in) {
    const int mine = __reduce_add_sync(~0u, in[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x > 0) return;
    total += mine;
    atomicAdd(&counted, mine);
}
