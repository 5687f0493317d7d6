#include "session/pipeline.h"

#include "session/sample.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace session {
namespace {

using namespace std::chrono_literals;

// While a slider is dragged every value cancels the one before it. A picture at least this often, all the same.
constexpr auto longest_without_picture = 150ms;

// Changes that follow each other so soon are a drag. What is not the picture waits until the drag has rested, because a
// compilation under way cannot be stopped and would take a core from the next picture.
constexpr auto drag_gap = 800ms;
constexpr auto drag_rest = 150ms;

// Sleeps; less if it is stopped.
void rest(std::stop_token stop, std::chrono::milliseconds time) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, time, [] { return false; });
}

template <class T>
void compute(Slot<T>& slot) {
    slot.face = Slot<T>::Face::computing;
    slot.failed.reset();
    slot.progress = 0;
}

template <class T>
void fail(Slot<T>& slot, const Failed& failed) {
    slot.face = Slot<T>::Face::failed;
    slot.failed = failed;
}

template <class T>
void ready(Slot<T>& slot, std::shared_ptr<const T> value) {
    slot.face = Slot<T>::Face::ready;
    slot.value = std::move(value);
    slot.failed.reset();
    slot.progress = 1;
}

template <class T>
void take(Slot<T>& slot, const Stage<T>& stage) {
    if (stage.value) ready(slot, stage.value);
    else if (stage.failed) fail(slot, *stage.failed);
}

// What is there is shown; what is missing will be computed.
template <class T>
void recall(Slot<T>& slot, const std::shared_ptr<const T>& value) {
    if (value) ready(slot, value);
    else compute(slot);
}

template <class T>
void stop(Slot<T>& slot) {
    if (slot.face != Slot<T>::Face::computing) return;
    fail(slot, Failed{{base::Failure::check_failed,
                       base::say("stopped before it was done"),
                       {},
                       base::say("change a value to compute again")},
                      {}});
}

// Nobody who lets go of it waits until it is freed.
template <class T>
Stage<T> kept(const base::Reclaimer& reclaimer, Stage<T> stage) {
    stage.value = reclaimer.keep(std::move(stage.value));
    return stage;
}

// A sentence about the run, beside what the checks found.
void say_in(Stage<FullRun>& run, const base::Sentence& why) {
    auto copy = std::make_shared<FullRun>(*run.value);
    trace::Finding& finding = copy->findings.emplace_back();
    finding.severity = trace::Severity::warning;
    finding.text = why;
    run.value = std::move(copy);
}

base::Dim3 within(base::Dim3 block, base::Dim3 grid) {
    return {std::min(block.x, grid.x - 1), std::min(block.y, grid.y - 1), std::min(block.z, grid.z - 1)};
}

// The job with its inputs, those of `like` where they are the same.
base::Result<std::shared_ptr<const Job>> with_inputs(const std::shared_ptr<const Job>& job, const Prepared& prepared,
                                                     const std::shared_ptr<const Job>& like, std::stop_token stop) {
    auto inputs = share_inputs(*job, *prepared.program, like.get(), stop);
    if (!inputs) return inputs.error();
    auto ready = std::make_shared<Job>(*job);
    ready->inputs = *inputs;
    return std::shared_ptr<const Job>(std::move(ready));
}

} // namespace

Pipeline::Pipeline(Host host, std::string name) : host_(std::move(host)), name_(std::move(name)) {}

void Pipeline::show(const Subject& subject, base::Dim3 block) {
    const bool other_subject = subject_ != subject;
    if (!other_subject && (!job_ || within(block, job_->shape.grid) == block_)) return;
    if (other_subject) {
        host_.jobs.cancel(key("grid"));
        host_.jobs.cancel(key("machine"));
        host_.jobs.cancel(key("check"));
        dragging_ = subject_ && Clock::now() - changed_ < drag_gap;
        changed_ = Clock::now();
        host_.jobs.cancel(key("sample"));
        grid_asked_ = check_asked_ = false;
        sample_wrong_ = {};
        products_.grid_estimate_s.reset();
        subject_ = subject;
        tell_judged();
        auto job = resolve(host_.catalog, subject);
        if (!job) return fail_all(Failed{job.error(), {}});
        job_ = std::make_shared<const Job>(std::move(*job));
        // Matrices of 8192 x 8192 take 256 MB each: nobody keeps those that cannot be taken again.
        if (with_inputs_ && !same_buffers(*job_, *with_inputs_)) with_inputs_.reset();
    }
    block_ = within(block, job_->shape.grid);

    const Remembered& known = host_.memo[subject];
    const bool block_known = known.block && known.block->trace.block_index == block_;
    recall(products_.prepared, known.prepared);
    recall(products_.block, block_known ? known.block : nullptr);
    const bool time_known =
        block_known && known.time && known.time->block == known.block && known.time->what_if == what_if_;
    recall(products_.time, time_known ? known.time : nullptr);
    recall(products_.grid, known.grid);
    recall(products_.machine, known.machine);
    products_.disassembly = known.disassembly;
    if (other_subject) products_.stand_in = {};
    if (known.stand_in) ready(products_.stand_in, known.stand_in);
    find_widths();
    for (const Contents* contents : {&state_, &marked_})
        if (contents->wanted) compute(products_.*contents->slot);
    if (!known.prepared || !block_known) return start_front();
    host_.jobs.cancel(key("front"));
    ++blocks_delivered_;
    start_rest();
}

