// Two arrays carved out of dynamic shared memory beside a static one, and a pointer that starts past the array and looks back.
// grid 1 block 64 shared 512
// argument u32[64] counting
// argument u32[64] zero
// finds nothing
extern __shared__ unsigned room[];
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned fixed[64];
    const int t = threadIdx.x;
    unsigned *A = room, *B = room + 64, *end = fixed + 64;
    A[t] = in[t];
    B[t] = in[t] + 1;
    end[-1 - t] = t;
    __syncthreads();
    unsigned* either = in[t] % 2 ? A : fixed;
    out[t] = A[63 - t] + B[63 - t] + fixed[t] + either[t];
}
