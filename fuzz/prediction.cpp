// A cubin: its first kernel taken for what ptxas made of a user's file and of a kernel of the catalogue. Both are predicted, and one
// block of the former is put in time.
// Coverage: app/session/prediction.cpp app/session/cuts.cpp app/session/block_streams.cpp app/timing
#include "cubin.h"
#include "entry.h"

#include "catalog/catalog.h"
#include "sass/module.h"
#include "session/prediction.h"

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

// Stops what takes longer than this, as the window stops what nobody waits for any more: machine code may loop for ever.
class Patience {
public:
    std::stop_token token() const { return enough_.get_token(); }

private:
    static constexpr std::chrono::milliseconds most{500};
    std::stop_source enough_;
    std::jthread watch_{[enough = enough_](const std::stop_token& done) mutable {
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock lock(mutex);
        if (!ended.wait_for(lock, done, most, [&] { return done.stop_requested(); })) enough.request_stop();
    }};
};

// C = A B, of which a thread computes one element.
catalog::Kernel product() {
    static const std::string text = R"cu(/* gemmscope
title = "A product"
[launch]
block = [32, 4]
grid = ["ceil_div(N, 32)", "ceil_div(M, 4)"]
*/
__global__ void product(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {}
)cu";
    auto kernel = catalog::parse(text, "product.cu");
    if (!kernel) std::abort();
    return std::move(*kernel);
}

session::Prepared prepare(sass::Module module, std::shared_ptr<const sim::Program> program, size_t length) {
    session::Prepared prepared;
    prepared.timing =
        std::make_shared<const timing::Code>(timing::code_of(module.instructions, *timing::machine("sm_90")));
    prepared.listing = sim::listing(*program);
    prepared.resources.registers = static_cast<int>(length % 256);
    prepared.resources.static_shared_bytes = sim::static_shared_bytes(*program);
    prepared.program = std::move(program);
    return prepared;
}

// The input's length says how many blocks and threads there are. What may be a pointer leads to a buffer.
session::Job job_of(const session::Prepared& prepared, size_t length) {
    constexpr base::Dim3 grids[] = {{1, 1, 1}, {2, 3, 1}, {400, 1, 1}, {1, 1, 70'000}};
    session::Job job;
    job.kernel = "fuzzed.cu";
    job.shape.grid = grids[length % std::size(grids)];
    job.shape.block = {static_cast<uint32_t>(1 + length % 96), 1, 1};
    job.shape.dynamic_shared_bytes = length % 7 == 0 ? 48 << 10 : 64;
    for (const sim::Parameter& p : sim::parameters(*prepared.program)) {
        session::Argument& argument = job.arguments.emplace_back();
        argument.fill = session::Argument::Fill::random;
        if (p.bytes == sizeof(uint64_t)) argument.buffer = {.name = "buffer", .bytes = 64 << 10};
        else argument.scalar.resize(p.bytes, std::byte{1});
    }
    return job;
}

void look_at(const session::Stage<session::Prediction>& made) {
    if (!made.value == !made.failed) std::abort();
    if (made.value && !(std::isfinite(made.value->ms) && made.value->ms > 0 && made.value->resident > 0)) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto cubin = cubin_of(data, size);
    if (!cubin) return 0;
    auto module = sass::read_module(cubin->bytes, cubin->entry);
    if (!module) return 0;
    auto program = sim::prepare_machine_code(cubin->bytes, *module);
    if (!program || !sim::not_executed(**program).empty()) return 0;
    const session::Prepared prepared = prepare(std::move(*module), std::move(*program), size);
    const session::Job job = job_of(prepared, size);
    const Patience patience;
    look_at(session::predict(job, prepared, {}, patience.token()));
    static const catalog::Kernel kernel = product();
    session::Subject subject;
    subject.problem = {64, 64, 512};
    look_at(session::predict(kernel, subject, prepared, {}, patience.token()));
    const auto block = session::run_block(job, prepared, {0, 0, 0}, patience.token());
    if (!block.value) return 0;
    const auto timed = session::time_block(job, prepared, *block.value, {}, patience.token());
    if (timed.value && timed.value->run.issues.size() > block.value->trace.events.size()) std::abort();
    return 0;
}
