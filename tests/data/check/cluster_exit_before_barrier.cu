// A block may end, and its shared memory with it, while its neighbour still reads there: the second barrier of the cluster is missing.
// grid 2 block 64
// argument u32[128] zero
// finds shared_race 13
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    __shared__ unsigned word[64];
    const auto cluster = cg::this_cluster();
    word[threadIdx.x] = threadIdx.x;
    cluster.sync();
    out[blockIdx.x * 64 + threadIdx.x] = cluster.map_shared_rank(word, 1 - cluster.block_rank())[threadIdx.x];
}
