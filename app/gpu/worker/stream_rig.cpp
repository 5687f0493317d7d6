#include "gpu/worker/stream_rig.h"

#include "base/memory.h"
#include "base/text.h"
#include "measure/seeded.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gpu {
namespace {

using base::Error;
using base::Failure;
using base::Status;

Status check_room(const Driver& driver, const Launch& launch, const measure::StreamPlan& plan) {
    const auto bytes = [&](char name) { return static_cast<double>(launch.matrix(name).bytes()); };
    const auto [m, n, k] = launch.problem;
    const double host = bytes('A') + bytes('B') + bytes('C') * (launch.beta == 0 ? 1 : 2);
    if (auto fits = base::fits_memory(host, base::say("{} x {} x {} in host memory", m, n, k)); !fits) return fits;
    size_t free = 0, total = 0;
    if (auto done =
            driver.check(driver.memory_info(&free, &total), base::phrase("cannot ask for the GPU's free memory"));
        !done)
        return done;
    if (plan.device_bytes <= free) return base::Done{};
    return Error{Failure::missing,
                 base::say("the buffers need {} on the GPU, {} more than is free", base::bytes_text(plan.device_bytes),
                           base::bytes_text(plan.device_bytes - free)),
                 {},
                 base::say("choose smaller tiles or pieces, fewer buffers, or end other programs on the GPU")};
}

template <class Made, class Make>
Status make_several(std::vector<Made>& into, size_t count, Make make) {
    for (size_t i = 0; i < count; ++i) {
        auto made = make();
        if (!made) return made.error();
        into.push_back(std::move(*made));
    }
    return base::Done{};
}

} // namespace

StreamRig::StreamRig(const Driver& driver, StreamRequest request, measure::StreamPlan plan, LoadedKernel kernel,
                     HostArray a, HostArray b, HostArray c, Buffers buffers, std::vector<DeviceStream> streams,
                     std::vector<DeviceEvent> events, Stopwatch watch)
    : driver_(&driver), request_(std::move(request)), plan_(std::move(plan)), kernel_(std::move(kernel)),
      a_(std::move(a)), b_(std::move(b)), c_(std::move(c)), buffers_(std::move(buffers)), streams_(std::move(streams)),
      events_(std::move(events)), watch_(std::move(watch)) {}

base::Result<std::unique_ptr<StreamRig>> StreamRig::build(const Driver& driver, const StreamRequest& request,
                                                          measure::StreamPlan plan) {
    const Launch& launch = request.launch;
    if (auto room = check_room(driver, launch, plan); !room) return room.error();
    auto kernel = LoadedKernel::load(driver, launch);
    if (!kernel) return kernel.error();
    Buffers buffers;
    std::vector<DeviceStream> streams;
    std::vector<DeviceEvent> events;
    const auto several = [&](std::vector<DeviceArray>& into, int count, uint64_t bytes) {
        return make_several(into, static_cast<size_t>(count), [&] { return DeviceArray::allocate(driver, bytes); });
    };
    for (auto made :
         {several(buffers.a, plan.shape.buffers, plan.a_bytes), several(buffers.b, plan.shape.buffers, plan.b_bytes),
          several(buffers.c, plan.c_buffers, plan.c_bytes),
          make_several(streams, measure::stream_rows, [&] { return DeviceStream::create(driver); }),
          make_several(events, 2 * plan.operations.size(), [&] { return DeviceEvent::create(driver); })})
        if (!made) return made.error();
    const auto pinned = [&](char name) { return HostArray::allocate(driver, launch.matrix(name).bytes()); };
    auto a = pinned('A'), b = pinned('B'), c = pinned('C');
    for (auto* array : {&a, &b, &c})
        if (!*array) return array->error();
    auto watch = Stopwatch::create(driver);
    if (!watch) return watch.error();
    std::unique_ptr<StreamRig> rig(new StreamRig(driver, request, std::move(plan), std::move(*kernel), std::move(*a),
                                                 std::move(*b), std::move(*c), std::move(buffers), std::move(streams),
                                                 std::move(events), std::move(*watch)));
    measure::seed(launch, 'A', rig->a_.bytes());
    measure::seed(launch, 'B', rig->b_.bytes());
    if (launch.beta == 0) return rig;
    auto before = pinned('C');
    if (!before) return before.error();
    measure::seed(launch, 'C', before->bytes());
    rig->before_.emplace(std::move(*before));
    return rig;
}

base::NumbersView StreamRig::view(char matrix, const HostArray& array) const {
    return {request_.launch.matrix(matrix).element, array.bytes()};
}

DeviceStream::Place StreamRig::host(char matrix, const HostArray& array, int row, int column) const {
    const catalog::Matrix shape = request_.launch.matrix(matrix);
    const size_t pitch = shape.pitch();
    return {array.bytes().data() + static_cast<size_t>(row) * pitch +
                static_cast<size_t>(column) * base::bytes_of(shape.element),
            0, pitch};
}

