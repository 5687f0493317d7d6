// Files of what was measured: points, series, timelines, streams, profiles. One that can be read is written, and what was
// written reads back as itself.
// Coverage: app/measure/bench_point.cpp app/measure/block_timeline.cpp app/measure/stream_record.cpp app/measure/profile.cpp app/measure/point_log.cpp app/measure/series.cpp
#include "entry.h"
#include "file.h"

#include "measure/bench_point.h"
#include "measure/block_timeline.h"
#include "measure/point_log.h"
#include "measure/profile.h"
#include "measure/series.h"
#include "measure/stream_record.h"

#include <cstdlib>

namespace {

template <class Read>
void back_and_forth(std::string_view text, Read read) {
    const auto record = read(text);
    if (!record) return;
    const std::string written = to_json(*record);
    const auto again = read(written);
    if (!again || to_json(*again) != written) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text = text_of(data, size);
    back_and_forth(text, measure::point_from_json);
    back_and_forth(text, measure::block_timeline_from_json);
    back_and_forth(text, measure::stream_record_from_json);
    (void)measure::profile_from_json(text);
    const FileOf file(data, size);
    if (const auto points = measure::read_points(file.path()))
        (void)measure::series_of(points->points, measure::Origin::recorded, "fuzzed");
    (void)measure::read_published(file.path());
    return 0;
}
