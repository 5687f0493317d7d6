#include "gpu/worker/rig.h"

#include <fmt/format.h>

#include <utility>

namespace gpu {
namespace {

using base::Error;
using base::Failure;
using base::Status;

size_t area(int rows, int columns) { return static_cast<size_t>(rows) * static_cast<size_t>(columns); }

Status check_room(const Driver& driver, const Launch& launch) {
    size_t free = 0, total = 0;
    if (auto done = driver.check(driver.memory_info(&free, &total), "cannot ask for the GPU's free memory"); !done) return done;
    auto [m, n, k] = launch.problem;
    double needed = sizeof(float) * (static_cast<double>(area(m, k)) + static_cast<double>(area(k, n)) +
                                     static_cast<double>(area(m, n)) * (launch.beta == 0 ? 1 : 2));
    if (needed <= static_cast<double>(free)) return base::Done{};
    constexpr double gib = 1 << 30;
    return Error{Failure::missing,
                 fmt::format("{} x {} x {} needs {:.1f} GiB on the GPU, {:.1f} GiB are free", m, n, k, needed / gib, static_cast<double>(free) / gib),
                 {}, "choose a smaller size or end other programs on the GPU"};
}

} // namespace

Rig::Rig(Launch launch, LoadedKernel kernel, DeviceFloats a, DeviceFloats b, DeviceFloats c,
         DeviceFloats before, GemmArguments arguments, Stopwatch watch)
    : launch_(std::move(launch)), kernel_(std::move(kernel)), a_(std::move(a)), b_(std::move(b)),
      c_(std::move(c)), before_(std::move(before)), arguments_(std::move(arguments)),
      watch_(std::move(watch)) {}

base::Result<std::unique_ptr<Rig>> Rig::build(const Driver& driver, const Launch& launch) {
    if (auto room = check_room(driver, launch); !room) return room.error();
    auto kernel = LoadedKernel::load(driver, launch);
    if (!kernel) return kernel.error();
    auto [m, n, k] = launch.problem;
    auto a = DeviceFloats::allocate(driver, area(m, k)), b = DeviceFloats::allocate(driver, area(k, n)),
         c = DeviceFloats::allocate(driver, area(m, n)), before = DeviceFloats::allocate(driver, launch.beta == 0 ? 1 : area(m, n));
    for (auto* floats : {&a, &b, &c, &before})
        if (!*floats) return floats->error();
    auto arguments = GemmArguments::make(driver, launch, a->address(), b->address(), c->address());
    if (!arguments) return arguments.error();
    auto watch = Stopwatch::create(driver);
    if (!watch) return watch.error();
    std::unique_ptr<Rig> rig(new Rig(launch, std::move(*kernel), std::move(*a), std::move(*b), std::move(*c),
                                     std::move(*before), std::move(*arguments), std::move(*watch)));
    if (auto filled = rig->fill(); !filled) return filled.error();
    return rig;
}

Status Rig::fill() { // the streams are the arguments' numbers, see Launch
    auto [m, n, k] = launch_.problem;
    host_a_ = seeded(launch_.seed, 4, area(m, k));
    host_b_ = seeded(launch_.seed, 5, area(k, n));
    if (auto done = a_.upload(host_a_); !done) return done;
    if (auto done = b_.upload(host_b_); !done) return done;
    if (launch_.beta == 0) return base::Done{};
    host_c_ = seeded(launch_.seed, 7, area(m, n));
    return before_.upload(host_c_);
}

Status Rig::reset() { return launch_.beta == 0 ? c_.poison() : c_.copy(before_); }

base::Result<std::vector<float>> Rig::download() const {
    std::vector<float> values(area(launch_.problem.m, launch_.problem.n));
    if (auto done = c_.download(values); !done) return done.error();
    return values;
}

} // namespace gpu
