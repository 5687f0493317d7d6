// Warp 0 fills two halves in turn, warp 1 empties them: named barriers, arrived at by one and waited at by the other.
// grid 1 block 64
// argument u32[256] counting
// argument u32[32] zero
// finds nothing
#define ARRIVE(n) asm volatile("bar.arrive %0, 64;" ::"r"(n) : "memory")
#define WAIT(n) asm volatile("bar.sync %0, 64;" ::"r"(n) : "memory")
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[2][32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int i = 0; i < 8; ++i) {
            if (i >= 2) WAIT(3 + i % 2);
            s[i % 2][lane] = in[i * 32 + lane];
            ARRIVE(1 + i % 2);
        }
    } else {
        unsigned sum = 0;
        for (int i = 0; i < 8; ++i) {
            WAIT(1 + i % 2);
            sum += s[i % 2][31 - lane];
            if (i < 6) ARRIVE(3 + i % 2);
        }
        out[lane] = sum;
    }
}
