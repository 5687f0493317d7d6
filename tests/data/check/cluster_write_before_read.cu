// A block writes to its neighbour's shared memory while that still reads there; a barrier of the block between its reads and its end does not help.
// grid 2 block 64
// argument u32[128] zero
// finds shared_race 16
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    __shared__ unsigned word[64];
    const auto cluster = cg::this_cluster();
    const unsigned t = threadIdx.x;
    word[t] = t;
    cluster.sync();
    const unsigned mine = word[63 - t];
    __syncthreads();
    cluster.map_shared_rank(word, 1 - cluster.block_rank())[t] = mine;
    cluster.sync();
    out[blockIdx.x * 64 + t] = word[t];
}
