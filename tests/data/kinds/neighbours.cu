#include <cooperative_groups.h>

// Blocks read each other's shared memory.
__global__ void __cluster_dims__(2, 1, 1) neighbours(const float* in, float* out, int n) {
    __shared__ float s[128];
    cooperative_groups::cluster_group c = cooperative_groups::this_cluster();
    int i = blockIdx.x * 128 + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    c.sync();
    float v = c.map_shared_rank(s, c.block_rank() ^ 1)[threadIdx.x];
    c.sync();
    if (i < n) out[i] = v + s[threadIdx.x];
}
