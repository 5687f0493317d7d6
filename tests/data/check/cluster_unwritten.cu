// Reads words of another block that nobody writes.
// grid 2 block 32
// argument u32[64] zero
// finds uninitialised_shared 13
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) k(unsigned* out) {
    __shared__ unsigned word[64];
    const auto cluster = cg::this_cluster();
    word[threadIdx.x] = threadIdx.x;
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = cluster.map_shared_rank(word, 1 - cluster.block_rank())[threadIdx.x + 32];
    cluster.sync();
}
