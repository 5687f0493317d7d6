// CUB's header of everything: a block sorts its keys, and each goes back to where it came from.
// trace: --grid 1 --block 64 --arg in:u32[256] --arg out:u32[256]
// expect: copy 0 1
#include <cub/cub.cuh>

__global__ void sort_and_undo(const unsigned* in, unsigned* out) {
    using Sort = cub::BlockRadixSort<unsigned, 64, 4, int>;
    __shared__ typename Sort::TempStorage storage;
    unsigned key[4];
    int from[4];
    for (int i = 0; i < 4; ++i) from[i] = threadIdx.x * 4 + i, key[i] = in[from[i]];
    Sort(storage).Sort(key, from);
    for (int i = 0; i < 4; ++i) out[from[i]] = i > 0 && key[i] < key[i - 1] ? 0 : key[i];
}

int main() {}
