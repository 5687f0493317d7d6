#include "sim/shared_arrays.h"

#include "sim/program/program.h"

namespace sim {

std::vector<SharedArray> shared_arrays(const Program& program) {
    std::vector<SharedArray> arrays;
    for (const auto& variable : program.shared_variables)
        arrays.push_back({variable.name, variable.at, variable.bytes});
    return arrays;
}

} // namespace sim
