#include "gpu/worker/rig.h"

#include "base/memory.h"
#include "measure/seeded.h"

#include <tuple>
#include <utility>

namespace gpu {
namespace {

using base::Error;
using base::Failure;
using base::Status;

bool is_packed(const Launch& launch) { return launch.matrix('A').packing != base::Packing::none; }

Status check_room(const Driver& driver, const Launch& launch) {
    size_t free = 0, total = 0;
    if (auto done =
            driver.check(driver.memory_info(&free, &total), base::phrase("cannot ask for the GPU's free memory"));
        !done)
        return done;
    auto [m, n, k] = launch.problem;
    const auto bytes = [&](char name) { return static_cast<double>(launch.matrix(name).bytes()); };
    double needed = bytes('A') + bytes('B') + bytes('C') * (launch.reads_c() ? 2 : 1);
    if (is_packed(launch)) needed += sizeof(float) * (static_cast<double>(m) * k + static_cast<double>(k) * n);
    if (needed <= static_cast<double>(free)) return base::Done{};
    constexpr double gib = 1 << 30;
    return Error{Failure::missing,
                 base::say("{} x {} x {} needs {:.1f} GiB on the GPU, {:.1f} GiB are free", m, n, k, needed / gib,
                           static_cast<double>(free) / gib),
                 {},
                 base::say("choose a smaller size or end other programs on the GPU")};
}

// A and B, bits as floats, too; C before, and as the kernel and cuBLAS leave it.
Status check_host(const Launch& launch) {
    auto [m, n, k] = launch.problem;
    const auto bytes = [&](char name) { return static_cast<double>(launch.matrix(name).bytes()); };
    double needed = bytes('A') + bytes('B') + bytes('C') * (launch.reads_c() ? 3 : 2);
    if (is_packed(launch)) needed += sizeof(float) * (static_cast<double>(m) * k + static_cast<double>(k) * n);
    return base::fits_memory(needed, base::say("{} x {} x {} in host memory", m, n, k));
}

} // namespace

Rig::Rig(Launch launch, Matrices matrices, DeviceArray before, GemmArguments arguments, Stopwatch watch)
    : launch_(std::move(launch)), matrices_(std::move(matrices)), before_(std::move(before)),
      arguments_(std::move(arguments)), watch_(std::move(watch)) {}

base::Result<std::unique_ptr<Rig>> Rig::build(const Driver& driver, const Launch& launch, DeviceProduct library) {
    for (auto room : {check_room(driver, launch), check_host(launch)})
        if (!room) return room.error();
    auto matrices = Matrices::allocate(driver, launch);
    if (!matrices) return matrices.error();
    auto before = DeviceArray::allocate(driver, launch.reads_c() ? launch.matrix('C').bytes() : sizeof(float));
    if (!before) return before.error();
    auto arguments =
        GemmArguments::make(driver, launch, matrices->a.address(), matrices->b.address(), matrices->c.address());
    if (!arguments) return arguments.error();
    auto watch = Stopwatch::create(driver);
    if (!watch) return watch.error();
    std::unique_ptr<Rig> rig(
        new Rig(launch, std::move(*matrices), std::move(*before), std::move(*arguments), std::move(*watch)));
    rig->library_ = std::move(library);
    if (!rig->library_) {
        auto kernel = LoadedKernel::load(driver, launch);
        if (!kernel) return kernel.error();
        rig->kernel_.emplace(std::move(*kernel));
    }
    if (auto filled = rig->fill(driver); !filled) return filled.error();
    return rig;
}

Status Rig::fill(const Driver& driver) {
    host_a_ = measure::seeded(launch_, 'A');
    host_b_ = measure::seeded(launch_, 'B');
    if (auto done = upload(matrices_.a, launch_.matrix('A'), host_a_.bytes()); !done) return done;
    if (auto done = upload(matrices_.b, launch_.matrix('B'), host_b_.bytes()); !done) return done;
    if (is_packed(launch_))
        if (auto done = unpack(driver); !done) return done;
    if (!launch_.reads_c()) return base::Done{};
    host_c_ = measure::seeded(launch_, 'C');
    return upload(before_, launch_.matrix('C'), host_c_.bytes());
}

// cuBLAS and the reference get floats of +1 and -1.
Status Rig::unpack(const Driver& driver) {
    for (auto [name, host, device] : {std::tuple{'A', &host_a_, &float_a_}, {'B', &host_b_, &float_b_}}) {
        const std::span words(reinterpret_cast<const uint32_t*>(host->bytes().data()), host->size());
        *host = base::Numbers(base::NumbersView(base::unpacked(launch_.matrix(name).layout(), words)));
        auto made = DeviceArray::allocate(driver, host->bytes().size());
        if (!made) return made.error();
        if (auto done = made->upload(host->bytes()); !done) return done;
        device->emplace(std::move(*made));
    }
    return base::Done{};
}

Status Rig::reset() { return launch_.reads_c() ? matrices_.c.copy(before_) : matrices_.c.poison(); }

Status Rig::exchange(const Driver& driver, const Launch& launch) {
    auto kernel = LoadedKernel::load(driver, launch);
    if (!kernel) return kernel.error();
    auto arguments =
        GemmArguments::make(driver, launch, matrices_.a.address(), matrices_.b.address(), matrices_.c.address());
    if (!arguments) return arguments.error();
    kernel_.reset();
    kernel_.emplace(std::move(*kernel));
    arguments_ = std::move(*arguments);
    launch_ = launch;
    return base::Done{};
}

Status Rig::launch_kernel() {
    if (auto done = matrices_.prefetch(); !done) return done;
    return kernel_ ? kernel_->run(launch_, arguments_)
                   : library_(matrices_.a.address(), matrices_.b.address(), matrices_.c.address());
}

base::Result<double> Rig::time_kernel(Deadline deadline) {
    if (auto done = matrices_.place(); !done) return done.error();
    return watch_.time([&] { return launch_kernel(); }, deadline);
}

base::Result<double> Rig::time_cublas(const CublasAlgorithm& algorithm, Deadline deadline) {
    if (auto done = matrices_.settle(); !done) return done.error();
    return watch_.time([&] { return launch_cublas(algorithm); }, deadline);
}

Status Rig::load_recording(const Driver& driver, const std::vector<std::byte>& image) {
    Launch launch = launch_;
    launch.image = image;
    auto kernel = LoadedKernel::load(driver, launch);
    if (!kernel) return kernel.error();
    auto records = DeviceArray::allocate(driver, launch_.grid.count() * sizeof(measure::BlockRecord));
    if (!records) return records.error();
    recording_.emplace(Recording{std::move(*kernel), std::move(*records)});
    return base::Done{};
}

Status Rig::launch_recording() {
    if (auto done = recording_->records.clear(); !done) return done;
    if (auto done = matrices_.prefetch(); !done) return done;
    CUdeviceptr records = recording_->records.address();
    auto arguments = arguments_.pointers();
    arguments.push_back(&records);
    return recording_->kernel.run(launch_.grid, launch_.block, launch_.dynamic_shared_bytes, arguments.data());
}

base::Result<std::vector<measure::BlockRecord>> Rig::records() const {
    std::vector<measure::BlockRecord> records(launch_.grid.count());
    if (auto done = recording_->records.download(std::as_writable_bytes(std::span(records))); !done)
        return done.error();
    return records;
}

base::Result<base::Numbers> Rig::download() const { return gpu::download(matrices_.c, launch_.matrix('C')); }

} // namespace gpu
