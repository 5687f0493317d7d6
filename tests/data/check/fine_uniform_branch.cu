// Barriers in a branch that all threads take, and in a loop that all leave together.
// grid 2 block 64
// argument u32[128] zero
// argument i32 5
// finds nothing
__global__ void k(unsigned* out, int n) {
    __shared__ unsigned s[64];
    s[threadIdx.x] = threadIdx.x;
    if (n > 3) {
        __syncthreads();
        if (blockIdx.x == 1) {
            s[threadIdx.x] += s[threadIdx.x];
            __syncthreads();
        }
    } else {
        __syncthreads();
    }
    unsigned sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += s[(threadIdx.x + i) % 64];
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
