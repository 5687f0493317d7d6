// Kernels that nobody wrote with their kinds of blocks in mind.

#define T 16

// Tiles in groups of four rows, the last group smaller.
__global__ void swizzled(int M, int N, int K, const float* A, const float* B, float* C) {
    const int group = 4, tilesN = gridDim.x, tilesM = gridDim.y;
    int id = blockIdx.y * gridDim.x + blockIdx.x;
    int width = group * tilesN, first = id / width * group;
    int size = min(tilesM - first, group);
    int tm = first + id % width % size, tn = id % width / size;
    __shared__ float As[T][T], Bs[T][T + 1];
    int row = tm * T + threadIdx.y, col = tn * T + threadIdx.x;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += T) {
        As[threadIdx.y][threadIdx.x] = row < M && k0 + threadIdx.x < K ? A[row * K + k0 + threadIdx.x] : 0;
        Bs[threadIdx.y][threadIdx.x] = k0 + threadIdx.y < K && col < N ? B[(k0 + threadIdx.y) * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < T; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

// As many blocks as there is room for, each with tile after tile.
__global__ void persistent(int M, int N, int K, const float* A, const float* B, float* C) {
    int tilesN = (N + T - 1) / T, tiles = tilesN * ((M + T - 1) / T);
    __shared__ float As[T][T], Bs[T][T];
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        int row = tile / tilesN * T + threadIdx.y, col = tile % tilesN * T + threadIdx.x;
        float sum = 0;
        for (int k0 = 0; k0 < K; k0 += T) {
            As[threadIdx.y][threadIdx.x] = row < M && k0 + threadIdx.x < K ? A[row * K + k0 + threadIdx.x] : 0;
            Bs[threadIdx.y][threadIdx.x] = k0 + threadIdx.y < K && col < N ? B[(k0 + threadIdx.y) * N + col] : 0;
            __syncthreads();
            for (int k = 0; k < T; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
            __syncthreads();
        }
        if (row < M && col < N) C[row * N + col] = sum;
    }
}

// The lower triangle of A times B: blocks above the diagonal leave at once, and K ends at it.
__global__ void lower(int n, const float* A, const float* B, float* C) { // C = lower triangle of A times B
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (blockIdx.x > blockIdx.y) return;
    if (row >= n || col >= n || col > row) return;
    float sum = 0;
    for (int k = col; k <= row; ++k) sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
}

// K in slices, one for each z, whose sums are added up in memory.
__global__ void slices(int M, int N, int K, int per, const float* A, const float* B, float* C) { // split K: gridDim.z
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    int begin = blockIdx.z * per, end = min(K, begin + per);
    if (row >= M || col >= N) return;
    float sum = 0;
    for (int k = begin; k < end; ++k) sum += A[row * K + k] * B[k * N + col];
    atomicAdd(&C[row * N + col], sum);
}

// A product for each z.
__global__ void batched(int M, int N, int K, const float* A, const float* B, float* C) {
    const float* a = A + (size_t)blockIdx.z * M * K; const float* b = B + (size_t)blockIdx.z * K * N; float* c = C + (size_t)blockIdx.z * M * N;
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += a[row * K + k] * b[k * N + col];
    c[row * N + col] = sum;
}

// Two columns of each block belong to its neighbours.
__global__ void stencil(const float* in, float* out, int w, int h) {
    int x = blockIdx.x * 30 + threadIdx.x - 1, y = blockIdx.y * 8 + threadIdx.y;
    bool inside = x >= 0 && x < w && y < h;
    float v = inside ? in[y * w + x] : 0;
    float l = __shfl_up_sync(~0u, v, 1), r = __shfl_down_sync(~0u, v, 1);
    if (inside && threadIdx.x > 0 && threadIdx.x < 31) out[y * w + x] = l + v + r;
}

// Elements of 2 bytes, blocks of 40 of them.
__global__ void packed(const short* in, short* out, int n) { // 2-byte elements: 16 to a sector
    int i = blockIdx.x * 40 + threadIdx.x;
    if (threadIdx.x < 40 && i < n) out[i] = in[i + (blockIdx.x & 1)] + 1;
}

// Computed of the index alone, in no regular way.
__global__ void hashed(const float* in, float* out, int n) {
    unsigned b = blockIdx.x * 2654435761u >> 26; 
    unsigned i = (b % gridDim.x) * 128 + threadIdx.x;
    if (i < n) out[blockIdx.x * 128 + threadIdx.x] = in[i];
}

// An index into local memory that depends on the block.
__global__ void local_array(const float* in, float* out, int n) {
    float a[8]; int i = blockIdx.x * 64 + threadIdx.x;
    for (int j = 0; j < 8; ++j) a[j] = in[(i + j) % n];
    float s = 0; for (int j = 0; j < 8; ++j) s += a[(j + blockIdx.x) & 7];
    if (i < n) out[i] = s;
}

// A remainder that the compiler makes of a product.
__global__ void modulo(const float* in, float* out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (blockIdx.x % 3 == 0 && i % 5 < m) out[i] = in[i] * 2.0f;
    else if ((i / 7) % 2 == 0) out[i] = in[n - 1 - i];
    else out[i] = in[(i * 3) % n];
}

// Every thread writes the same to the same place, which is no race; what it is comes from memory.
__global__ void same_values(const float* in, float* out) {
    __shared__ float s[1];
    const float own = in[blockIdx.x * 128 + threadIdx.x], all = in[0];
    s[0] = all * 2;
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[0] * own;
    out[blockIdx.x * 128] = s[0];
}
