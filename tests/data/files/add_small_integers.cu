// Bytes and halves with a sign, and a factor that the host could change, too.
// trace: --grid 1 --block 64 --arg in:i8[50]%100 --arg in:i16[50]%1000 --arg out:i16[50] --arg u16=50
// expect: add 0 1 2
#include <cstdint>
#include <cstdio>

__device__ __managed__ int factor = 1;

__global__ void add(const int8_t* a, const int16_t* b, int16_t* c, uint16_t n) {
    const uint16_t i = threadIdx.x;
    if (i < n) c[i] = static_cast<int16_t>(factor * (a[i] + b[i]));
}

int main() {
    factor = 1;
    std::printf("%d\n", factor);
}