void Pipeline::clear() {
    for (const char* stage : {"front", "time", "grid", "sample", "machine", "check", "state", "marked"})
        host_.jobs.cancel(key(stage));
    subject_.reset();
    job_.reset();
    with_inputs_.reset();
    products_ = {};
    for (Contents* contents : {&state_, &marked_})
        contents->wanted.reset(), contents->of.reset(), contents->running.reset();
    timing_.reset();
    front_outdated_ = false;
}

void Pipeline::outdate() {
    for (const char* stage : {"front", "time", "grid", "sample", "machine", "check", "state", "marked"})
        host_.jobs.cancel(key(stage));
    front_outdated_ = false;
    forget_running();
    with_inputs_.reset();
    subject_.reset();
}

void Pipeline::cancel() {
    for (const char* stage : {"front", "time", "grid", "sample", "machine", "check", "state", "marked"})
        host_.jobs.cancel(key(stage));
    front_outdated_ = false;
    forget_running();
    if (products_.grid_estimate_s) products_.grid.face = Slot<FullRun>::Face::empty; // can be asked for again
    if (products_.stand_in.face == Slot<StandIn>::Face::computing) products_.stand_in = {};
    grid_asked_ = check_asked_ = false;
    stop(products_.prepared), stop(products_.block), stop(products_.time), stop(products_.grid),
        stop(products_.machine), stop(products_.state), stop(products_.marked);
}

void Pipeline::fail_all(const Failed& failed) {
    job_.reset();
    for (const char* stage : {"front", "time", "check", "state", "marked"}) host_.jobs.cancel(key(stage));
    front_outdated_ = false;
    forget_running();
    products_.stand_in = {};
    fail(products_.prepared, failed), fail(products_.block, failed), fail(products_.time, failed),
        fail(products_.grid, failed), fail(products_.machine, failed);
    fail(products_.state, failed);
    if (marked_.wanted) fail(products_.marked, failed);
}

void Pipeline::forget_running() { state_.running.reset(), marked_.running.reset(), timing_.reset(); }

// Compile, parse, decode, one block. An older run that is under way is cancelled, unless pictures have been missing
// for long: then it is let through and ours follows it.
void Pipeline::start_front() {
    if (!host_.jobs.busy(key("front"))) waiting_since_ = Clock::now();
    front_outdated_ = Clock::now() - waiting_since_ > longest_without_picture;
    if (front_outdated_) return;
    auto work = [job = job_, block = block_, known = host_.memo[*subject_].prepared, like = with_inputs_,
                 on_block = host_.on_block, &reclaimer = host_.reclaimer](std::stop_token stop) {
        Front front;
        front.prepared = known ? Stage<Prepared>{known, {}} : kept(reclaimer, prepare(*job, stop));
        if (!front.prepared.value || stop.stop_requested()) return front;
        auto ready = with_inputs(job, *front.prepared.value, like, stop);
        if (!ready) {
            front.block.failed = Failed{ready.error(), {}};
            return front;
        }
        front.job = reclaimer.keep(*ready);
        front.block = kept(reclaimer, run_block(**ready, *front.prepared.value, block, stop));
        if (on_block && front.block.value && !stop.stop_requested()) front.drawn_bytes = on_block(front.block.value);
        return front;
    };
    auto done = [this, subject = *subject_](Front&& front) { take_front(subject, std::move(front)); };
    auto failed = [this](base::Error error) { fail_all(Failed{std::move(error), {}}); };
    host_.jobs.start(key("front"), std::move(work), std::move(done), std::move(failed));
}

