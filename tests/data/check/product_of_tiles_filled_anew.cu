// The tiles are filled anew while the product that reads them may be under way: the wait leaves one to go on.
// grid 1 block 128 arch sm_90a
// argument f32[4096] counting
// argument f32[1024] zero
// finds unfinished_read 33
// machine code finds unfinished_read 29: ptxas says this line of the product
using u64 = unsigned long long;

__device__ u64 descriptor(const float* tile) { // rows of 32 bytes, swizzled over as many
    return (static_cast<u64>(__cvta_generic_to_shared(tile)) >> 4) | 16ull << 32 | 3ull << 62;
}

__device__ void fill(float* tile, const float* in, int rows) {
    for (int at = threadIdx.x; at < rows * 8; at += 128) {
        const int byte = 4 * at;
        tile[(byte ^ (byte >> 3 & 16)) / 4] = in[at];
    }
}

__global__ void k(const float* in, float* out) {
    __shared__ __align__(256) float a[2][64 * 8], b[2][16 * 8];
    float d[8] = {};
    for (int step = 0; step < 4; ++step) {
        const int s = 0;
        fill(a[s], in + step * 512, 64);
        fill(b[s], in + 2048 + step * 128, 16);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %10, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1;\n}"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                     : "l"(descriptor(a[s])), "l"(descriptor(b[s])), "r"(step));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        __syncthreads();
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int r = 0; r < 8; ++r) out[threadIdx.x * 8 + r] = d[r];
}
