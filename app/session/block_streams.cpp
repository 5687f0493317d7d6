#include "session/block_streams.h"

#include <fmt/format.h>

#include <utility>

namespace session {

using base::Error;
using base::Failure;

Error stopped() { return {Failure::check_failed, base::say("stopped before it was done"), {}, {}}; }
Error too_long() {
    return {Failure::missing,
            base::say("the block executes more than is kept of it"),
            {},
            base::say("choose a smaller problem")};
}

namespace {

// A block ends there that would have gone on.
Error fails(const trace::Finding& finding, const std::string& file) {
    return {Failure::check_failed, finding.text,
            finding.source_line > 0 ? fmt::format("{}:{}", file, finding.source_line) : file,
            base::say("mend the kernel: where a block fails it ends, and its time tells nothing")};
}

} // namespace

BlockStreams::BlockStreams(const Job& job, const Prepared& prepared, Inputs inputs, std::stop_token stop)
    : job_(job), prepared_(&prepared), inputs_(std::move(inputs)), stop_(std::move(stop)) {}

base::Result<BlockStreams> BlockStreams::of(const Job& job, const Prepared& prepared, const std::stop_token& stop) {
    Job filled = job;
    if (job.gemm)
        for (Argument& argument : filled.arguments) argument.fill = Argument::Fill::zero;
    auto inputs = make_inputs(filled, *prepared.program, stop);
    if (!inputs) return inputs.error();
    return BlockStreams(job, prepared, std::move(*inputs), stop);
}

base::Result<std::vector<const timing::Stream*>> BlockStreams::get(std::span<const uint64_t> blocks) {
    std::vector<const timing::Stream*> all;
    for (const uint64_t block : blocks) {
        if (!known_.contains(block)) {
            auto written = write(block);
            if (!written) return written.error();
            known_.emplace(block, std::move(*written));
        }
        all.push_back(&known_.at(block));
    }
    return all;
}

base::Result<uint64_t> BlockStreams::executed(uint64_t block) {
    if (const auto found = executed_.find(block); found != executed_.end()) return found->second;
    uint64_t instructions = 0;
    if (const auto found = known_.find(block); found != known_.end())
        for (const auto& steps : found->second.warps) instructions += steps.size();
    else {
        auto outcome = run(block, nullptr, stop_);
        if (!outcome) return outcome.error();
        instructions = outcome->warp_instructions;
    }
    return executed_[block] = instructions;
}

base::Result<timing::Stream> BlockStreams::write(uint64_t block) const {
    std::stop_source enough; // by whoever asked for the stream, or because it is full
    const std::stop_callback outer(stop_, [&] { enough.request_stop(); });
    timing::StreamWriter writer(prepared_->listing, job_.shape.block.count(), analysis::bank_rule(job_.source.arch),
                                most_bytes, enough);
    auto outcome = run(block, &writer, enough.get_token());
    if (writer.full()) return too_long();
    if (!outcome) return outcome.error();
    return writer.take();
}

base::Result<sim::Outcome> BlockStreams::run(uint64_t block, timing::StreamWriter* writer, std::stop_token stop) const {
    sim::Options options;
    options.traced_block = base::position(block, job_.shape.grid);
    options.traced_block_only = options.events_to_observer = true;
    options.observer = [&] { return writer; };
    options.checks = false;
    options.matrix_products = !job_.gemm;
    options.instruction_budget = instruction_budget(job_);
    options.stop = std::move(stop);
    sim::Memory memory = inputs_.memory;
    const sim::Launch launch{job_.shape.grid, job_.shape.block, job_.shape.dynamic_shared_bytes, inputs_.parameters};
    auto outcome = sim::run(*prepared_->program, launch, memory, options);
    if (!outcome) return outcome.error();
    if (outcome->stopped) return stopped();
    for (const trace::Finding& f : outcome->findings)
        if (f.severity == trace::Severity::error) return fails(f, job_.source.name);
    return outcome;
}

} // namespace session
