#include "session/session.h"

#include "session/compiler_fetch.h"

#include "analysis/occupancy.h"
#include "base/file.h"
#include "base/late_writer.h"
#include "catalog/breaks.h"
#include "catalog/tuned.h"
#include "compile/compiler.h"
#include "measure/sweep_log.h"
#include "session/block_timelines.h"
#include "session/gpu_runs.h"
#include "session/history.h"
#include "session/kernel_files.h"
#include "session/moment.h"
#include "session/pipeline.h"
#include "session/playback.h"
#include "session/series.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <functional>
#include <iterator>
#include <thread>
#include <utility>

namespace session {
namespace {

// One for each of: first picture, grid, machine code, contents, and the same of the baseline; the system shares the cores.
constexpr int job_threads = 6;

// A frame is drawn when it is due, also while every core computes.
constexpr int job_niceness = 10;

// Kernels whose sweeps are kept for going back to them: a megabyte each.
constexpr size_t most_swept = 4;

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

bool shows_contents(const View& view) {
    return view.middle_tab == MiddleTab::registers || view.middle_tab == MiddleTab::shared;
}

// The folder of the kernels written here, behind the program's own and before what the user names: that takes the place of others.
Options with_own_kernels(Options options) {
    if (options.own_kernels.empty()) return options;
    std::error_code failed;
    std::filesystem::create_directories(options.own_kernels, failed);
    auto& folders = options.kernel_folders;
    if (!failed) folders.insert(folders.begin() + (folders.empty() ? 0 : 1), options.own_kernels);
    return options;
}

std::vector<measure::AccuracyRecord> accuracies(const std::filesystem::path& assets,
                                                std::vector<base::Sentence>& notices) {
    auto files = read_accuracies(assets);
    for (const base::Error& problem : files.problems) notices.push_back(problem.said());
    return std::move(files.records);
}

int cores(int wanted) {
    return wanted > 0 ? wanted : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

} // namespace

struct Session::Impl {
    explicit Impl(Options);

    Pipeline::Host host() {
        return {.jobs = jobs,
                .reclaimer = reclaimer,
                .memo = memo,
                .catalog = files.catalog(),
                .judged = judged,
                .threads = cores(options.threads),
                .wake = options.wake,
                .on_block = options.on_block};
    }
    void complete(Subject& subject, const Subject& before) const;
    void take_view(const View& next, bool by_user, bool keep_event, bool keep_parameters = false);
    void settle_selection();
    void remember_step(const View& next);
    void remember_moment();
    std::optional<Traced> traced() const;
    void choose_moment(const BlockRun& block);
    void warm_up();
    bool fetches() const;
    bool play(double seconds);
    bool take_measured();
    void keep(const measure::BenchPoint&);
    void ask_compiler();
    void follow_view();
    struct Swept {
        std::shared_ptr<const catalog::Kernel> kernel;
        std::vector<KernelSweep> sweeps; // of it
    };
    void want_sweeps(Swept&, const char* job, std::shared_ptr<const catalog::Kernel>);
    Subject with(const catalog::Values&) const;
    void predict(const std::vector<PredictionWish>&);
    void take_news_of_files();
    void use_fetched();
    void forget(const std::string& kernel);
    void open(const std::vector<std::filesystem::path>& dropped);
    void show_opened(const std::string& kernel);
    void show_written(const std::filesystem::path& file, bool keep_event);
    void paste(const std::string& text);

    Options options;
    std::vector<base::Sentence> notices;
    KernelFiles files;
    std::vector<DeviceRecord> devices;
    std::vector<std::shared_ptr<const measure::BlockTimeline>> timelines; // recorded
    std::vector<std::shared_ptr<const measure::StreamRecord>> streams;    // recorded
    struct {                                                              // what stream() gave last, and of what
        std::shared_ptr<const catalog::Kernel> kernel;
        catalog::Values values;
        catalog::Problem problem;
        bool with_c = false;
        std::shared_ptr<const base::Result<Stream>> stream;
    } streamed;
    std::vector<measure::Series> recorded, series; // series: recorded ones and those measured here
    uint64_t series_made = 0;
    std::vector<measure::Profile> profiles;      // recorded
    std::vector<measure::AccuracyRecord> judged; // how far predictions were off
    std::shared_ptr<Sweeps> sweeps;              // a job that reads may outlive its Session's other parts
    Swept swept, baseline_swept;
    std::deque<Swept> swept_before; // newest first

