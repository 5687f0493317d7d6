// A block reads its neighbour's shared memory without a barrier of the cluster after that was written.
// grid 2 block 64
// argument u32[128] zero
// finds shared_race 11
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    __shared__ unsigned word[64];
    const auto cluster = cg::this_cluster();
    word[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = cluster.map_shared_rank(word, 1 - cluster.block_rank())[threadIdx.x];
    cluster.sync();
}
