// What the speed of a product is a share of: the peak of the units that do its arithmetic.
#pragma once

#include "analysis/intensity.h"
#include "catalog/catalog.h"
#include "measure/peaks.h"
#include "measure/series.h"
#include "session/stages.h"

namespace session {

// FP32, doubles and bits are multiplied with or without tensor cores, TF32 and bf16 by them alone.
analysis::Unit unit_of(catalog::OperandType, bool tensor_cores);

// Of a kernel that may do either its file says which. cuBLAS multiplies doubles on tensor cores where the device has such.
analysis::Unit unit_of(const measure::Series&, const catalog::Catalog&, const analysis::Device&);

// Where the compiled code computes on other units than the file says, a sentence that tells it; else empty.
base::Sentence wrong_units(const Gemm&, const trace::Listing&);

struct Ceiling {
    analysis::Unit unit = analysis::Unit::fp32;
    double gflops = 0;          // by arithmetic; 0: not known
    double measured_gflops = 0; // by FMAs of floats, of doubles; 0: not measured
    bool operator==(const Ceiling&) const = default;
};
// `measured`: of the device or its like; nullptr: nothing.
Ceiling ceiling(analysis::Unit, const analysis::Device&, const measure::Peaks* measured);

} // namespace session
