// What a kernel of the catalogue is called with on a GPU: as catalog::arguments_of() says, then the tensor
// maps.
#pragma once

#include "gpu/driver/driver.h"
#include "gpu/protocol.h"

#include <vector>

namespace gpu {

// alpha or beta where it is taken through a pointer: a double or a float.
class Factor {
public:
    Factor(catalog::OperandType type, double value)
        : double_(value), float_(static_cast<float>(value)),
          is_double_(catalog::result_of(type) == base::NumberType::f64) {}
    void* pointer() { return is_double_ ? static_cast<void*>(&double_) : &float_; }
    const void* pointer() const { return is_double_ ? static_cast<const void*>(&double_) : &float_; }

private:
    double double_;
    float float_;
    bool is_double_;
};

class GemmArguments {
public:
    // The tensor maps are encoded by the driver. Errors: Failure::missing, a driver that has none; boxes that
    // it refuses.
    static base::Result<GemmArguments> make(const Driver&, const Launch&, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c);

    std::vector<void*>
    pointers(); // to each argument, as cuLaunchKernel takes them; valid as long as this stays where it is

private:
    GemmArguments(const Launch&, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c);
    void* pointer(char argument);

    catalog::Operation operation_;
    catalog::Problem problem_;
    uint32_t row_alignment_;
    Factor alpha_, beta_;
    CUdeviceptr a_, b_, c_;
    int lda_, ldb_, ldc_; // elements
    std::vector<CUtensorMap> maps_;
};

} // namespace gpu
