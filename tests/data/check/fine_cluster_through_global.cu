// Blocks of a cluster hand each other words through global memory; the barrier of the cluster orders that, too.
// grid 4 block 32
// argument u32[128] zero
// argument u32[128] zero
// finds nothing
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* between, unsigned* out) {
    const auto cluster = cg::this_cluster();
    const unsigned t = threadIdx.x;
    for (unsigned step = 0; step < 3; ++step) {
        between[blockIdx.x * 32 + t] = step + t;
        cluster.sync();
        out[blockIdx.x * 32 + t] += between[(blockIdx.x ^ 1) * 32 + t];
        cluster.sync();
    }
}
