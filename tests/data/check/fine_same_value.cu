// Whoever finds something raises the flag: several blocks write the same value.
// grid 4 block 64
// argument u32[256] counting
// argument u32[1] zero
// argument u8[1] zero
// finds nothing
__global__ void k(const unsigned* in, unsigned* found, unsigned char* small) {
    __shared__ bool here;
    here = false;
    __syncthreads();
    if (in[blockIdx.x * 64 + threadIdx.x] % 8 == 3) here = true;
    __syncthreads();
    if (here) *found = 1, *small = 1;
}
