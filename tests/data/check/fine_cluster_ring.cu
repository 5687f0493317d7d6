// Blocks of a cluster pass their words on in a ring: each reads its neighbour's shared memory between two barriers of the cluster.
// grid 8 block 64
// argument u32[512] zero
// finds nothing
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) k(unsigned* out) {
    __shared__ unsigned word[64];
    const auto cluster = cg::this_cluster();
    const unsigned t = threadIdx.x;
    word[t] = blockIdx.x * 64 + t;
    cluster.sync();
    unsigned sum = 0;
    for (unsigned step = 1; step < cluster.num_blocks(); ++step) {
        const unsigned* other = cluster.map_shared_rank(word, (cluster.block_rank() + step) % cluster.num_blocks());
        sum += other[63 - t];
    }
    cluster.sync();
    out[blockIdx.x * 64 + t] = sum + word[t];
}
