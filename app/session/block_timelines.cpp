#include "session/block_timelines.h"

#include "ptx/block_records.h"
#include "ptx/parser.h"
#include "session/gpu_runs.h"
#include "session/series.h"

namespace session {

static_assert(sizeof(measure::BlockRecord) == ptx::block_record_words * sizeof(uint64_t));

base::Result<compile::Ptx> recording_ptx(const Job& job, std::stop_token stop) {
    auto compiled = compile::to_ptx(job.source, stop);
    if (compiled.failed) return compiled.failed->error;
    auto module = ptx::parse(compiled.value->text);
    if (!module) return module.error();
    auto text = ptx::with_block_records(*module, compiled.value->entry);
    if (!text) return text.error();
    return compile::Ptx{std::move(*text), compiled.value->entry, {}};
}

base::Result<gpu::TimelineRequest> timeline_request(const catalog::Kernel& kernel, const Subject& subject,
                                                    const std::string& arch, std::stop_token stop) {
    Subject there = subject;
    there.arch = arch;
    auto job = resolve(kernel, there);
    if (!job) return job.error();
    auto launch = gpu_launch(kernel, subject, arch, stop);
    if (!launch) return launch.error();
    if (launch->grid.count() > measure::most_blocks)
        return base::Error{
            base::Failure::usage,
            base::say("{} blocks are more than the {} that are recorded", launch->grid.count(), measure::most_blocks),
            {},
            base::say("choose a smaller size")};
    auto ptx = recording_ptx(*job, stop);
    if (!ptx) return ptx.error();
    gpu::TimelineRequest request;
    request.launch = std::move(*launch);
    for (const char c : ptx->text) request.recording.push_back(static_cast<std::byte>(c));
    request.recording.push_back(std::byte{0});
    return request;
}

TimelineFiles read_timelines(const std::filesystem::path& assets) {
    TimelineFiles all;
    for (const auto& file : files_of(assets / "recorded/timelines", ".json")) {
        auto timeline = measure::read_block_timeline(file);
        if (timeline) all.timelines.push_back(std::make_shared<const measure::BlockTimeline>(std::move(*timeline)));
        else all.problems.push_back(timeline.error());
    }
    return all;
}

} // namespace session
