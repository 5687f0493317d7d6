// A histogram whose bins lie in the blocks of a cluster, counted by atomics.
// grid 2 block 128
// argument u32[64] zero
// finds nothing
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    __shared__ unsigned bins[32];
    const auto cluster = cg::this_cluster();
    const unsigned t = threadIdx.x;
    if (t < 32) bins[t] = 0;
    cluster.sync();
    const unsigned value = (t * 7 + blockIdx.x) % 64;
    atomicAdd(cluster.map_shared_rank(bins, value / 32) + value % 32, 1u);
    cluster.sync();
    if (t < 32) out[blockIdx.x * 32 + t] = bins[t];
}
