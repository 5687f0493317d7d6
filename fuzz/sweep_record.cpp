// Records of a sweep: one that can be read is written, reads back as itself, and finds each of its points.
// Coverage: app/measure/sweep_record.cpp
#include "entry.h"

#include "measure/sweep_record.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto record = measure::SweepRecord::parse(text_of(data, size), "record.txt");
    if (!record) return 0;
    const std::string written = measure::text_of(**record);
    const auto again = measure::SweepRecord::parse(written, "record.txt");
    if (!again || measure::text_of(**again) != written) std::abort();
    for (const measure::SweepPoint& point : (*record)->points())
        if ((*record)->find((*record)->setting(point), point.problem) != &point) std::abort();
    for (const catalog::Problem& problem : (*record)->sizes()) {
        const measure::SweepPoint* best = (*record)->best(problem);
        for (const measure::SweepPoint& point : (*record)->points())
            if (point.problem == problem && point.measured() && (!best || point.ms < best->ms)) std::abort();
    }
    return 0;
}
