// Host code fills constant memory, which the loop reads by an index.
// trace: --block 64 --symbol taps=in:f32[5] --arg i32=5 --arg in:f32[64] --arg out:f32[64]
// expect: copy 1 2
#include <cuda_runtime.h>

__constant__ float taps[5];

__global__ void normalized(int n, const float* x, float* y) {
    float weighted = 0, weight = 0;
    for (int i = 0; i < n; ++i) {
        weighted += taps[i] * x[threadIdx.x];
        weight += taps[i];
    }
    y[threadIdx.x] = weight == 0 ? 0 : weighted / weight;
}

int main() {
    const float host[5] = {1, 4, 6, 4, 1};
    cudaMemcpyToSymbol(taps, host, sizeof host);
}
