// Kernels that a macro declares, once for each type, beside host code and without semicolons.
// trace: --entry scale_float --grid 1 --block 64 --arg in:f32[64] --arg out:f32[64] --arg f32=3
// expect: scale 0 1 2
#include <iostream>
#include <vector>

#define SCALE(T, name)                                                 \
    __global__ void name(const T* in, T* out, T factor) {              \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;           \
        out[i] = in[i] * factor;                                       \
    }
SCALE(float, scale_float)
SCALE(double, scale_double)

int main() {
    std::vector<float> values(64, 1.0f);
    float *in, *out;
    cudaMalloc(&in, 256), cudaMalloc(&out, 256);
    scale_float<<<1, 64>>>(in, out, 3.0f);
    std::cout << values[0] << "\n";
}
