// Each thread updates its own elements; blocks share lines and pages, not elements.
// grid 4,4 block 8,8
// argument f32[1024] counting
// argument f32 0.5
// finds nothing
__global__ void k(float* C, float beta) {
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    C[row * 32 + column] = beta * C[row * 32 + column] + 1;
}