// The piece of A, m x k, and the piece of B, k x n, each packed.
Status StreamRig::load(const measure::StreamOperation& o, const DeviceStream& stream) {
    const size_t element = base::bytes_of(request_.launch.matrix('A').element), buffer = static_cast<size_t>(o.buffer);
    const size_t a_row = static_cast<size_t>(o.size.k) * element, b_row = static_cast<size_t>(o.size.n) * element;
    auto done = stream.copy(host('A', a_, o.row, o.k), {nullptr, buffers_.a[buffer].address(), a_row}, a_row,
                            static_cast<size_t>(o.size.m));
    if (!done) return done;
    return stream.copy(host('B', b_, o.k, o.column), {nullptr, buffers_.b[buffer].address(), b_row}, b_row,
                       static_cast<size_t>(o.size.k));
}

Status StreamRig::copy_c(const measure::StreamOperation& o, const DeviceStream& stream) {
    const size_t row = static_cast<size_t>(o.size.n) * base::bytes_of(request_.launch.matrix('C').element);
    const DeviceStream::Place there{nullptr, buffers_.c[static_cast<size_t>(o.c_buffer)].address(), row};
    const auto rows = static_cast<size_t>(o.size.m);
    if (o.step == measure::StreamStep::store) return stream.copy(there, host('C', c_, o.row, o.column), row, rows);
    return stream.copy(host('C', *before_, o.row, o.column), there, row, rows);
}

Status StreamRig::multiply(const measure::StreamOperation& o, const DeviceStream& stream) {
    const Launch& launch = request_.launch;
    const auto is_it = [&](const StreamRequest::Grid& grid) { return grid.piece == o.size; };
    const auto grid = std::find_if(request_.grids.begin(), request_.grids.end(), is_it);
    auto [m, n, k] = o.size;
    if (grid == request_.grids.end())
        return Error{Failure::usage, base::say("the request has no grid for a piece of {} x {} x {}", m, n, k), {}, {}};
    const auto buffer = static_cast<size_t>(o.buffer);
    CUdeviceptr a = buffers_.a[buffer].address(), b = buffers_.b[buffer].address(),
                c = buffers_.c[static_cast<size_t>(o.c_buffer)].address();
    // The first piece meets C as it was, the others the sum so far.
    Factor alpha(launch.operands, launch.alpha), beta(launch.operands, o.piece == 0 ? launch.beta : 1);
    std::array<void*, 8> arguments{&m, &n, &k, alpha.pointer(), &a, &b, beta.pointer(), &c};
    return kernel_.run(grid->grid, launch.block, launch.dynamic_shared_bytes, arguments.data(), stream.handle());
}

Status StreamRig::start(size_t at) {
    const measure::StreamOperation& o = plan_.operations[at];
    const DeviceStream& stream = streams_[static_cast<size_t>(measure::row_of(o.step))];
    for (const int before : o.after)
        if (before >= 0)
            if (auto done = stream.wait_for(ended(static_cast<size_t>(before))); !done) return done;
    if (auto done = started(at).record(stream.handle()); !done) return done;
    auto done = o.step == measure::StreamStep::load       ? load(o, stream)
                : o.step == measure::StreamStep::multiply ? multiply(o, stream)
                                                          : copy_c(o, stream);
    if (!done) return done;
    return ended(at).record(stream.handle());
}

base::Result<std::vector<measure::StreamTime>> StreamRig::run(Deadline deadline) {
    std::memset(c_.bytes().data(), 0xff, c_.bytes().size()); // NaN
    const size_t count = plan_.operations.size();
    for (size_t i = 0; i < count; ++i)
        if (auto done = start(i); !done) return done.error();
    // The last operation is the last store, which comes after everything else.
    if (auto done = ended(count - 1).wait(deadline); !done) return done.error();
    std::vector<measure::StreamTime> times;
    for (size_t i = 0; i < count; ++i) {
        auto start = started(i).ms_since(started(0)), end = ended(i).ms_since(started(0));
        if (!start) return start.error();
        if (!end) return end.error();
        times.push_back({*start, *end});
    }
    return times;
}

base::Result<double> StreamRig::in_core_ms(Deadline deadline) {
    const Launch& launch = request_.launch;
    size_t free = 0, total = 0;
    if (auto done =
            driver_->check(driver_->memory_info(&free, &total), base::phrase("cannot ask for the GPU's free memory"));
        !done)
        return done.error();
    const auto bytes = [&](char name) { return launch.matrix(name).bytes(); };
    if (bytes('A') + bytes('B') + bytes('C') > free) return 0.0;
    auto a = DeviceArray::allocate(*driver_, bytes('A')), b = DeviceArray::allocate(*driver_, bytes('B')),
         c = DeviceArray::allocate(*driver_, bytes('C'));
    if (!a || !b || !c) return 0.0; // what is free lies in pieces
    auto arguments = GemmArguments::make(*driver_, launch, a->address(), b->address(), c->address());
    if (!arguments) return arguments.error();
    whole_.emplace(Whole{std::move(*a), std::move(*b), std::move(*c), std::move(*arguments)});
    if (auto done = whole_->a.upload(a_.bytes()); !done) return done.error();
    if (auto done = whole_->b.upload(b_.bytes()); !done) return done.error();
    if (auto done = whole_->c.upload((before_ ? *before_ : c_).bytes()); !done) return done.error();
    const auto launched = [&] { return kernel_.run(launch, whole_->arguments); };
    if (auto warm = watch_.time(launched, deadline); !warm) return warm.error();
    return watch_.time(launched, deadline);
}

} // namespace gpu
