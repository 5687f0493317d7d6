#include "views/stream_words.h"

#include "views/say.h"

namespace views {

std::string stream_origin(const Strings& tr, const measure::StreamRecord& r) {
    if (r.measured)
        return say(tr, r.file.empty() ? "stream.measured" : "stream.recorded", r.device, r.driver, r.cuda, r.date);
    const double tflops = r.assumed.gflops / 1e3;
    if (r.device.empty()) return say(tr, "stream.planned", r.assumed.copy_gb_s, tflops);
    return say(tr, "stream.planned_as", r.assumed.copy_gb_s, tflops, r.device);
}

std::string stream_tiles(const Strings& tr, const session::Stream& stream) {
    const measure::StreamPlan& plan = stream.plan;
    const auto gigabytes = [](uint64_t bytes) { return static_cast<double>(bytes) / 1e9; };
    return say(tr, "stream.tiles", plan.tiles(), plan.shape.rows, plan.shape.columns, plan.pieces,
               gigabytes(plan.device_bytes), measure::hiding_edge(stream.sum.speed(), plan.operands),
               gigabytes(plan.shape.cap_bytes));
}

std::string stream_time(const Strings& tr, const session::Stream& stream) {
    const measure::StreamSummary& sum = stream.sum;
    std::string words = say(tr, "stream.sentence", sum.total_ms, sum.gflops() / 1e3, 100 * sum.compute_share());
    const double in_core = stream.record->in_core_ms;
    if (in_core > 0) words += " " + say(tr, "stream.in_core", in_core, 100 * in_core / sum.total_ms);
    return words;
}

std::string stream_waits(const Strings& tr, const session::Stream& stream) {
    const measure::StreamSummary& sum = stream.sum;
    const auto waited = [&](measure::StreamWait wait) { return sum.waited_ms[static_cast<size_t>(wait)]; };
    return say(tr, "stream.waits", waited(measure::StreamWait::operands), waited(measure::StreamWait::c), sum.tail_ms,
               waited(measure::StreamWait::launch));
}

const char* stream_row_key(measure::StreamRow row) {
    constexpr const char* keys[measure::stream_rows] = {"stream.copy_in", "stream.compute", "stream.copy_out"};
    return keys[static_cast<size_t>(row)];
}

} // namespace views
