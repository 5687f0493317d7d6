// Half of each block reaches the barrier of the cluster, the other half waits at one of the block.
// grid 2 block 64
// argument u32[128] zero
// finds divergent_barrier 11
// finds divergent_barrier 12
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    const auto cluster = cg::this_cluster();
    if (threadIdx.x < 32) cluster.sync();
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
}
