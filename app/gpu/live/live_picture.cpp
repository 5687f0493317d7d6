#include "gpu/live/live_picture.h"

#include "gpu/driver/matrices.h"
#include "gpu/live/interop.h"
#include "gpu/live/upload_queue.h"
#include "measure/seeded.h"

#include "compile/compiler.h"

#include <glad/gl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <utility>

namespace gpu {
namespace {

using base::Error;
using base::Failure;
using base::Status;

template <class T>
bool ready(const std::future<T>& future) {
    return future.valid() && future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

// As the picture shows them.
std::vector<float> as_floats(base::NumbersView values) {
    std::vector<float> floats(values.size());
    for (size_t i = 0; i < floats.size(); ++i) floats[i] = static_cast<float>(values[i]);
    return floats;
}

constexpr int texels_at_once = 2 << 20; // handed to OpenGL in one frame: some milliseconds

FieldFacts facts_of(std::span<const float> values) {
    FieldFacts facts;
    for (float value : values) {
        if (std::isfinite(value)) facts.largest = std::max(facts.largest, std::abs(value));
        else facts.finite = false;
    }
    return facts;
}

// What takes long and needs no OpenGL: a context of the device, its description, and the kernel that writes pictures.
struct Prepared {
    std::shared_ptr<Context> context; // keeps the device's primary context alive until the window's thread has it too
    measure::Device device;
    std::optional<Launch> writer; // nothing: no interop
    base::Sentence no_writer;     // why it could not be compiled
};

base::Result<Prepared> prepare(std::shared_ptr<const Driver> driver, CUdevice handle, bool interop) {
    auto context = Context::open_device(driver, handle);
    if (!context) return context.error();
    auto device = describe(*driver, handle);
    if (!device) return device.error();
    Prepared prepared{std::make_shared<Context>(std::move(*context)), std::move(*device), {}, {}};
    if (!interop) return prepared;
    auto compiled = compile::to_machine_code({picture_source, "picture.cu", "", {}, prepared.device.arch});
    if (!compiled.value) {
        prepared.no_writer = compiled.failed->error.said();
        return prepared;
    }
    Launch writer;
    writer.kernel = picture_entry;
    writer.image = compiled.value->cubin;
    writer.entry = compiled.value->entry;
    prepared.writer = std::move(writer);
    return prepared;
}

// The GPU as this window uses it, opened once.
struct Gpu {
    explicit Gpu(Context opened) : context(std::move(opened)) {}

    Context context;
    measure::Device device;
    std::optional<GraphicsTable> graphics; // nothing: through the host
    std::optional<LoadedKernel> writer;
    std::optional<SharedTexture> texture, error_texture; // of the size below
    int m = 0, n = 0;
};

// One launch on its way: its matrices first, then the kernel.
struct Flight {
    std::shared_ptr<const LiveRun> run;
    LoadedKernel kernel;
    Matrices matrices;
    DeviceArray exact; // what C should be, of float64; a word without that
    GemmArguments arguments;
    DeviceEvent start, stop;
    UploadQueue uploads{};
    Deadline deadline{}; // of the kernel, once that is launched
    bool launched = false;
    bool dropped = false; // nobody wants its result any more

    base::Status launch();
};

base::Status Flight::launch() {
    deadline = after(run->time_limit_s);
    launched = true;
    if (auto done = matrices.place(); !done) return done;
    if (auto done = start.record(); !done) return done;
    if (auto done = matrices.prefetch(); !done) return done;
    if (auto done = kernel.run(run->launch, arguments); !done) return done;
    return stop.record();
}

// After a fault of any process on the GPU (Xid 31 in the kernel's log) driver 580 loses the first picture that a process draws after it
// has opened CUDA, and stops OpenGL for 15 seconds; the next ones are right. So that first picture is one that nobody sees. Found on an
// H200 on 2026-11-24, with 64 x 64 pixels; 4 x 4 did not take it away.
void draw_unseen(const std::filesystem::path& shaders) {
    constexpr int edge = 64;
    auto texture = FieldTexture::create(shaders);
    if (!texture || !(*texture)->resize(edge, edge)) return;
    (*texture)->upload(std::vector<float>(edge * edge));
    (*texture)->picture(edge, edge, {});
    glFinish();
}

// Room for the matrices on the device; nothing is copied or launched yet.
base::Result<std::unique_ptr<Flight>> board(const Driver& driver, std::shared_ptr<const LiveRun> run) {
    auto kernel = LoadedKernel::load(driver, run->launch);
    if (!kernel) return kernel.error();
    const std::span<const double> expected = run->exact ? std::span(*run->exact.c) : std::span<const double>();
    const auto [m, n, k] = run->launch.problem;
    if (run->exact && expected.size() != static_cast<size_t>(m) * static_cast<size_t>(n))
        return Error{Failure::usage, base::say("the reference is of another size than C"), {}, {}};
    auto matrices = Matrices::allocate(driver, run->launch);
    if (!matrices) return matrices.error();
    auto exact = DeviceArray::allocate(driver, std::max(expected.size_bytes(), sizeof(double)));
    if (!exact) return exact.error();
    auto arguments =
        GemmArguments::make(driver, run->launch, matrices->a.address(), matrices->b.address(), matrices->c.address());
    if (!arguments) return arguments.error();
    auto start = DeviceEvent::create(driver), stop = DeviceEvent::create(driver);
    for (auto* event : {&start, &stop})
        if (!*event) return event->error();
    if (run->before.empty())
        if (auto done = matrices->c.poison(); !done) return done.error();
    auto flight = std::make_unique<Flight>(Flight{run, std::move(*kernel), std::move(*matrices), std::move(*exact),
                                                  std::move(*arguments), std::move(*start), std::move(*stop)});
    flight->uploads.add(flight->matrices.a, run->a.bytes());
    flight->uploads.add(flight->matrices.b, run->b.bytes());
    flight->uploads.add(flight->matrices.c, run->before.bytes());
    flight->uploads.add(flight->exact, std::as_bytes(expected));
    return flight;
}

} // namespace

std::vector<float> errors_of(base::NumbersView c, const Exact& exact) {
    std::vector<float> errors(c.size());
    for (size_t i = 0; i < c.size(); ++i)
        errors[i] = static_cast<float>(std::abs(c[i] - (*exact.c)[i]) / exact.tolerance);
    return errors;
}

HostField host_field(base::NumbersView c, int m, int n, const Exact& exact) {
    HostField made;
    made.m = m, made.n = n;
    made.c = as_floats(c);
    if (exact) made.error = errors_of(c, exact);
    const FieldFacts facts = facts_of(made.c);
    made.largest = facts.largest, made.finite = facts.finite;
    made.largest_error = facts_of(made.error).largest;
    return made;
}

LiveRun live_run(Launch launch) {
    LiveRun run;
    run.a = measure::seeded_in_rows(launch, 'A');
    run.b = measure::seeded_in_rows(launch, 'B');
    if (launch.reads_c()) run.before = measure::seeded_in_rows(launch, 'C');
    run.launch = std::move(launch);
    return run;
}

struct LivePicture::Impl {
    ~Impl();

