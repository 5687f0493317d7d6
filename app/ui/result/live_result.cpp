#include "ui/result/live_result.h"

#include "session/gpu_runs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ui {

namespace {

using Face = session::Slot<session::FullRun>::Face;

constexpr size_t taken_at_once = 1 << 18; // elements: some milliseconds

// A whole grid's.
bool has_c(const std::shared_ptr<const session::FullRun>& run) { return run && !run->stopped && !run->sample; }

// C of the run, m x n; nothing where the kernel has none.
const trace::Buffer* result_of(const session::FullRun& run) {
    for (const trace::Buffer& buffer : run.memory.buffers()) {
        const bool is_drawn = buffer.element == base::NumberType::f32 || buffer.element == base::NumberType::f64 ||
                              buffer.packing != base::Packing::none;
        if (buffer.name == "C" && is_drawn &&
            buffer.layout().stored() * base::bytes_of(buffer.element) == buffer.bytes && buffer.bytes > 0)
            return &buffer;
    }
    return nullptr;
}

size_t elements_of(const trace::Buffer& c) { return static_cast<size_t>(c.rows) * static_cast<size_t>(c.columns); }

// Its elements, row-major; of bits +1 and -1.
base::Numbers values_of(const trace::Buffer& c, std::span<const std::byte> bytes) {
    if (c.padding > 0) {
        base::Numbers elements(c.element, c.rows * c.columns);
        base::remove_padding(c.layout(), c.element_bytes(), bytes, elements.bytes());
        return elements;
    }
    if (c.packing == base::Packing::none) return base::Numbers(base::NumbersView(c.element, bytes));
    return base::Numbers(base::NumbersView(base::unpacked(
        c.layout(), {reinterpret_cast<const uint32_t*>(bytes.data()), bytes.size() / sizeof(uint32_t)})));
}

std::optional<float> largest_of(std::span<const float> errors) {
    if (errors.empty()) return std::nullopt;
    float largest = 0;
    for (const float error : errors)
        if (std::isfinite(error)) largest = std::max(largest, error);
    return largest;
}

void note_range(ResultShown& shown) {
    shown.least = shown.most = 0;
    shown.finite = true;
    bool first = true;
    for (size_t i = 0; i < shown.values.size(); ++i) {
        const auto value = static_cast<float>(shown.values[i]);
        if (!std::isfinite(value)) {
            shown.finite = false;
            continue;
        }
        shown.least = first ? value : std::min(shown.least, value);
        shown.most = first ? value : std::max(shown.most, value);
        first = false;
    }
    shown.largest = std::max(std::abs(shown.least), std::abs(shown.most));
}

ResultShown::Difference difference(base::NumbersView ours, base::NumbersView theirs) {
    ResultShown::Difference found;
    const size_t each = base::bytes_of(ours.element());
    for (size_t i = 0; i < ours.size(); ++i) {
        if (std::memcmp(ours.bytes().data() + i * each, theirs.bytes().data() + i * each, each) == 0) continue;
        ++found.elements;
        const auto apart = static_cast<float>(std::abs(ours[i] - theirs[i]));
        if (!(apart <= found.largest)) found.largest = apart; // a NaN stays
    }
    return found;
}

// May the kernel run in this process? By its whole grid, or, where that takes long, by the check that stands in for it.
LiveResult::Gpu judged(const session::Products& products) {
    using Judged = LiveResult::Gpu::Face;
    const auto& grid = products.grid;
    if (grid.face == Face::ready && grid.value && !grid.value->stopped && grid.value->verification)
        return {grid.value->verification->passed && !session::has_error(grid.value->findings) ? Judged::running
                                                                                              : Judged::wrong};
    if (products.block.value && session::has_error(products.block.value->findings)) return {Judged::wrong};
    const auto& small = products.stand_in;
    if (small.face == session::Slot<session::StandIn>::Face::failed)
        return {Judged::unverified, small.failed->error.said()};
    if (small.face == session::Slot<session::StandIn>::Face::ready) {
        using Verdict = session::StandIn::Verdict;
        if (small.value->verdict == Verdict::passed) return {Judged::running, {}, small.value};
        return {small.value->verdict == Verdict::wrong ? Judged::wrong : Judged::unverified, {}, small.value};
    }
    return {grid.face == Face::computing || small.face == session::Slot<session::StandIn>::Face::computing
                ? Judged::waiting
                : Judged::unverified};
}

} // namespace

LiveResult::LiveResult(std::function<void()> wake) : beside_(wake), jobs_(1, std::move(wake)) {}
LiveResult::~LiveResult() = default;

void LiveResult::open(const base::Result<std::filesystem::path>& shaders) {
    auto live =
        shaders ? gpu::LivePicture::create(*shaders) : base::Result<std::unique_ptr<gpu::LivePicture>>(shaders.error());
    if (live) live_ = std::move(*live);
    else problem_ = live.error().said();
}

