// Records of how far predictions are off: one that can be read is written, and what was written reads back as itself.
// Coverage: app/measure/accuracy.cpp
#include "entry.h"

#include "measure/accuracy.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto record = measure::accuracy_record_from(text_of(data, size), "record.json");
    if (!record) return 0;
    const std::string written = measure::text_of(*record);
    const auto again = measure::accuracy_record_from(written, "record.json");
    if (!again || measure::text_of(*again) != written) std::abort();
    return 0;
}