    State state;
    std::filesystem::path shaders;
    std::unique_ptr<FieldTexture> field, error_field;
    std::shared_ptr<const HostField> uploading; // what the host gives OpenGL
    int uploaded_rows = 0;                      // of it
    RunFor wanted_for;                          // waits for the GPU's architecture
    std::future<base::Result<LiveRun>> making;
    bool making_dropped = false; // nobody wants what is being made any more
    // In this order a run comes to its picture; each stage waits for the one before.
    std::shared_ptr<const LiveRun> wanted;
    std::future<base::Result<std::shared_ptr<const Driver>>> opening;
    std::shared_ptr<const Driver> driver;
    std::future<base::Result<Prepared>> preparing;
    std::optional<GraphicsTable> graphics; // found while the device is prepared
    std::unique_ptr<Gpu> gpu;
    std::unique_ptr<Flight> flight;
    std::unique_ptr<Flight> overdue; // has not ended in time: until it has, CUDA would wait for it
    struct Doubles {
        DeviceArray c;
        catalog::Matrix shape;
    };
    std::optional<Doubles> doubles; // C on the GPU, where the picture shows it rounded

    bool step();
    bool begin_preparing();
    bool enter(Prepared prepared);
    bool make();
    void drop();
    bool launch();
    bool take_off();
    bool land();
    struct Facts { // as State has them
        float largest = 0;
        bool finite = true;
        std::optional<float> largest_error;
    };
    Status resize(int m, int n);
    Status paint(Flight&, double ms);
    base::Result<Facts> fill(Flight&);
    base::Result<Facts> fill_through_interop(Flight&);
    base::Result<FieldFacts> write(std::optional<SharedTexture>&, FieldTexture&, SharedTexture::Source);
    base::Result<Facts> fill_through_host(Flight&);
    bool upload_piece();
    void use_host(base::Sentence why);
    bool fail(Error);
    bool fail_on_gpu(Error); // of a call of CUDA
    bool context_is_lost() const;
    bool look_at_overdue();
    void part_from_textures();
    void lose();
};

// To give anything back would wait for the kernel; the process's end does it.
LivePicture::Impl::~Impl() {
    if (!overdue && !state.lost) return;
    part_from_textures();
    (void)overdue.release();
    (void)flight.release();
    (void)gpu.release();
}

namespace {

base::Sentence elsewhere() {
    return base::say("the worker still measures (R); start gemmscope again for pictures by the GPU");
}

} // namespace

// CUDA knows C's textures and memory: to change them would wait for the kernel. Others take their place.
void LivePicture::Impl::part_from_textures() {
    if (doubles) (void)new Doubles(std::move(*doubles));
    doubles.reset();
    if (!gpu || !gpu->texture) return;
    for (auto* shared : {&gpu->texture, &gpu->error_texture}) {
        if (*shared) (void)new SharedTexture(std::move(**shared));
        shared->reset();
    }
    auto c = FieldTexture::create(shaders), off = FieldTexture::create(shaders);
    if (!c || !off) return; // never seen: those before were made by the same shaders
    (void)std::exchange(field, std::move(*c)).release();
    (void)std::exchange(error_field, std::move(*off)).release();
    gpu->m = gpu->n = 0;
    const base::Sentence reason = state.reason;
    state = {};
    state.reason = reason;
}

// The context of this process is gone: each further call would fail, and say what the first one said.
void LivePicture::Impl::lose() {
    part_from_textures();
    (void)flight.release();
    (void)gpu.release();
    state.lost = true;
}

// After an illegal address every call fails, whatever it is.
bool LivePicture::Impl::context_is_lost() const { return !DeviceEvent::create(*driver); }

bool LivePicture::Impl::fail_on_gpu(Error error) {
    if (!context_is_lost()) return fail(std::move(error));
    lose();
    error.todo = elsewhere();
    return fail(std::move(error));
}

// True: it has something to say to who wants a picture meanwhile.
bool LivePicture::Impl::look_at_overdue() {
    CUresult result = CUDA_SUCCESS;
    if (!overdue->stop.passed(result)) {
        if (!wanted && !wanted_for) return false;
        return fail({Failure::check_failed,
                     base::say("the GPU still executes a kernel that did not end within its time limit"),
                     {},
                     elsewhere()});
    }
    overdue.reset();
    auto done = driver->check(result, base::phrase("the kernel failed"));
    return !done && fail_on_gpu(done.error());
}

bool LivePicture::Impl::fail(Error error) {
    wanted = nullptr;
    wanted_for = nullptr;
    state.failed = std::move(error);
    return true;
}

void LivePicture::Impl::use_host(base::Sentence why) {
    state.reason = std::move(why);
    if (!gpu) return;
    gpu->texture.reset();
    gpu->error_texture.reset();
    gpu->writer.reset();
    gpu->graphics.reset();
}

// The next thing that can be done without waiting. True if it changed what there is to see.
bool LivePicture::Impl::step() {
    if (uploading) return upload_piece();
    if (overdue) return look_at_overdue();
    if (state.lost && (wanted || wanted_for))
        return fail({Failure::missing, base::say("a kernel has taken CUDA away from this process"), {}, elsewhere()});
    if (flight) return flight->launched ? land() : take_off();
    if (making.valid()) return make();
    if (!wanted && !wanted_for) return false;
    if (gpu) return wanted ? launch() : make();
    if (ready(preparing)) {
        auto prepared = preparing.get();
        return prepared ? enter(std::move(*prepared)) : fail(prepared.error());
    }
    if (preparing.valid()) return false;
    if (driver) return begin_preparing();
    if (!opening.valid()) opening = std::async(std::launch::async, [] { return Driver::open(); });
    if (!ready(opening)) return false;
    auto opened = opening.get();
    if (!opened) return fail(opened.error());
    driver = *opened;
    return begin_preparing();
}

// Only OpenGL's thread can say which GPU draws the window.
bool LivePicture::Impl::begin_preparing() {
    CUdevice device = 0;
    auto table = GraphicsTable::load(*driver);
    auto drawing = table ? device_of_context(*driver, *table) : base::Result<CUdevice>(table.error());
    if (drawing) {
        graphics = *table;
        device = *drawing;
    } else {
        use_host(drawing.error().said());
        auto first = driver->check(driver->device_get(&device, 0), base::phrase("cannot open the GPU"));
        if (!first) return fail(first.error());
    }
    preparing = std::async(std::launch::async, [driver = driver, device, interop = drawing.ok()] {
        auto prepared = prepare(driver, device, interop);
        driver->context_set(nullptr); // of that thread
        return prepared;
    });
    return true;
}

bool LivePicture::Impl::enter(Prepared prepared) {
    auto context = Context::open_device(driver, prepared.context->device());
    if (!context) return fail(context.error());
    gpu = std::make_unique<Gpu>(std::move(*context));
    draw_unseen(shaders);
    gpu->device = prepared.device;
    if (!graphics) return true;
    if (!prepared.writer) {
        use_host(prepared.no_writer);
        return true;
    }
    auto writer = LoadedKernel::load(*driver, *prepared.writer);
    if (!writer) {
        use_host(writer.error().said());
        return true;
    }
    gpu->graphics = graphics;
    gpu->writer.emplace(std::move(*writer));
    return true;
}

// From the wish for a run to the run.
bool LivePicture::Impl::make() {
    if (!making.valid()) {
        making_dropped = false;
        making = std::async(std::launch::async, [make = std::exchange(wanted_for, nullptr), arch = gpu->device.arch] {
            return make(arch);
        });
    }
    if (!ready(making)) return false;
    auto made = making.get();
    if (making_dropped) return false;
    if (!made) return fail(made.error());
    wanted = std::make_shared<const LiveRun>(std::move(*made));
    return false;
}

// Whatever is on its way has no taker any more.
void LivePicture::Impl::drop() {
    wanted = nullptr;
    wanted_for = nullptr;
    making_dropped = true;
    if (flight) flight->dropped = true;
}

bool LivePicture::Impl::launch() {
    if (wanted->launch.matrix('C').packing != base::Packing::none) {
        wanted = nullptr;
        return fail({Failure::usage, base::say("bits are not drawn on the GPU"), {}, base::say("this is the CPU's C")});
    }
    auto boarded = board(*driver, std::exchange(wanted, nullptr));
    if (!boarded) return fail_on_gpu(boarded.error());
    flight = std::move(*boarded);
    return false;
}

// A piece of the matrices, or, when all are there, the kernel.
bool LivePicture::Impl::take_off() {
    if (flight->dropped) {
        flight.reset();
        return false;
    }
    const Status done = flight->uploads.empty() ? flight->launch() : flight->uploads.step();
    if (done) return false;
    flight.reset();
    return fail_on_gpu(done.error());
}

bool LivePicture::Impl::land() {
    CUresult result = CUDA_SUCCESS;
    if (!flight->stop.passed(result)) {
        if (std::chrono::steady_clock::now() < flight->deadline) return false;
        overdue = std::move(flight);
        part_from_textures();
        return fail({Failure::check_failed,
                     base::say("the kernel did not end within the time limit"),
                     {},
                     base::say("choose a smaller size")});
    }
    auto landed = std::move(flight);
    if (landed->dropped) {
        if (result != CUDA_SUCCESS && context_is_lost()) lose();
        return false;
    }
    if (auto done = driver->check(result, base::phrase("the kernel failed")); !done) return fail_on_gpu(done.error());
    auto ms = landed->stop.ms_since(landed->start);
    if (!ms) return fail_on_gpu(ms.error());
    doubles.reset();
    if (auto painted = paint(*landed, *ms); !painted) return fail_on_gpu(painted.error());
    const catalog::Matrix shape = landed->run->launch.matrix('C');
    if (shape.element == base::NumberType::f64) doubles.emplace(Doubles{std::move(landed->matrices.c), shape});
    return true;
}

// Makes room for C and its error; what CUDA shares is let go before its texture is made anew.
Status LivePicture::Impl::resize(int m, int n) {
    if (gpu && (m != gpu->m || n != gpu->n)) {
        gpu->texture.reset();
        gpu->error_texture.reset();
    }
    for (FieldTexture* each : {field.get(), error_field.get()})
        if (auto done = each->resize(m, n); !done) return done;
    if (gpu) gpu->m = m, gpu->n = n;
    return base::Done{};
}

Status LivePicture::Impl::paint(Flight& landed, double ms) {
    const auto& problem = landed.run->launch.problem;
    if (auto done = resize(problem.m, problem.n); !done) return done;
    auto facts = fill(landed);
    if (!facts) return facts.error();
    state.path = gpu->graphics ? Path::interop : Path::host;
    state.device = gpu->device.name;
    state.m = problem.m;
    state.n = problem.n;
    state.largest = facts->largest;
    state.finite = facts->finite;
    state.largest_error = facts->largest_error;
    state.kernel_ms = ms;
    state.failed.reset();
    return base::Done{};
}

base::Result<LivePicture::Impl::Facts> LivePicture::Impl::fill(Flight& landed) {
    if (gpu->graphics) {
        auto facts = fill_through_interop(landed);
        if (facts) {
            state.reason = {};
            return facts;
        }
        use_host(facts.error().said());
    }
    return fill_through_host(landed);
}

base::Result<FieldFacts> LivePicture::Impl::write(std::optional<SharedTexture>& shared, FieldTexture& texture,
                                                  SharedTexture::Source source) {
    if (!shared) {
        auto made = SharedTexture::share(*driver, *gpu->graphics, texture.floats());
        if (!made) return made.error();
        shared.emplace(std::move(*made));
    }
    auto facts = shared->write(*gpu->writer, source);
    if (facts) texture.touched();
    return facts;
}

base::Result<LivePicture::Impl::Facts> LivePicture::Impl::fill_through_interop(Flight& landed) {
    const catalog::Matrix shape = landed.run->launch.matrix('C');
    SharedTexture::Source source{landed.matrices.c.address(),           0, 1, gpu->m, gpu->n, shape.leading_dimension(),
                                 shape.element == base::NumberType::f64};
    auto c = write(gpu->texture, *field, source);
    if (!c) return c.error();
    const Exact& exact = landed.run->exact;
    if (!exact) return Facts{c->largest, c->finite, {}};
    source.reference = landed.exact.address();
    source.tolerance = exact.tolerance;
    auto off = write(gpu->error_texture, *error_field, source);
    if (!off) return off.error();
    return Facts{c->largest, c->finite, off->largest};
}

base::Result<LivePicture::Impl::Facts> LivePicture::Impl::fill_through_host(Flight& landed) {
    auto values = download(landed.matrices.c, landed.run->launch.matrix('C'));
    if (!values) return values.error();
    const HostField made = host_field(*values, gpu->m, gpu->n, landed.run->exact);
    field->upload(made.c);
    if (!made.error.empty()) error_field->upload(made.error);
    return Facts{made.largest, made.finite, made.error.empty() ? std::nullopt : std::optional(made.largest_error)};
}

// As many rows of C and its error as a frame has time for. True once there is a picture.
bool LivePicture::Impl::upload_piece() {
    const HostField& from = *uploading;
    const int rows = std::clamp(texels_at_once / from.n, 1, from.m - uploaded_rows);
    const auto piece = [&](const std::vector<float>& all) {
        const auto n = static_cast<size_t>(from.n);
        return std::span(all).subspan(n * static_cast<size_t>(uploaded_rows), n * static_cast<size_t>(rows));
    };
    field->upload(piece(from.c), uploaded_rows);
    if (!from.error.empty()) error_field->upload(piece(from.error), uploaded_rows);
    uploaded_rows += rows;
    if (uploaded_rows < from.m) return false;
    state.path = Path::host;
    state.m = from.m, state.n = from.n;
    state.largest = from.largest, state.finite = from.finite;
    if (!from.error.empty()) state.largest_error = from.largest_error;
    uploading.reset();
    return true;
}

LivePicture::LivePicture(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LivePicture::~LivePicture() = default;

base::Result<std::unique_ptr<LivePicture>> LivePicture::create(const std::filesystem::path& shaders) {
    auto field = FieldTexture::create(shaders), error = FieldTexture::create(shaders);
    for (auto* each : {&field, &error})
        if (!*each) return each->error();
    auto impl = std::make_unique<Impl>();
    impl->shaders = shaders;
    impl->field = std::move(*field);
    impl->error_field = std::move(*error);
    return std::unique_ptr<LivePicture>(new LivePicture(std::move(impl)));
}

Status LivePicture::show(std::shared_ptr<const HostField> given) {
    impl_->drop();
    impl_->doubles.reset();
    impl_->uploading.reset();
    State& state = impl_->state;
    if (auto done = impl_->resize(given->m, given->n); !done) return done;
    state = {Path::none, state.reason, {}, 0, 0, 0, true, {}, 0, {}, state.lost};
    impl_->uploading = std::move(given);
    impl_->uploaded_rows = 0;
    return base::Done{};
}

bool LivePicture::uploading() const { return impl_->uploading != nullptr; }

Status LivePicture::show(base::NumbersView c, int m, int n, const Exact& exact) {
    if (auto done = show(std::make_shared<const HostField>(host_field(c, m, n, exact))); !done) return done;
    while (uploading()) update();
    return base::Done{};
}

void LivePicture::start(std::shared_ptr<const LiveRun> run) {
    impl_->drop();
    impl_->state.failed.reset();
    impl_->wanted = std::move(run);
}

void LivePicture::start(RunFor run) {
    impl_->drop();
    impl_->state.failed.reset();
    impl_->wanted_for = std::move(run);
}

void LivePicture::cancel() { impl_->drop(); }

bool LivePicture::update() { return impl_->step(); }

bool LivePicture::busy() const { return impl_->wanted || impl_->wanted_for || impl_->making.valid() || impl_->flight; }

const LivePicture::State& LivePicture::state() const { return impl_->state; }

base::Numbers LivePicture::values() const {
    if (impl_->state.path == Path::none) return {};
    if (impl_->doubles) {
        auto values = download(impl_->doubles->c, impl_->doubles->shape);
        return values ? std::move(*values) : base::Numbers();
    }
    return base::Numbers(impl_->field->download());
}

unsigned LivePicture::picture(int width, int height, FieldStyle style, Field field) {
    const State& state = impl_->state;
    if (state.path == Path::none || (field == Field::error && !state.largest_error)) return 0;
    if (style.largest <= 0) style.largest = field == Field::error ? *state.largest_error : state.largest;
    return (field == Field::error ? impl_->error_field : impl_->field)->picture(width, height, style);
}

} // namespace gpu
