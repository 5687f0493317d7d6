// ldmatrix in all its widths, as it is and transposed: compiled only, for what the disassembler says of it.
extern "C" __global__ void matrices(unsigned* out) {
    __shared__ __align__(16) unsigned s[32 * 4];
    const unsigned t = threadIdx.x;
    for (unsigned i = 0; i < 4; ++i) s[4 * t + i] = out[4 * t + i];
    __syncthreads();
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(s + 4 * t));
    unsigned r[14];
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(r[1]), "=r"(r[2]) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r[7]) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(r[8]), "=r"(r[9]) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[10]), "=r"(r[11]), "=r"(r[12]), "=r"(r[13]) : "r"(at));
    for (int i = 0; i < 14; ++i) out[32 * i + t] = r[i];
}
