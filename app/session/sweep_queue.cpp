#include "session/sweep_queue.h"

#include "base/caught.h"
#include "base/file.h"
#include "compile/compiler.h"
#include "session/gpu_runs.h"

#include <algorithm>

namespace session {

base::Result<gpu::Launch> compare_launch(const std::filesystem::path& assets, const catalog::Kernel& kernel,
                                         const measure::Device& device) {
    const std::filesystem::path file = assets / "compare.cu";
    auto text = base::read_file(file);
    if (!text) return text.error();
    const bool doubles = catalog::result_of(kernel.operands) == base::NumberType::f64;
    auto code = compile::to_machine_code(compile::Source{
        *text, file.string(), doubles ? "largest_difference<double>" : "largest_difference<float>", {}, device.arch});
    if (code.failed) return code.failed->error;
    gpu::Launch launch;
    launch.kernel = "compare";
    launch.image = code.value->cubin;
    launch.entry = code.value->entry;
    launch.grid = {static_cast<uint32_t>(std::max(device.multiprocessors, 1)) * 8, 1, 1};
    launch.block = {256, 1, 1};
    return launch;
}

CompiledItem compiled(SweepItem item, const gpu::Launch& compare, const std::string& arch, double time_limit_s,
                      std::stop_token stop) {
    CompiledItem made;
    Subject subject;
    subject.kernel = item.kernel->id;
    subject.parameters = item.setting;
    subject.problem = item.sizes.front();
    auto launch = gpu_launch(*item.kernel, subject, arch, std::move(stop));
    for (const catalog::Problem& problem : item.sizes) {
        auto shape = catalog::launch_shape(*item.kernel, item.setting, problem);
        made.refused.push_back(shape ? "" : shape.error().what.english());
        if (shape)
            made.request.sizes.push_back(
                {problem, shape->grid, shape->block, shape->dynamic_shared_bytes, shape->tensor_maps});
    }
    if (launch) made.request.launch = std::move(*launch);
    else made.failed = launch.error();
    made.request.compare = compare;
    made.request.time_limit_s = time_limit_s;
    made.item = std::move(item);
    return made;
}

SweepQueue::SweepQueue(std::deque<SweepItem> items, Compile compile, unsigned threads, size_t most_ready,
                       std::function<void()> wake)
    : compile_(std::move(compile)), most_ready_(most_ready), wake_(std::move(wake)), items_(std::move(items)) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

SweepQueue::~SweepQueue() {
    for (std::jthread& thread : threads_) thread.request_stop();
}

void SweepQueue::work(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    while (room_.wait(lock, stop, [this] { return items_.empty() || ready_.size() + compiling_ < most_ready_; }) &&
           !items_.empty()) {
        SweepItem item = std::move(items_.front());
        items_.pop_front();
        ++compiling_;
        lock.unlock();
        CompiledItem made;
        made.item = item;
        if (const std::exception_ptr thrown = base::caught([&] { made = compile_(item, stop); }))
            made.failed = base::error_of(thrown);
        lock.lock();
        --compiling_;
        ready_.push_back(std::move(made));
        wake_();
    }
    wake_();
}

std::optional<CompiledItem> SweepQueue::take() {
    const std::lock_guard lock(mutex_);
    if (ready_.empty()) return {};
    CompiledItem first = std::move(ready_.front());
    ready_.pop_front();
    room_.notify_one();
    return first;
}

void SweepQueue::give_back(CompiledItem item) {
    const std::lock_guard lock(mutex_);
    ready_.push_front(std::move(item));
}

bool SweepQueue::empty() {
    const std::lock_guard lock(mutex_);
    return items_.empty() && ready_.empty() && compiling_ == 0;
}

} // namespace session
