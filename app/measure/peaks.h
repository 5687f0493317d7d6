// How fast a GPU is at most, as it was measured.
#pragma once

#include "base/fields.h"
#include "base/result.h"

#include <string>

namespace measure {

// Medians of ten launches.
struct Peaks {
    double fma_gflops = 0;                                         // FP32, 1e9 operations a second
    double fp64_gflops = 0;                                        // 0 (absent in older files): not measured
    double copy_gb_s = 0;                                          // read and written, 1e9 bytes a second
    int fma_clock_mhz = 0, fp64_clock_mhz = 0, copy_clock_mhz = 0; // of the multiprocessors; 0: unknown
    std::string driver, cuda, date;                                // cuda: of the compiler
    // Reads that the cache answers, 1e9 bytes a second; 0 (absent in older files): not measured.
    double l1_gb_s = 0, l2_gb_s = 0;
    int l1_clock_mhz = 0, l2_clock_mhz = 0;
    bool operator==(const Peaks&) const = default;
};

// As a part of other JSON. Errors name the field.
base::FieldsWriter fields_of(const Peaks&);
base::Result<Peaks> peaks_from(base::Fields);

} // namespace measure
