// The first program of a course.
// trace: --grid 4 --block 256 --arg in:f32[1000] --arg in:f32[1000] --arg out:f32[1000] --arg i32=1000
// expect: add 0 1 2
#include <iostream>
#include <cmath>
using namespace std;

__global__ void vecAdd(float *a, float *b, float *c, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n)
        c[id] = a[id] + b[id];
}

int main(int argc, char *argv[])
{
    int n = 100000;
    float *h_a = new float[n], *h_c = new float[n];
    float *d_a, *d_b, *d_c;
    size_t bytes = n * sizeof(float);
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    for (int i = 0; i < n; i++) h_a[i] = sin(i) * sin(i);
    cudaMemcpy(d_a, h_a, bytes, cudaMemcpyHostToDevice);
    int blockSize = 1024, gridSize = (int)ceil((float)n / blockSize);
    vecAdd<<<gridSize, blockSize>>>(d_a, d_b, d_c, n);
    cudaMemcpy(h_c, d_c, bytes, cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += h_c[i];
    cout << "final result: " << sum / n << endl;
    cudaFree(d_a);
    delete[] h_a;
    return 0;
}
