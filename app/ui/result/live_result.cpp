#include "ui/result/live_result.h"

#include "session/gpu_runs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ui {

namespace {

using Face = session::Slot<session::FullRun>::Face;

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

// Its elements, row-major; of bits +1 and -1.
base::Numbers elements_of(const trace::Buffer& c, std::span<const std::byte> bytes) {
    if (c.padding > 0) {
        base::Numbers elements(c.element, c.rows * c.columns);
        base::remove_padding(c.layout(), c.element_bytes(), bytes, elements.bytes());
        return elements;
    }
    if (c.packing == base::Packing::none) return base::Numbers(base::NumbersView(c.element, bytes));
    return base::Numbers(base::NumbersView(base::unpacked(
        c.layout(), {reinterpret_cast<const uint32_t*>(bytes.data()), bytes.size() / sizeof(uint32_t)})));
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

LiveResult::LiveResult() = default;
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
    live_->start([kernel, subject = *wanted_, exact = exact_](const std::string& arch) -> base::Result<gpu::LiveRun> {
        auto launch = session::gpu_launch(*kernel, subject, arch);
        if (!launch) return launch.error();
        gpu::LiveRun run = gpu::live_run(std::move(*launch));
        run.exact = exact;
        return run;
    });
}

bool LiveResult::update(const session::Session& session) {
    bool news = false;
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
    if (run && !run->stopped && !run->sample && run != run_) {
        if (gpu_.face == Gpu::Face::running && !elsewhere_) cancel(); // what runs elsewhere draws nothing here
        take_cpu(run);
        show_cpu();
    }
    return shown_;
}

void LiveResult::take_cpu(std::shared_ptr<const session::FullRun> run) {
    run_ = std::move(run);
    exact_ = {};
    errors_.clear();
    cpu_values_ = gpu_values_ = {};
    shown_ = {};
    const trace::Buffer* c = result_of(*run_);
    if (!c) return;
    cpu_values_ = elements_of(*c, run_->memory.bytes(c->address));
    shown_.source = ResultShown::Source::cpu;
    shown_.m = static_cast<int>(c->rows);
    shown_.n = static_cast<int>(c->columns);
    shown_.values = shown_.cpu = cpu_values_;
    shown_.verification = run_->verification;
    if (run_->verification && run_->reference.size() == cpu_values_.size())
        exact_ = {std::shared_ptr<const std::vector<double>>(run_, &run_->reference), run_->verification->tolerance};
    note_range(shown_);
    take_errors();
}

// Of the values that are shown.
void LiveResult::take_errors() {
    errors_.clear();
    if (exact_ && shown_.values.size() == exact_.c->size()) errors_ = gpu::errors_of(shown_.values, exact_);
    shown_.errors = errors_;
    shown_.largest_error.reset();
    if (errors_.empty()) return;
    float& largest = shown_.largest_error.emplace(0.0f);
    for (const float error : errors_)
        if (std::isfinite(error)) largest = std::max(largest, error);
}

void LiveResult::show_cpu() {
    if (!live_ || shown_.source == ResultShown::Source::none) return;
    const base::Status done = live_->show(shown_.values, shown_.m, shown_.n, exact_);
    problem_ = done ? base::Sentence() : done.error().said();
}

void LiveResult::take_gpu(const session::Session& session) {
    const auto& run = session.products().grid.value;
    if (run && run != run_) take_cpu(run); // so that look() does not put it in the GPU's place
    const gpu::LivePicture::State& state = live_->state();
    gpu_.face = Gpu::Face::shown;
    problem_ = {};
    shown_.source = ResultShown::Source::gpu;
    shown_.m = state.m;
    shown_.n = state.n;
    shown_.device = state.device;
    shown_.reason = state.path == gpu::LivePicture::Path::interop ? base::Sentence() : state.reason;
    shown_.kernel_ms = state.kernel_ms;
    shown_.difference.reset();
    shown_.values = {};
    if (static_cast<uint64_t>(state.m) * static_cast<uint64_t>(state.n) > compare_limit) {
        shown_.largest = shown_.most = state.largest;
        shown_.least = -state.largest;
        shown_.finite = state.finite;
        shown_.errors = {};
        shown_.largest_error = state.largest_error;
        return;
    }
    gpu_values_ = live_->values();
    shown_.values = gpu_values_;
    note_range(shown_);
    take_errors();
    if (gpu_values_.size() == cpu_values_.size() && gpu_values_.element() == cpu_values_.element())
        shown_.difference = difference(gpu_values_, cpu_values_);
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
    const auto& run = session.products().grid.value;
    if (run && run != run_ && !run->stopped && !run->sample) take_cpu(run);
    gpu_.face = Gpu::Face::shown;
    shown_.source = ResultShown::Source::gpu;
    shown_.m = size.m;
    shown_.n = size.n;
    shown_.device = result.run.device;
    shown_.reason = base::say("it ran on another machine");
    shown_.kernel_ms = result.run.ms;
    gpu_values_ = c;
    shown_.values = gpu_values_;
    show_cpu(); // what is shown, by the host
    note_range(shown_);
    take_errors();
    shown_.difference.reset();
    if (gpu_values_.size() == cpu_values_.size() && gpu_values_.element() == cpu_values_.element())
        shown_.difference = difference(gpu_values_, cpu_values_);
}

unsigned LiveResult::picture(int width, int height, const gpu::FieldStyle& style, gpu::LivePicture::Field field) {
    return live_ && problem_.empty() ? live_->picture(width, height, style, field) : 0;
}

} // namespace ui
