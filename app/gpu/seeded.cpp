#include "gpu/seeded.h"

#include "base/random.h"
#include "base/sign_bits.h"

#include <cstring>

namespace gpu {
namespace {

template <class T, class ValueAt>
void fill(base::Numbers& numbers, ValueAt value_at) {
    for (size_t i = 0; i < numbers.size(); ++i) {
        const T value = value_at(i);
        std::memcpy(numbers.bytes().data() + i * sizeof(T), &value, sizeof(T));
    }
}

} // namespace

base::Numbers seeded(const Launch& launch, char matrix) {
    const catalog::Matrix shape = launch.matrix(matrix);
    const size_t stream = catalog::argument_number(launch.operation, matrix).value_or(0); // of a matrix that is not there nothing is made
    const base::RandomStream values(launch.seed, stream);
    base::Numbers result(shape.element, shape.shape().stored());
    if (shape.packing != base::Packing::none)
        fill<uint32_t>(result, [&](size_t word) {
            return base::packed_word(shape.shape(), word, [&](uint64_t i) { return values(i) < 0; });
        });
    else if (shape.element == base::NumberType::f64)
        fill<double>(result, [&](size_t i) { return values.wide(i); });
    else if (shape.element == base::NumberType::bf16)
        fill<uint16_t>(result, [&](size_t i) { return base::to_bf16(values(i)); });
    else
        fill<float>(result, values);
    return result;
}

} // namespace gpu