void Pipeline::take_front(const Subject& subject, Front&& front) {
    Remembered& known = host_.memo[subject];
    if (front.prepared.value) known.prepared = front.prepared.value;
    if (front.block.value) known.block = front.block.value, known.drawn_bytes = front.drawn_bytes;
    host_.memo.trim();
    if (front.job) with_inputs_ = front.job;

    if (std::exchange(front_outdated_, false)) { // its picture passes by; the newest one is still to come
        if (front.prepared.value && front.block.value) {
            products_.prepared.value = front.prepared.value;
            products_.block.value = front.block.value;
            ++blocks_delivered_;
            start_time(with_inputs_);
        }
        return start_front();
    }
    take(products_.prepared, front.prepared);
    take(products_.block, front.block);
    if (front.prepared.failed) {
        fail(products_.block, *front.prepared.failed);
        fail(products_.grid, *front.prepared.failed);
        if (!front.prepared.failed->diagnostics.empty()) fail(products_.machine, *front.prepared.failed);
    }
    if (products_.block.failed) {
        fail(products_.time, *products_.block.failed);
        fail(products_.state, *products_.block.failed);
        if (marked_.wanted) fail(products_.marked, *products_.block.failed);
    }
    ++blocks_delivered_;
    start_rest();
}

void Pipeline::start_rest() {
    start_time(job_);
    if (products_.grid.face == Slot<FullRun>::Face::computing && !host_.jobs.busy(key("grid")))
        grid_is_affordable() ? start_grid() : start_sample();
    start_check();
    if (products_.machine.face == Slot<compile::MachineCode>::Face::computing && !host_.jobs.busy(key("machine")))
        start_machine();
}

void Pipeline::tell_judged() {
    const auto kernel = subject_ ? host_.catalog.find(subject_->kernel) : nullptr;
    products_.judged = kernel ? expected_error(host_.judged, *kernel, *subject_, what_if_) : ExpectedError{};
}

void Pipeline::want_what_if(const timing::WhatIf& what_if) {
    if (std::exchange(what_if_, what_if) == what_if) return;
    tell_judged();
    if (!job_ || !products_.time.value) return;
    if (products_.block.face != Slot<BlockRun>::Face::ready) return; // its time will be that
    compute(products_.time);
    start_time(job_);
}

// One at a time and then the newest: a slider that is dragged shows every time that there is time for. `of` is the job
// that the block was run for.
void Pipeline::start_time(const std::shared_ptr<const Job>& of) {
    const TimeOf wanted{products_.block.value, what_if_};
    const auto& there = products_.time.value;
    if (timing_ || !wanted.block || products_.time.face != Slot<TimedBlock>::Face::computing) return;
    timing_ = wanted;
    auto work = [job = of, prepared = products_.prepared.value, wanted, there,
                 &reclaimer = host_.reclaimer](std::stop_token stop) {
        return kept(reclaimer, timed_block(*job, *prepared, wanted.block, wanted.what_if, there, stop));
    };
    auto done = [this](Stage<TimedBlock>&& time) { take_time(std::move(time)); };
    auto failed = [this](base::Error error) {
        timing_.reset();
        fail(products_.time, Failed{std::move(error), {}});
    };
    host_.jobs.start(key("time"), std::move(work), std::move(done), std::move(failed));
}

void Pipeline::take_time(Stage<TimedBlock>&& time) {
    const bool newest =
        products_.block.face == Slot<BlockRun>::Face::ready && *timing_ == TimeOf{products_.block.value, what_if_};
    timing_.reset();
    if (newest) {
        take(products_.time, time);
        if (time.value) {
            host_.memo[*subject_].time = time.value;
            host_.memo.trim();
        }
        return;
    }
    if (time.value) products_.time.value = time.value; // passes by
    if (products_.block.face == Slot<BlockRun>::Face::ready) start_time(job_);
}

// Otherwise the products say what it would take, and some of the blocks are counted.
bool Pipeline::grid_is_affordable() {
    if (grid_asked_ || !products_.block.value) return true;
    const double seconds = estimate_grid_s(*job_, *products_.block.value, host_.threads);
    if (seconds <= host_.affordable_s) return true;
    products_.grid = {};
    products_.grid_estimate_s = seconds;
    return false;
}

