// Two blocks write different values to the same words of a third one, and that one writes there, too, before it knows that they have.
// grid 4 block 32
// argument u32[128] zero
// finds shared_race 14
// finds shared_race 15
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4, 1, 1) k(unsigned* out) {
    __shared__ unsigned word[64];
    const auto cluster = cg::this_cluster();
    const unsigned t = threadIdx.x, rank = cluster.block_rank();
    cluster.sync();
    if (rank == 1 || rank == 2) cluster.map_shared_rank(word, 3)[t] = rank;
    if (rank == 0) cluster.map_shared_rank(word, 3)[32 + t] = rank; else if (rank == 3) word[32 + t] = t;
    cluster.sync();
    out[blockIdx.x * 32 + t] = rank == 3 ? word[t] + word[32 + t] : 0;
}
