// A block reads what its neighbour writes in the same launch.
// grid 4 block 32
// argument u32[128] counting
// finds global_race 8
__global__ void k(unsigned* data) {
    const unsigned i = blockIdx.x * 32 + threadIdx.x;
    const unsigned left = i == 0 ? 0 : data[i - 1];
    data[i] = left + 1;
}