// Where one block can stand for others, numbers come at once. Whether that is right is looked at afterwards.
void Pipeline::start_sample() {
    compute(products_.grid);
    grid_progress_ = std::make_shared<std::atomic<float>>(0.0f);
    auto work = [job = job_, prepared = products_.prepared.value, threads = host_.threads, sample = host_.sample,
                 dragging = dragging_, &reclaimer = host_.reclaimer](std::stop_token stop) -> Stage<FullRun> {
        if (dragging) rest(stop, drag_rest);
        return kept(reclaimer,
                    sample ? sample(*job, *prepared, threads, stop) : run_sample(*job, *prepared, threads, stop));
    };
    auto done = [this](Stage<FullRun>&& sample) {
        if (!sample.value || has_error(sample.value->findings)) { // the whole grid, when it is asked for
            products_.grid = {};
            return;
        }
        take(products_.grid, sample);
        start_sample_check(sample.value);
    };
    auto failed = [this](base::Error error) { fail(products_.grid, Failed{std::move(error), {}}); };
    host_.jobs.start(key("grid"), std::move(work), std::move(done), std::move(failed));
}

// Other blocks are executed and compared; the whole grid is counted if one of them counts something else.
void Pipeline::start_sample_check(std::shared_ptr<const FullRun> run) {
    constexpr uint64_t some = 8;
    auto work = [job = job_, prepared = products_.prepared.value, run](std::stop_token stop) {
        return check_sample(*job, *prepared, *run->sample, some, stop);
    };
    auto done = [this](Stage<SampleCheck>&& check) {
        if (!check.value || !check.value->differs || grid_asked_) return;
        const base::Dim3 b = *check.value->differs;
        sample_wrong_ = base::say(
            "block ({}, {}, {}) counts something else than the one that stood for it, so all blocks were counted", b.x,
            b.y, b.z);
        run_grid();
    };
    host_.jobs.start(key("sample"), std::move(work), std::move(done), [](const base::Error&) {});
}

void Pipeline::run_grid() {
    if (!products_.grid_estimate_s || grid_asked_ || !products_.prepared.value) return;
    grid_asked_ = true;
    compute(products_.grid);
    start_grid();
}

void Pipeline::check() {
    check_asked_ = true;
    start_check();
}

void Pipeline::start_check() {
    if (!check_asked_ || !products_.grid_estimate_s || products_.stand_in.face != Slot<StandIn>::Face::empty) return;
    const auto kernel = host_.catalog.find(subject_->kernel);
    if (!kernel || products_.block.face != Slot<BlockRun>::Face::ready) return;
    compute(products_.stand_in);
    check_progress_ = std::make_shared<std::atomic<float>>(0.0f);
    auto work = [kernel, subject = *subject_, job = job_, prepared = products_.prepared.value, threads = host_.threads,
                 like = with_inputs_, progress = shown_in(check_progress_)](std::stop_token stop) -> Stage<StandIn> {
        auto ready = with_inputs(job, *prepared, like, stop);
        if (!ready) return {nullptr, Failed{ready.error(), {}}};
        return check_stand_in(*kernel, subject, **ready, *prepared, threads, stop, progress);
    };
    auto done = [this, subject = *subject_](Stage<StandIn>&& checked) {
        take(products_.stand_in, checked);
        host_.memo[subject].stand_in = checked.value;
    };
    auto failed = [this](base::Error error) { fail(products_.stand_in, Failed{std::move(error), {}}); };
    host_.jobs.start(key("check"), std::move(work), std::move(done), std::move(failed));
}

// Several threads report; a number that is a little behind does no harm.
std::function<void(float)> Pipeline::shown_in(const std::shared_ptr<std::atomic<float>>& shown) const {
    return [shown, wake = host_.wake](float fraction) {
        if (fraction < shown->load(std::memory_order_relaxed) + 0.01f) return;
        shown->store(fraction, std::memory_order_relaxed);
        if (wake) wake();
    };
}

void Pipeline::start_grid() {
    grid_progress_ = std::make_shared<std::atomic<float>>(0.0f);
    auto work = [job = job_, prepared = products_.prepared.value, threads = host_.threads,
                 progress = shown_in(grid_progress_), like = with_inputs_, dragging = dragging_, why = sample_wrong_,
                 &reclaimer = host_.reclaimer](std::stop_token stop) -> Stage<FullRun> {
        if (dragging) rest(stop, drag_rest);
        auto ready = with_inputs(job, *prepared, like, stop);
        if (!ready) return {nullptr, Failed{ready.error(), {}}};
        auto grid = session::run_grid(**ready, *prepared, threads, stop, progress);
        if (grid.value && !why.empty()) say_in(grid, why);
        return kept(reclaimer, std::move(grid));
    };
    auto done = [this, subject = *subject_](Stage<FullRun>&& grid) {
        take(products_.grid, grid);
        products_.grid_estimate_s.reset();
        host_.memo[subject].grid = grid.value;
        host_.memo.trim();
    };
    auto failed = [this](base::Error error) { fail(products_.grid, Failed{std::move(error), {}}); };
    host_.jobs.start(key("grid"), std::move(work), std::move(done), std::move(failed));
}

