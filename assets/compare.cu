// How far two matrices differ, for `gemmscope sweep`, which verifies each setting on the GPU against cuBLAS's C.

// Rows are `leading` elements apart. `*bits` becomes the bits of the largest difference as a float: those of floats of 0 and
// more are ordered as whole numbers are, and NaN is larger than all.
template <class T>
__global__ void largest_difference(int rows, int columns, size_t leading, const T* a, const T* b, unsigned* bits) {
    unsigned largest = 0;
    for (int row = blockIdx.x; row < rows; row += gridDim.x)
        for (int column = threadIdx.x; column < columns; column += blockDim.x) {
            const size_t at = row * leading + column;
            largest = max(largest, __float_as_uint(fabsf(static_cast<float>(a[at] - b[at]))));
        }
    for (int other = 16; other > 0; other /= 2) largest = max(largest, __shfl_xor_sync(0xffffffff, largest, other));
    if (threadIdx.x % 32 == 0 && largest > 0) atomicMax(bits, largest);
}
