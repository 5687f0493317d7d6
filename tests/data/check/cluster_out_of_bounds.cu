// Reads past the end of an array in another block's shared memory, and asks for a block that the cluster lacks.
// grid 2 block 32
// argument u32[64] zero
// finds out_of_bounds 15
// finds out_of_bounds 16
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    __shared__ unsigned word[32];
    const auto cluster = cg::this_cluster();
    const unsigned t = threadIdx.x;
    word[t] = t;
    cluster.sync();
    unsigned value = cluster.map_shared_rank(word, 1 - cluster.block_rank())[t + 1];
    if (t == 0) value += *cluster.map_shared_rank(word, 2);
    cluster.sync();
    out[blockIdx.x * 32 + t] = value;
}