void Pipeline::find_widths() {
    products_.widths.reset();
    if (!products_.prepared.value || !products_.disassembly) return;
    products_.widths = std::make_shared<const std::vector<analysis::AccessWidth>>(
        analysis::access_widths(*products_.prepared.value->ptx_listing, *products_.disassembly));
}

void Pipeline::start_machine() {
    const bool is_executed =
        products_.prepared.face == Slot<Prepared>::Face::ready; // else it may be of an older subject
    struct Made {
        Stage<compile::MachineCode> code;
        std::shared_ptr<const trace::MachineListing> disassembly;
    };
    auto work = [job = job_, prepared = is_executed ? products_.prepared.value : nullptr,
                 dragging = dragging_](std::stop_token stop) {
        if (dragging) rest(stop, drag_rest);
        Made made;
        if (!stop.stop_requested()) made.code = machine_code(*job, prepared ? prepared->ptx.get() : nullptr, stop);
        if (made.code.value) made.disassembly = disassembly(*made.code.value, prepared.get());
        return made;
    };
    auto done = [this, subject = *subject_](Made&& made) {
        take(products_.machine, made.code);
        products_.disassembly = made.disassembly;
        find_widths();
        Remembered& known = host_.memo[subject];
        known.machine = made.code.value, known.disassembly = made.disassembly;
    };
    auto failed = [this](base::Error error) { fail(products_.machine, Failed{std::move(error), {}}); };
    host_.jobs.start(key("machine"), std::move(work), std::move(done), std::move(failed));
}

void Pipeline::want_state(std::optional<uint32_t> event, std::optional<uint32_t> marked) {
    want(state_, event);
    want(marked_, marked);
}

void Pipeline::want(Contents& contents, std::optional<uint32_t> event) {
    if (!event && contents.wanted) {
        host_.jobs.cancel(key(contents.stage));
        contents.of.reset(), contents.running.reset();
        products_.*contents.slot = {};
    }
    contents.wanted = event;
    start(contents);
}

// One at a time and then the newest, so that stepping fast shows every picture there is time for.
void Pipeline::start(Contents& contents) {
    if (!contents.wanted || !job_ || contents.running) return;
    if (products_.block.face != Slot<BlockRun>::Face::ready || !products_.prepared.value) return;
    const auto& events = products_.block.value->trace.events;
    if (events.empty()) return;
    StateOf wanted{products_.block.value, std::min(*contents.wanted, static_cast<uint32_t>(events.size() - 1))};
    if (contents.of == wanted) return;

    compute(products_.*contents.slot);
    contents.running = wanted;
    auto work = [job = job_, prepared = products_.prepared.value, like = with_inputs_,
                 wanted](std::stop_token stop) -> Stage<sim::BlockState> {
        auto ready = with_inputs(job, *prepared, like, stop);
        if (!ready) return {nullptr, Failed{ready.error(), {}}};
        return block_state(**ready, *prepared, wanted.block->trace.block_index, wanted.event, stop);
    };
    auto done = [this, &contents](Stage<sim::BlockState>&& state) {
        contents.of = std::exchange(contents.running, std::nullopt);
        take(products_.*contents.slot, state);
        if (products_.block.face == Slot<BlockRun>::Face::computing) compute(products_.*contents.slot);
        start(contents);
    };
    auto failed = [this, &contents](base::Error error) {
        contents.of = std::exchange(contents.running, std::nullopt);
        fail(products_.*contents.slot, Failed{std::move(error), {}});
    };
    host_.jobs.start(key(contents.stage), std::move(work), std::move(done), std::move(failed));
}

bool Pipeline::update_progress() {
    const auto update = [](auto& slot, const std::shared_ptr<std::atomic<float>>& shown) {
        if (!shown || slot.face != std::decay_t<decltype(slot)>::Face::computing) return false;
        const float fraction = shown->load(std::memory_order_relaxed);
        return std::exchange(slot.progress, fraction) != fraction;
    };
    const bool grid = update(products_.grid, grid_progress_);
    return update(products_.stand_in, check_progress_) || grid;
}

} // namespace session
