// Two blocks of a cluster write different values to one place in global memory, on the same side of a barrier of the cluster.
// grid 2 block 32
// argument u32[64] zero
// finds global_race 12
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    const auto cluster = cg::this_cluster();
    out[blockIdx.x * 32 + threadIdx.x] = 0;
    cluster.sync();
    out[threadIdx.x] = blockIdx.x;
}