void LiveResult::run(const session::Session& session) {
    if (busy() && wanted_ == session.view().subject) return;
    cancel();
    wanted_ = session.view().subject;
    kernel_ = session.kernel();
    begin(session);
}

void LiveResult::cancel() {
    if (live_) live_->cancel();
    elsewhere_ = false;
    gpu_ = {};
    wanted_.reset();
}

void LiveResult::begin(const session::Session& session) {
    look(session); // now: taking another C later would end the run
    if (takes()) {
        gpu_ = {Gpu::Face::waiting};
        return;
    }
    elsewhere_ = session.machines().elsewhere();
    if (elsewhere_) {
        const bool shown = session.view().middle_tab == session::MiddleTab::result;
        gpu_ = {shown ? Gpu::Face::running : Gpu::Face::none};
        return;
    }
    gpu_ = judged(session.products());
    if (gpu_.face != Gpu::Face::running) return;
    auto kernel = session.kernel();
    if (!live_ || !kernel) {
        gpu_ = {Gpu::Face::failed, problem_};
        return;
    }
    live_->start([kernel, subject = *wanted_,
                  exact = cpu_ ? cpu_->exact : gpu::Exact()](const std::string& arch) -> base::Result<gpu::LiveRun> {
        auto launch = session::gpu_launch(*kernel, subject, arch);
        if (!launch) return launch.error();
        gpu::LiveRun run = gpu::live_run(std::move(*launch));
        run.exact = exact;
        return run;
    });
}

bool LiveResult::update(const session::Session& session) {
    bool news = jobs_.collect();
    if (live_ && live_->uploading()) news |= live_->update();
    if (wanted_ && (*wanted_ != session.view().subject || kernel_ != session.kernel())) {
        cancel();
        news = true;
    }
    if (gpu_.face == Gpu::Face::waiting) {
        begin(session);
        news |= gpu_.face != Gpu::Face::waiting;
    }
    if (elsewhere_) return follow_elsewhere(session) || news;
    if (!live_ || !live_->update() || live_->busy() || gpu_.face != Gpu::Face::running) return news;
    if (!live_->state().failed) {
        take_gpu(session);
        return true;
    }
    gpu_ = {Gpu::Face::failed, live_->state().failed->said()};
    if (live_->state().path != gpu::LivePicture::Path::none) return true;
    shown_ = {}; // the older picture is lost with the GPU: the CPU's is shown again
    run_.reset();
    return true;
}

const ResultShown& LiveResult::look(const session::Session& session) {
    const auto& run = session.products().grid.value;
    if (has_c(run) && run != run_) {
        if (gpu_.face == Gpu::Face::running && !elsewhere_) cancel(); // what runs elsewhere draws nothing here
        take_cpu(run);
    }
    return shown_;
}

std::shared_ptr<const LiveResult::Cpu> LiveResult::cpu_of(const std::shared_ptr<const session::FullRun>& run) {
    const trace::Buffer* const c = result_of(*run);
    if (!c) return nullptr;
    auto made = std::make_shared<Cpu>();
    made->values = values_of(*c, run->memory.bytes(c->address));
    if (run->verification && run->reference.size() == made->values.size())
        made->exact = {std::shared_ptr<const std::vector<double>>(run, &run->reference), run->verification->tolerance};
    ResultShown& shown = made->shown;
    shown.source = ResultShown::Source::cpu;
    shown.m = static_cast<int>(c->rows);
    shown.n = static_cast<int>(c->columns);
    shown.verification = run->verification;
    made->field = std::make_shared<const gpu::HostField>(gpu::host_field(made->values, shown.m, shown.n, made->exact));
    if (made->values.element() == base::NumberType::f32) made->values = {};
    shown.values = shown.cpu = made->values.empty() ? base::NumbersView(made->field->c) : made->values.view();
    note_range(shown);
    shown.errors = made->field->error;
    if (!shown.errors.empty()) shown.largest_error = made->field->largest_error;
    return made;
}

void LiveResult::take_cpu(std::shared_ptr<const session::FullRun> run) {
    constexpr const char* job = "C";
    run_ = std::move(run);
    cpu_.reset();
    jobs_.cancel(job);
    if (gpu_.face == Gpu::Face::shown) compare_with_cpu();
    else shown_ = {}, gpu_values_ = {};
    const trace::Buffer* const c = result_of(*run_);
    if (!c || !beside_ || elements_of(*c) <= taken_at_once) return show_cpu(cpu_of(run_));
    jobs_.start(
        job, [run = run_, &reclaimer = reclaimer_](const std::stop_token&) { return reclaimer.keep(cpu_of(run)); },
        [this](std::shared_ptr<const Cpu> made) { show_cpu(std::move(made)); });
}

