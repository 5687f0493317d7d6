// What is computed, whatever computes it: a kernel, or a library.
#pragma once

#include "catalog/kernel.h"

#include <cstdint>
#include <string>

namespace measure {

// A matrix holds base::RandomStream(seed, catalog::stream_of() it), rounded to what its type stores.
struct Workload {
    std::string kernel; // catalogue id, or that of a reference (measure/references.h): of the point, and for messages
    catalog::Problem problem;
    catalog::Operation operation = catalog::Operation::product;
    catalog::OperandType operands = catalog::OperandType::f32;
    uint32_t row_alignment = 0; // bytes, see catalog::Kernel
    catalog::Placement placement = catalog::Placement::device;
    double alpha = 1, beta = 0; // as the kernel takes them: catalog::as_factor()
    uint64_t seed = 1;
    uint32_t rounding = 1;                    // catalog::rounding()
    catalog::Matrix matrix(char name) const { // as the kernel finds it
        return catalog::matrix_of(problem, operation, operands, name, row_alignment);
    }
    bool reads_c() const { return operation == catalog::Operation::product && beta != 0; }
    bool operator==(const Workload&) const = default;
};

} // namespace measure
