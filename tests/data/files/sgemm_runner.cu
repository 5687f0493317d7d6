// A program that runs one of several kernels and times it: the form of most SGEMM tutorials.
// trace: --entry sgemm_shared --grid 2,2 --block 32,32 --arg i32=64 --arg i32=64 --arg i32=48 --arg f32=1 --arg in:f32[64x48] --arg in:f32[48x64] --arg f32=0 --arg out:f32[64x64]
// expect: gemm 64 64 48 4 5 7
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <sys/time.h>
#include <vector>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
#define cudaCheck(err) (cudaCheck_(err, __FILE__, __LINE__))

void cudaCheck_(cudaError_t error, const char *file, int line) {
  if (error != cudaSuccess) {
    printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
  }
}

const int BLOCKSIZE = 32;
cublasHandle_t handle;

__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const uint x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < M && y < N) {
    float tmp = 0.0;
    for (int i = 0; i < K; ++i) {
      tmp += A[x * K + i] * B[i * N + y];
    }
    C[x * N + y] = alpha * tmp + beta * C[x * N + y];
  }
}

__global__ void sgemm_shared(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float As[BLOCKSIZE * BLOCKSIZE];
  __shared__ float Bs[BLOCKSIZE * BLOCKSIZE];
  const uint row = blockIdx.y * BLOCKSIZE + threadIdx.y, column = blockIdx.x * BLOCKSIZE + threadIdx.x;
  float sum = 0.0f;
  for (int tile = 0; tile < CEIL_DIV(K, BLOCKSIZE); ++tile) {
    const uint ka = tile * BLOCKSIZE + threadIdx.x, kb = tile * BLOCKSIZE + threadIdx.y;
    As[threadIdx.y * BLOCKSIZE + threadIdx.x] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
    Bs[threadIdx.y * BLOCKSIZE + threadIdx.x] = (kb < K && column < N) ? B[kb * N + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < BLOCKSIZE; ++k) sum += As[threadIdx.y * BLOCKSIZE + k] * Bs[k * BLOCKSIZE + threadIdx.x];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = alpha * sum + beta * C[row * N + column];
}

void randomize_matrix(float *mat, int N) {
  struct timeval time {};
  gettimeofday(&time, nullptr);
  srand(time.tv_usec);
  for (int i = 0; i < N; i++) {
    float tmp = (float)(rand() % 5) + 0.01 * (rand() % 5);
    mat[i] = (rand() % 2 == 0) ? tmp : tmp * (-1.);
  }
}

void run_kernel(int num, int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
  dim3 gridDim(CEIL_DIV(M, 32), CEIL_DIV(N, 32));
  dim3 blockDim(32, 32);
  switch (num) {
  case 0:
    cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &alpha, B, CUDA_R_32F, N, A, CUDA_R_32F, K, &beta, C,
                 CUDA_R_32F, N, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP);
    break;
  case 1: sgemm_naive<<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C); break;
  case 2: sgemm_shared<<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C); break;
  default: throw std::invalid_argument("Unknown kernel number");
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "Please select a kernel" << std::endl;
    exit(EXIT_FAILURE);
  }
  std::vector<int> SIZE = {128, 256, 512, 1024};
  cudaEvent_t beg, end;
  cudaEventCreate(&beg);
  cudaEventCreate(&end);
  float *A = nullptr, *dA = nullptr;
  A = (float *)malloc(sizeof(float) * SIZE.back() * SIZE.back());
  randomize_matrix(A, SIZE.back());
  cudaCheck(cudaMalloc((void **)&dA, sizeof(float) * SIZE.back() * SIZE.back()));
  for (int size : SIZE) {
    cudaEventRecord(beg);
    run_kernel(std::stoi(argv[1]), size, size, size, 0.5f, dA, dA, 3.0f, dA);
    cudaEventRecord(end);
    std::cout << "size: " << size << std::endl;
  }
  free(A);
  return 0;
}
