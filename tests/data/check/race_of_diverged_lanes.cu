// The lanes of a warp have parted; one part reads what the other writes.
// grid 1 block 32
// argument u32[32] zero
// argument i32 16
// finds shared_race 14
// machine code finds shared_race 12: it executes the other part first
__global__ void k(unsigned* out, int half) {
    __shared__ unsigned s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    if (threadIdx.x < half) {
        s[threadIdx.x] = atomicAdd(out + threadIdx.x, 1);
    } else {
        out[threadIdx.x] = s[threadIdx.x - half];
        __nanosleep(20);
    }
}