    View view, saved;
    std::vector<std::string> architectures = analysis::architectures();
    bool compiler_known = false; // in `architectures`
    bool started = false;        // by the first apply()
    bool choose_event =
        false; // when the next picture comes: go to the moment like `moment`, else to its interesting event
    std::optional<Moment> moment; // that was shown when the subject changed
    std::optional<uint32_t>
        step; // when it comes: go to this one of the selected warp; only the order of the warps is another
    uint64_t blocks_seen = 0;
    double unplayed = 0; // events that playback owes
    History history;
    base::LateWriter writer{options.wake}; // of the state file

    Memo memo;
    const base::Reclaimer reclaimer; // before whoever hands it something
    base::Jobs jobs; // before the pipelines: joined after they are gone, and nothing is delivered by then
    Pipeline subject, baseline;
    FactsOfSettings facts{jobs};
    Machines machines;
    GpuRuns gpu;
    size_t points_seen = 0, streams_seen = 0; // of what the GPU measured
    std::vector<Subject> likely_next;         // to be compiled ahead once the picture is there
    CompileAhead ahead;
    CountsOfLaunches counts;
    PredictedSpeeds predictions;
    OpcodeIndex opcodes;
    ErrorGrowth errors;
    CompilerFetch fetch{options.wake};
};

Session::Impl::Impl(Options given)
    : options(with_own_kernels(std::move(given))), notices(options.notices),
      files(options.kernel_folders, options.interactive, options.wake, job_niceness),
      judged(accuracies(options.assets, notices)),
      sweeps(std::make_shared<Sweeps>(options.assets / "recorded" / "sweeps", options.own_sweeps)),
      jobs(job_threads, options.wake, job_niceness), subject(host(), "subject"), baseline(host(), "baseline"),
      machines(options.machines, options.worker, options.wake), gpu(jobs, machines.command(), options.wake),
      ahead(files.catalog(), options.wake), counts(options.wake, cores(options.threads), options.interactive),
      predictions(judged, options.wake, options.interactive), opcodes(options.wake),
      errors(options.wake, cores(options.threads), options.interactive) {
    if (!machines.notice().empty()) notices.push_back(machines.notice());
    for (const base::Error& problem : files.catalog().problems) notices.push_back(problem.said());
    auto measured = read_series(options.assets, files.catalog());
    for (const base::Error& problem : measured.problems) notices.push_back(problem.said());
    recorded = std::move(measured.series);
    auto known = read_devices(options.assets);
    for (const base::Error& problem : known.problems) notices.push_back(problem.said());
    devices = std::move(known.devices);
    series = recorded;
    auto profiled = read_profiles(options.assets);
    for (const base::Error& problem : profiled.problems) notices.push_back(problem.said());
    profiles = std::move(profiled.profiles);
    auto blocks = read_timelines(options.assets);
    for (const base::Error& problem : blocks.problems) notices.push_back(problem.said());
    timelines = std::move(blocks.timelines);
    auto recorded_streams = read_streams(options.assets);
    for (const base::Error& problem : recorded_streams.problems) notices.push_back(problem.said());
    streams = std::move(recorded_streams.records);
}

// What was computed from kernels that have changed is computed again.
void Session::Impl::take_news_of_files() {
    if (!files.has_news()) return;
    if (started) remember_moment();
    FileNews news = files.take_news();
    std::move(news.notices.begin(), news.notices.end(), std::back_inserter(notices));
    for (const std::string& kernel : news.changed) forget(kernel);
    if (started && !news.changed.empty()) take_view(view, false, true);
    if (news.view) take_view(*news.view, true, true);
    if (news.opened) show_opened(news.opened->id);
}

// What could not be compiled is compiled now.
void Session::Impl::use_fetched() {
    compile::look_for_compilers_again();
    compiler_known = false;
    for (const auto& kernel : files.catalog().kernels) forget(kernel->id);
    notices.push_back(base::say("NVRTC and ptxas have come: every kernel and setting can be compiled"));
    if (started) take_view(view, false, true);
}

void Session::Impl::forget(const std::string& kernel) {
    memo.forget(kernel);
    gpu.forget(kernel);
    facts.forget(kernel);
    counts.forget(kernel);
    predictions.forget(kernel);
    std::erase_if(swept_before, [&](const Swept& one) { return one.kernel->id == kernel; });
    points_seen = SIZE_MAX; // the series are made anew
    if (view.baseline && view.baseline->kernel == kernel) baseline.outdate();
    if (view.subject.kernel != kernel) return;
    gpu.cancel();
    subject.outdate();
    if (moment) moment->kernel.clear(); // its lines have moved: what reads the same is the same
    choose_event = true;
    const auto now = files.catalog().find(kernel);
    if (now && !catalog::with(*now, view.subject.parameters)) view.subject.parameters.clear(); // they are others now
}

void Session::Impl::open(const std::vector<std::filesystem::path>& dropped) {
    if (dropped.size() > 1)
        return notices.push_back(
            base::say("several files were dropped; drop one at a time, or start gemmscope with --kernels FOLDER"));
    files.open(dropped.front());
}

void Session::Impl::show_opened(const std::string& kernel) {
    View next = view;
    next.subject.kernel = kernel;
    next.subject.parameters.clear();
    next.subject.breaks.clear();
    next.selection.event = 0;
    take_view(next, true, false);
}

// What is typed next belongs to this kernel.
void Session::Impl::show_written(const std::filesystem::path& file, bool keep_event) {
    const auto written = files.read_written(file);
    take_news_of_files();
    const auto kernel = written ? files.find(*written) : nullptr;
    if (!kernel || view.subject.kernel == kernel->id) return;
    View next = view;
    next.subject.kernel = kernel->id;
    if (!catalog::with(*kernel, next.subject.parameters)) next.subject.parameters.clear();
    take_view(next, true, keep_event, true);
}

// The view before stays in the history.
void Session::Impl::paste(const std::string& text) {
    const auto kept = pasted_view(text);
    if (!kept) return notices.push_back(kept.error().said());
    history.separate();
    take_view(*kept, true, true);
    history.separate();
    notices.push_back(base::say("The view from the clipboard is shown; Ctrl+Z returns to the one before."));
}

// Parameters that the user did not name get their values: a new kernel starts with its own initial ones.
void Session::Impl::complete(Subject& next, const Subject& before) const {
    auto kernel = files.catalog().find(next.kernel);
    if (!kernel) return;
    const bool other_kernel = next.kernel != before.kernel;
    std::erase_if(next.breaks, [&](const std::string& name) { return !catalog::find_break(*kernel, name); });
    if (next.parameters.empty() || (other_kernel && next.parameters == before.parameters)) {
        next.parameters = catalog::default_values(*kernel, gpu.state().device, next.arch, next.problem);
    } else if (auto all = catalog::with(*kernel, next.parameters)) {
        next.parameters = std::move(*all);
    }
    if (next.schedule.kind != trace::Schedule::Kind::warp_first) return;
    const auto shape = catalog::launch_shape(*kernel, next.parameters, next.problem);
    if (shape && shape->block.count() > 0)
        next.schedule.number = std::min(next.schedule.number, (shape->block.count() - 1) / trace::warp_size);
}

// Each warp executes the same instructions in whatever order the warps run, unless they race.
void Session::Impl::remember_step(const View& next) {
    const auto& block = subject.products().block.value;
    const bool here =
        block && !block->trace.events.empty() && (subject.products().block.face == Slot<BlockRun>::Face::ready || step);
    step = here ? std::optional(step_of(*block, next.selection.event, next.selection.warp)) : std::nullopt;
}

std::optional<Traced> Session::Impl::traced() const {
    const Products& products = subject.products();
    const auto kernel = files.catalog().find(view.subject.kernel);
    if (!kernel || !products.prepared.value || !products.block.value || products.block.failed) return {};
    return Traced{kernel, products.prepared.value, products.block.value};
}

// While a slider is dragged, pictures come late: the moment stays that of the last one that was ready.
void Session::Impl::remember_moment() {
    if (subject.products().block.face != Slot<BlockRun>::Face::ready) return;
    if (const auto shown = traced()) moment = moment_of(*shown, view.selection.event);
}

// Goes to the selected warp's execution of what was shown before the subject changed, else of the interesting instruction.
void Session::Impl::choose_moment(const BlockRun& block) {
    const auto shown = traced();
    if (const auto like = shown && moment ? event_like(*moment, *shown, view.selection.warp) : std::nullopt) {
        view.selection.event = *like;
        return;
    }
    Selection from = view.selection;
    from.event = view.selection.event = block.interesting_event;
    from.warp = block.trace.events[from.event].warp;
    follow(from, view.selection, block);
}

void Session::Impl::take_view(const View& given, bool by_user, bool keep_event, bool keep_parameters) {
    View next = given;
    complete(next.subject, keep_parameters ? given.subject : view.subject);
    if (next.baseline) complete(*next.baseline, *next.baseline);
    const auto chosen = files.catalog().find(next.subject.kernel);
    if (chosen && (!started || next.subject.kernel != view.subject.kernel)) next.open_families.insert(chosen->family);

    const bool other_subject = !started || next.subject != view.subject;
    const auto& block = subject.products().block;
    if (other_subject) {
        choose_event =
            !keep_event && (!started || next.selection.event == 0 || next.selection.event == view.selection.event);
        Subject reordered = view.subject;
        reordered.schedule = next.subject.schedule;
        if (by_user && !keep_event && started && reordered == next.subject) remember_step(next);
        else step.reset();
        if (step) choose_event = false;
        remember_moment();
    } else if (next.selection != view.selection && next.selection.block == view.selection.block && block.value) {
        follow(view.selection, next.selection, *block.value);
        if (step) remember_step(next);
    }
    if (other_subject && options.interactive) {
        if (!started) warm_up();
        ahead.stop();
        likely_next = session::likely_next(files.catalog(), view.subject, next.subject);
    }
    if (by_user && started && (other_subject || next.selection.block != view.selection.block))
        next.marked.reset(); // a moment of another trace
    if (by_user && started) history.record(view, next, now_s());
    if (next.playing && !view.playing) unplayed = 0;
    started = true;
    view = std::move(next);
    follow_view();
}

// Not before something has been compiled: to ask loads NVRTC, for which the window does not wait.
void Session::Impl::ask_compiler() {
    if (compiler_known || !subject.products().prepared.value) return;
    compiler_known = true;
    const auto compiled = compile::availability().architectures;
    const auto is_compiled = [&](const std::string& one) {
        return std::find(compiled.begin(), compiled.end(), one) != compiled.end();
    };
    if (!compiled.empty()) std::erase_if(architectures, std::not_fn(is_compiled));
}

// Among the jobs that pictures wait for: a compile process has the priority that it was started with.
void Session::Impl::warm_up() {
    auto work = [](std::stop_token stop) {
        compile::warm_up(stop);
        return base::Done{};
    };
    jobs.start("warm up", std::move(work), [](base::Done&&) {});
}

// Starts what the view asks for.
void Session::Impl::follow_view() {
    ask_compiler();
    const auto& failed = subject.products().prepared.failed;
    fetch.offer(failed && failed->error.failure == base::Failure::missing && !compile::availability().found);
    subject.want_what_if(view.what_if);
    baseline.want_what_if(view.what_if);
    subject.show(view.subject, view.selection.block);
    view.selection.block = subject.block().value_or(view.selection.block);
    want_sweeps(swept, "sweeps", files.catalog().find(view.subject.kernel));
    want_sweeps(baseline_swept, "sweeps of the baseline",
                view.baseline ? files.catalog().find(view.baseline->kernel) : nullptr);
    if (view.baseline) baseline.show(*view.baseline, view.selection.block);
    else baseline.clear();
    settle_selection();
    if (view.plot_tab == PlotTab::errors) errors.want(files.catalog(), view.subject);
    if (view.search.empty()) opcodes.want_no_more();
    else opcodes.want(files.catalog(), view.subject.arch);
    const bool contents = shows_contents(view);
    subject.want_state(contents ? std::optional(view.selection.event) : std::nullopt,
                       contents ? view.marked : std::nullopt);

    View shown = view;
    shown.hover = {};
    if (shown == saved) return;
    if (!options.state_file.empty()) {
        if (options.on_keep) options.on_keep(shown);
        writer.write(options.state_file, [shown] { return to_json(shown); });
    }
    saved = std::move(shown);
}

// A large file takes some milliseconds to read, half a frame. What was read just before is there at once.
void Session::Impl::want_sweeps(Swept& of, const char* job, std::shared_ptr<const catalog::Kernel> kernel) {
    if (kernel == of.kernel) return;
    jobs.cancel(job);
    of = {kernel, {}};
    if (!kernel) return;
    const auto known =
        std::find_if(swept_before.begin(), swept_before.end(), [&](const Swept& one) { return one.kernel == kernel; });
    if (known != swept_before.end()) {
        std::rotate(swept_before.begin(), known, known + 1);
        of = swept_before.front();
        return;
    }
    auto work = [all = sweeps, kernel](std::stop_token) { return all->of(*kernel, true); };
    jobs.start(job, std::move(work), [this, &of, kernel](std::vector<KernelSweep>&& found) {
        of.sweeps = std::move(found);
        swept_before.push_front(of);
        if (swept_before.size() > most_swept) swept_before.pop_back();
    });
}

Subject Session::Impl::with(const catalog::Values& values) const {
    Subject other = view.subject;
    other.parameters = values;
    return other;
}

// Once the kernel that is shown has been compiled for its picture, so that it is not compiled twice.
void Session::Impl::predict(const std::vector<PredictionWish>& wishes) {
    const Slot<Prepared>& prepared = subject.products().prepared;
    if (prepared.face == Slot<Prepared>::Face::computing) return;
    if (prepared.face == Slot<Prepared>::Face::ready && !wishes.empty())
        predictions.show(files.catalog().find(view.subject.kernel), view.subject, prepared.value);
    predictions.want(wishes);
}

// After a new picture: the selection lies within it.
void Session::Impl::settle_selection() {
    const auto& block = subject.products().block;
    if (std::exchange(blocks_seen, subject.blocks_delivered()) == subject.blocks_delivered() || !block.value) return;
    const trace::Trace& trace = block.value->trace;
    clamp(view.selection, trace);
    if (trace.events.empty()) return;
    if (choose_event) {
        choose_moment(*block.value);
        if (block.face == Slot<BlockRun>::Face::ready) choose_event = false;
    } else if (step) {
        view.selection.event = event_of(*block.value, *step, view.selection.warp).value_or(view.selection.event);
        if (block.face == Slot<BlockRun>::Face::ready) step.reset();
    } else if (trace.events[view.selection.event].warp != view.selection.warp) {
        auto event = event_at_or_after(*block.value, view.selection.event, view.selection.warp);
        view.selection.event = event.value_or(view.selection.event);
    }
}

bool Session::Impl::take_measured() {
    bool changed = gpu.update();
    if (streams_seen != gpu.streams().size()) {
        streams_seen = gpu.streams().size();
        streamed.stream.reset();
    }
    if (points_seen == gpu.points().size()) return changed;
    for (size_t i = points_seen; i < gpu.points().size(); ++i) keep(gpu.points()[i]);
    points_seen = gpu.points().size();
    series = measure::series_of(gpu.points(), measure::Origin::live, "measured here");
    series.insert(series.end(), recorded.begin(), recorded.end());
    ++series_made;
    return true;
}

// Among the user's own sweeps: the next session has it, too.
void Session::Impl::keep(const measure::BenchPoint& point) {
    const auto kernel = files.catalog().find(point.kernel);
    if (options.own_sweeps.empty() || !kernel || point.parameters.empty()) return;
    auto log = measure::SweepLog::open(measure::sweep_path(options.own_sweeps, point.device, point.kernel), *kernel,
                                       point.device);
    measure::SweepPoint kept;
    kept.problem = {point.m, point.n, point.k};
    kept.ms = point.median_ms, kept.cublas_ms = point.cublas.median_ms;
    kept.samples = point.samples, kept.spread = point.spread.value_or(0);
    const measure::SweepSource by{
        "", 0, point.driver, point.cuda, point.cublas.algorithm, point.sm_clock_mhz, point.date, "R in the window"};
    auto done = log ? log->append(point.parameters, kept, by) : base::Status(log.error());
    if (!done) notices.push_back(done.error().said());
}

// Is C of a run to be brought here? On this machine the window runs the kernel itself.
bool Session::Impl::fetches() const {
    const catalog::Problem& p = view.subject.problem;
    return view.middle_tab == MiddleTab::result && machines.elsewhere() &&
           static_cast<uint64_t>(p.m) * static_cast<uint64_t>(p.n) <= most_fetched;
}

bool Session::Impl::play(double seconds) {
    const auto& block = subject.products().block;
    if (!view.playing || block.face != Slot<BlockRun>::Face::ready || block.value->trace.events.empty()) return false;
    unplayed += std::clamp(seconds, 0.0, 1.0) * static_cast<double>(view.events_per_second);
    const double whole = std::floor(unplayed);
    if (whole < 1) return false;
    unplayed -= whole;
    view.playing = advance(view.selection, *block.value, static_cast<uint32_t>(whole));
    return true;
}

Session::Session(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Session::~Session() {
    impl_->files.cancel();
    impl_->jobs.cancel_all();
}

const catalog::Catalog& Session::catalog() const { return impl_->files.catalog(); }
uint64_t Session::catalog_reads() const { return impl_->files.reads(); }
std::shared_ptr<const catalog::Kernel> Session::kernel() const {
    return impl_->files.catalog().find(impl_->view.subject.kernel);
}
const View& Session::view() const { return impl_->view; }
const Products& Session::products() const { return impl_->subject.products(); }
const Products* Session::baseline() const { return impl_->view.baseline ? &impl_->baseline.products() : nullptr; }
const std::vector<measure::Series>& Session::series() const { return impl_->series; }
uint64_t Session::series_made() const { return impl_->series_made; }
std::shared_ptr<const base::Result<SettingFacts>> Session::facts(const catalog::Values& values) const {
    return impl_->facts.find(impl_->with(values), impl_->view.speed_problem);
}
const std::vector<KernelSweep>& Session::sweeps() const { return impl_->swept.sweeps; }
const std::vector<KernelSweep>& Session::baseline_sweeps() const { return impl_->baseline_swept.sweeps; }
const std::vector<measure::Profile>& Session::profiles() const { return impl_->profiles; }
const std::vector<DeviceRecord>& Session::devices() const { return impl_->devices; }
const std::vector<std::shared_ptr<const measure::BlockTimeline>>& Session::recorded_timelines() const {
    return impl_->timelines;
}
std::shared_ptr<const measure::BlockTimeline> Session::timeline() const {
    const Subject& subject = impl_->view.subject;
    if (!subject.breaks.empty()) return nullptr; // recordings are of the right kernel
    for (const auto* all : {&impl_->gpu.timelines(), &recorded_timelines()})
        for (const auto& each : *all)
            if (measure::is_of(*each, subject.kernel, subject.parameters, subject.problem)) return each;
    return nullptr;
}
std::shared_ptr<const base::Result<Stream>> Session::stream() const {
    const auto shown = kernel();
    if (!shown || !shown->stream) return nullptr;
    auto values = catalog::with(*shown, view().subject.parameters);
    if (!values) return std::make_shared<const base::Result<Stream>>(values.error());
    auto& last = impl_->streamed;
    const bool with_c = view().subject.beta != 0;
    if (last.stream && last.kernel == shown && last.values == *values && last.problem == view().stream_problem &&
        last.with_c == with_c)
        return last.stream;
    last = {shown, *values, view().stream_problem, with_c, nullptr};
    auto records = impl_->streams; // of the same product the last one stands
    records.insert(records.end(), impl_->gpu.streams().begin(), impl_->gpu.streams().end());
    last.stream =
        std::make_shared<const base::Result<Stream>>(stream_of(*shown, *values, last.problem, with_c, records));
    return last.stream;
}
bool Session::shows_stream() const {
    const auto shown = kernel();
    return view().middle_tab == MiddleTab::stream && shown && shown->stream;
}
const std::vector<std::string>& Session::architectures() const { return impl_->architectures; }
const ErrorGrowth& Session::error_growth() const { return impl_->errors; }
std::shared_ptr<const base::Result<LaunchCounts>> Session::counts(const Subject& subject) const {
    return impl_->counts.find(subject);
}
std::shared_ptr<const base::Result<PredictedSpeed>> Session::predicted(const PredictionKey& key) const {
    return impl_->predictions.find(key);
}
std::vector<Found> Session::found() const { return impl_->opcodes.search(impl_->files.catalog(), impl_->view.search); }
size_t Session::opcodes_left() const { return impl_->opcodes.left(); }
const FetchState& Session::fetch() const { return impl_->fetch.state(); }
const GpuState& Session::gpu() const { return impl_->gpu.state(); }
const Machines& Session::machines() const { return impl_->machines; }
std::shared_ptr<const GpuResult> Session::gpu_result() const { return impl_->gpu.result(); }
std::vector<base::Sentence> Session::take_notices() { return std::exchange(impl_->notices, {}); }

void Session::apply(const View& next, const Commands& commands) {
    const bool selects = next.selection != impl_->view.selection; // as who opens a hand-in does, at its step
    if (commands.cancel) {
        impl_->subject.cancel();
        impl_->baseline.cancel();
        impl_->gpu.cancel();
    }
    for (const MachineWish& wish : commands.machines)
        if (auto done = impl_->machines.obey(wish); !done) impl_->notices.push_back(done.error().said());
    impl_->gpu.use(impl_->machines.command());
    if (commands.undo || commands.redo) {
        auto view = commands.undo ? impl_->history.undo(impl_->view) : impl_->history.redo(impl_->view);
        if (view) impl_->take_view(*view, false, true);
        return;
    }
    if (!impl_->started || next != impl_->view) {
        const bool first = !impl_->started;
        impl_->take_view(next, true, first && (impl_->options.keep_event || next.selection.event != 0));
    }
    for (const catalog::Values& values : commands.facts)
        impl_->facts.want(kernel(), impl_->with(values), impl_->view.speed_problem, commands.multiprocessors);
    impl_->counts.want(commands.counts);
    impl_->predict(commands.predictions);
    if (commands.run_grid) impl_->subject.run_grid();
    if (commands.run_on_gpu && shows_stream()) {
        Subject streamed = impl_->view.subject;
        streamed.problem = impl_->view.stream_problem;
        impl_->gpu.stream(kernel(), streamed);
    } else if (commands.run_on_gpu) {
        impl_->gpu.run(kernel(), impl_->view.subject, impl_->view.speed_problem, impl_->fetches());
        impl_->subject.check();
    }
    if (commands.paste) impl_->paste(*commands.paste);
    if (!commands.open.empty()) impl_->open(commands.open);
    if (!commands.follow.empty()) impl_->show_written(commands.follow, selects);
    if (commands.fetch_compiler) impl_->fetch.start();
    if (commands.stop_fetching) impl_->fetch.stop();
    if (commands.measure_peaks) impl_->gpu.measure_peaks(impl_->options.assets);
}

bool Session::update(double seconds) {
    bool changed = impl_->jobs.collect();
    impl_->files.collect();
    changed |= impl_->files.has_news();
    impl_->take_news_of_files();
    impl_->ahead.collect();
    changed |= impl_->fetch.update();
    if (impl_->fetch.take_done()) impl_->use_fetched();
    changed |= impl_->counts.collect();
    changed |= impl_->predictions.collect();
    changed |= impl_->opcodes.collect();
    changed |= impl_->errors.collect();
    changed |= impl_->take_measured();
    changed |= impl_->machines.update();
    changed |= impl_->subject.update_progress();
    changed |= impl_->baseline.update_progress();
    changed |= impl_->play(seconds);
    changed |= impl_->blocks_seen != impl_->subject.blocks_delivered();
    if (auto problem = impl_->writer.take_problem()) {
        impl_->notices.push_back(problem->said());
        changed = true;
    }
    if (changed && impl_->started) impl_->follow_view();
    const bool awaited = impl_->subject.products().block.face == Slot<BlockRun>::Face::computing;
    if (!impl_->likely_next.empty() && !awaited) impl_->ahead.compile(std::exchange(impl_->likely_next, {}));
    return changed;
}

bool Session::busy() const {
    return impl_->files.busy() || impl_->jobs.busy() || impl_->gpu.busy() || impl_->counts.busy() ||
           impl_->predictions.busy() || impl_->opcodes.left() > 0 || impl_->errors.busy();
}

size_t Session::remembered_bytes() const { return impl_->memo.bytes(); }

bool Session::compiling_ahead() const { return !impl_->likely_next.empty() || impl_->ahead.busy(); }

void Session::rest() { impl_->predictions.rest(); }

void Session::wait() {
    do {
        impl_->files.wait();
        impl_->jobs.wait();
        impl_->counts.wait();
        impl_->predictions.wait();
        impl_->opcodes.wait();
        impl_->errors.wait();
        if (impl_->gpu.busy()) impl_->gpu.wait(0.1);
        update(0);
    } while (busy());
}

} // namespace session
