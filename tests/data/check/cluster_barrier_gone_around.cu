// The second block of the cluster goes around its barrier and ends.
// grid 2 block 32
// argument u32[64] zero
// finds divergent_barrier 10
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    const auto cluster = cg::this_cluster();
    if (cluster.block_rank() == 0) cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;
}