// A picture by the GPU stays, and is compared.
void LiveResult::show_cpu(std::shared_ptr<const Cpu> made) {
    cpu_ = std::move(made);
    if (gpu_.face == Gpu::Face::shown) return compare_with_cpu();
    shown_ = cpu_ ? cpu_->shown : ResultShown();
    if (!live_ || !cpu_) return;
    const base::Status done = live_->show(cpu_->field);
    problem_ = done ? base::Sentence() : done.error().said();
    while (!beside_ && live_->uploading()) live_->update();
}

// What is shown is a GPU's.
void LiveResult::compare_with_cpu() {
    shown_.cpu = cpu_ ? cpu_->shown.cpu : base::NumbersView();
    shown_.verification = cpu_ ? cpu_->shown.verification : std::nullopt;
    shown_.difference.reset();
    if (shown_.values.empty()) return;
    take_errors();
    if (shown_.values.size() == shown_.cpu.size() && shown_.values.element() == shown_.cpu.element())
        shown_.difference = difference(shown_.values, shown_.cpu);
}

// Of the values that are shown.
void LiveResult::take_errors() {
    gpu_errors_.clear();
    const gpu::Exact exact = cpu_ ? cpu_->exact : gpu::Exact();
    if (exact && shown_.values.size() == exact.c->size()) gpu_errors_ = gpu::errors_of(shown_.values, exact);
    shown_.errors = gpu_errors_;
    shown_.largest_error = largest_of(gpu_errors_);
}

void LiveResult::take_gpu(const session::Session& session) {
    const gpu::LivePicture::State& state = live_->state();
    problem_ = {};
    show_gpu(state.m, state.n, state.device,
             state.path == gpu::LivePicture::Path::interop ? base::Sentence() : state.reason, state.kernel_ms);
    if (static_cast<uint64_t>(state.m) * static_cast<uint64_t>(state.n) > compare_limit) {
        shown_.largest = shown_.most = state.largest;
        shown_.least = -state.largest;
        shown_.finite = state.finite;
        shown_.largest_error = state.largest_error;
    } else {
        gpu_values_ = live_->values();
        shown_.values = gpu_values_;
        note_range(shown_);
    }
    follow_cpu(session);
}

void LiveResult::show_gpu(int m, int n, std::string device, base::Sentence reason, double kernel_ms) {
    gpu_.face = Gpu::Face::shown;
    gpu_values_ = {};
    shown_ = {};
    shown_.source = ResultShown::Source::gpu;
    shown_.m = m;
    shown_.n = n;
    shown_.device = std::move(device);
    shown_.reason = std::move(reason);
    shown_.kernel_ms = kernel_ms;
}

// What a GPU's C is compared with: the newest run, so that look() does not put it in the GPU's place.
void LiveResult::follow_cpu(const session::Session& session) {
    const auto& run = session.products().grid.value;
    if (has_c(run) && run != run_) take_cpu(run);
    else compare_with_cpu();
}

// The session's run goes on after C has come: with times.
bool LiveResult::follow_elsewhere(const session::Session& session) {
    if (gpu_.face != Gpu::Face::running) return false;
    using Run = session::GpuState::Face;
    const session::GpuState& gpu = session.gpu();
    if (const auto result = session.gpu_result(); result && result->subject == *wanted_)
        take_elsewhere(session, *result);
    else if (gpu.face == Run::failed || gpu.face == Run::absent) gpu_ = {Gpu::Face::failed, gpu.reason};
    else if (gpu.face != Run::running) gpu_ = {};
    return gpu_.face != Gpu::Face::running;
}

void LiveResult::take_elsewhere(const session::Session& session, const session::GpuResult& result) {
    const catalog::Problem& size = result.subject.problem;
    const base::Numbers& c = result.run.c;
    const bool fits = c.size() == static_cast<size_t>(size.m) * static_cast<size_t>(size.n);
    if (!fits || c.element() == base::NumberType::u32) {
        gpu_ = {Gpu::Face::failed, fits ? base::say("bits are not drawn on the GPU")
                                        : base::say("C came back in another size than it was asked for")};
        return;
    }
    show_gpu(size.m, size.n, result.run.device, base::say("it ran on another machine"), result.run.ms);
    gpu_values_ = c;
    shown_.values = gpu_values_;
    note_range(shown_);
    follow_cpu(session);
    if (!live_) return;
    const base::Status done = live_->show(shown_.values, shown_.m, shown_.n, cpu_ ? cpu_->exact : gpu::Exact());
    problem_ = done ? base::Sentence() : done.error().said();
}

unsigned LiveResult::picture(int width, int height, const gpu::FieldStyle& style, gpu::LivePicture::Field field) {
    return live_ && problem_.empty() ? live_->picture(width, height, style, field) : 0;
}

} // namespace ui
