// A class that both sides use, with functions of the host in it.
// trace: --grid 2 --block 16,16 --arg in:f32[32x16] --arg out:f32[32x16] --arg i32=32 --arg i32=16
// expect: copy 0 1
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <vector>

template <class T>
class MatrixView {
public:
  __host__ __device__ MatrixView(T* data, int rows, int columns) : data_(data), rows_(rows), columns_(columns) {}
  explicit MatrixView(const std::vector<T>& values) : data_{nullptr}, rows_{1}, columns_{static_cast<int>(values.size())} {
    if (cudaMalloc(&data_, values.size() * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
  }
  void upload(const std::vector<T>& values) {
    cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  std::vector<T> download() const;
  __host__ __device__ T& operator()(int row, int column) { return data_[row * columns_ + column]; }
  __device__ bool contains(int row, int column) const { return row < rows_ && column < columns_; }
  void print() const {
    for (int i = 0; i < rows_; ++i) printf("%d\n", i), fflush(stdout);
  }

private:
  T* data_;
  int rows_, columns_;
};

template <class T>
std::vector<T> MatrixView<T>::download() const {
  std::vector<T> values(static_cast<size_t>(rows_) * columns_);
  cudaMemcpy(values.data(), data_, values.size() * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

__global__ void copy(float* in, float* out, int rows, int columns) {
  MatrixView<float> from(in, rows, columns), to(out, rows, columns);
  const int row = blockIdx.x * blockDim.y + threadIdx.y, column = threadIdx.x;
  if (from.contains(row, column)) to(row, column) = from(row, column);
}

int main() {
  std::vector<float> values(512, 1.0f);
  MatrixView<float> view(values);
  view.upload(values);
  view.print();
  return view.download().size() == 512 ? 0 : 1;
}
