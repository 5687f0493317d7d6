#include "gpu/worker/cublas_xt.h"

#include "base/shared_library.h"
#include "gpu/worker/cublas.h"

#include <fmt/format.h>

namespace gpu {

using base::Error;
using base::Failure;

base::Result<CublasXt> CublasXt::open(int device) {
    auto path = find_cublas();
    if (!path) return path.error();
    auto library = base::SharedLibrary::open({*path});
    if (!library) return library.error();
    CublasXt found;
    found.sgemm_ = library->function<Sgemm>("cublasXtSgemm");
    auto* create = library->function<int(void**)>("cublasXtCreate");
    auto* destroy = library->function<int(void*)>("cublasXtDestroy");
    auto* select = library->function<int(void*, int, int*)>("cublasXtDeviceSelect");
    auto* property = library->function<int(int which, int* value)>("cublasGetProperty"); // major, minor, patch
    if (!found.sgemm_ || !create || !destroy || !select || !property)
        return Error{Failure::missing,
                     base::say("{} lacks cublasXt", *path),
                     {},
                     base::say("install the CUDA Toolkit's cuBLAS")};
    void* handle = nullptr;
    if (auto done = cublas_status("cublasXt", create(&handle), base::phrase("its start")); !done) return done.error();
    found.handle_ = std::shared_ptr<void>(handle, destroy);
    if (auto done = cublas_status("cublasXt", select(handle, 1, &device), base::phrase("choosing the GPU")); !done)
        return done.error();
    int version[3] = {};
    for (int which = 0; which < 3; ++which)
        if (auto done = cublas_status("cublasXt", property(which, &version[which]), base::phrase("its version")); !done)
            return done.error();
    found.version_ = fmt::format("{}.{}.{}", version[0], version[1], version[2]);
    return found;
}

// Column-major libraries see our row-major matrices transposed: C' = B' A'.
base::Status CublasXt::multiply(const Launch& launch, const float* a, const float* b, float* c) const {
    const auto m = static_cast<size_t>(launch.problem.m), n = static_cast<size_t>(launch.problem.n),
               k = static_cast<size_t>(launch.problem.k);
    const auto alpha = static_cast<float>(launch.alpha), beta = static_cast<float>(launch.beta);
    return cublas_status("cublasXt",
                         sgemm_(handle_.get(), no_transpose, no_transpose, n, m, k, &alpha, b, n, a, k, &beta, c, n),
                         base::phrase("the multiplication"));
}

} // namespace gpu
