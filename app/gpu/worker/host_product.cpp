#include "gpu/worker/host_product.h"

#include "base/memory.h"
#include "gpu/worker/cublas_xt.h"
#include "measure/host_product.h"

namespace gpu {

base::Result<measure::NotedPoint> bench_host_product(Station& station, const HostProductRequest& request,
                                                     const Report& report) {
    const Launch& launch = request.launch;
    const Driver& driver = station.context.driver();
    auto library = CublasXt::open(request.device);
    if (!library) return library.error();
    double host = 0;
    for (const char name : {'A', 'B', 'C'}) host += static_cast<double>(launch.matrix(name).bytes());
    const auto [m, n, k] = launch.problem;
    if (auto fits = base::fits_memory(host, base::say("{} x {} x {} in host memory", m, n, k)); !fits)
        return fits.error();
    const auto allocate = [&](char name) { return HostArray::allocate(driver, launch.matrix(name).bytes()); };
    auto a = allocate('A'), b = allocate('B'), c = allocate('C');
    for (auto* array : {&a, &b, &c})
        if (!*array) return array->error();
    const auto values = [](HostArray& array) { return reinterpret_cast<float*>(array.bytes().data()); };
    const auto multiply = [&]() -> base::Status {
        if (auto done = library->multiply(launch, values(*a), values(*b), values(*c)); !done) return done;
        return driver.check(driver.context_synchronize(), base::phrase("the product failed"));
    };
    auto point =
        measure::bench({launch, a->bytes(), b->bytes(), c->bytes(), multiply, base::say("install another cuBLAS")},
                       {.most = request.max_samples, .time_limit_s = request.time_limit_s / 2}, report);
    if (!point) return point.error();
    point->device = station.device.name;
    point->driver = station.driver_version;
    point->library = "cublasXt " + library->version();
    point->sm_clock_mhz = station.nvml.sm_mhz();
    return measure::NotedPoint{std::move(*point), {}};
}

} // namespace gpu
