// Who waits for the bulk copy has what was stored before its thread arrived, and not what it stores afterwards.
// grid 1 block 64
// argument u32[128] counting
// argument u32[64] zero
// finds shared_race 23
// machine code finds shared_race 22: one LDS.64 reads the words of both lines
#include <cuda/ptx>
__global__ void k(const unsigned* in, unsigned* out) {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) unsigned tile[64];
    __shared__ unsigned factor, offset;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &bar);
        offset = in[65];
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
        factor = in[66];
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    out[threadIdx.x] = tile[63 - threadIdx.x] + offset;
    out[threadIdx.x] *= factor;
}
