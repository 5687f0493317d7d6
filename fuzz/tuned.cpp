// Files of tuned settings: one that can be read holds settings that its kernel's rules allow.
// Coverage: app/catalog/tuned.cpp
#include "entry.h"
#include "file.h"

#include "catalog/catalog.h"
#include "catalog/tuned.h"

#include <cstdlib>

namespace {

const catalog::Kernel& kernel() {
    static const auto read = catalog::parse(R"(/* gemmscope
family = "ladder"
title = { en = "a", zh = "a" }

[[parameter]]
name = "BX"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256]
initial = 32
label = { en = "x", zh = "x" }

[[parameter]]
name = "BY"
values = [1, 2, 4, 8, 16, 32, 64, 128, 256]
initial = 8
label = { en = "y", zh = "y" }

[[rule]]
expression = "BX * BY <= 1024"
reason = { en = "b", zh = "b" }

[launch]
block = ["BX", "BY"]
grid = ["1", "1"]
*/
template <int BX, int BY>
__global__ void tuned(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {}
)",
                                            "tuned.cu");
    if (!read) std::abort();
    return *read;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const FileOf file(data, size);
    if (const auto tuned = catalog::read_tuned(file.path(), kernel())) {
        catalog::Kernel with_them = kernel();
        with_them.tuned = *tuned;
        for (const catalog::Tuned& one : *tuned)
            if (!catalog::with(kernel(), one.values)) std::abort();
        (void)catalog::nearest_tuned(with_them, "NVIDIA H200", "sm_90", {4096, 4096, 4096});
    }
    return 0;
}
