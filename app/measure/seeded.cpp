#include "measure/seeded.h"

#include "base/matrix_layout.h"
#include "base/random.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

namespace measure {
namespace {

// On all cores, where it is worth starting them: each value follows from its place alone.
template <class T, class ValueAt>
void fill(std::span<std::byte> bytes, ValueAt value_at) {
    constexpr size_t worth_a_thread = size_t{1} << 20;
    const size_t count = bytes.size() / sizeof(T);
    const size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const size_t parts = std::clamp(count / worth_a_thread, size_t{1}, cores);
    const auto part = [&](size_t which) {
        for (size_t i = count * which / parts; i < count * (which + 1) / parts; ++i) {
            const T value = value_at(i);
            std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
        }
    };
    std::vector<std::jthread> threads;
    for (size_t which = 1; which < parts; ++which) threads.emplace_back(part, which);
    part(0);
}

} // namespace

void seed(const Workload& workload, char matrix, std::span<std::byte> into) {
    const catalog::Matrix shape = catalog::matrix_of(workload.problem, workload.operation, workload.operands, matrix);
    const base::RandomStream values(workload.seed, catalog::stream_of(workload.operation, matrix));
    if (shape.packing != base::Packing::none)
        fill<uint32_t>(into, [&](size_t word) {
            return base::packed_word(shape.layout(), word, [&](uint64_t i) { return values(i) < 0; });
        });
    else if (shape.element == base::NumberType::f64) fill<double>(into, [&](size_t i) { return values.wide(i); });
    else if (shape.element == base::NumberType::bf16)
        fill<uint16_t>(into, [&](size_t i) { return base::to_bf16(values(i)); });
    else fill<float>(into, values);
}

base::Numbers seeded(const Workload& workload, char matrix) {
    const catalog::Matrix shape = catalog::matrix_of(workload.problem, workload.operation, workload.operands, matrix);
    base::Numbers result(shape.element, shape.layout().stored());
    seed(workload, matrix, result.bytes());
    return result;
}

base::Numbers seeded_in_rows(const Workload& workload, char matrix) {
    base::Numbers elements = seeded(workload, matrix);
    const base::MatrixLayout layout = workload.matrix(matrix).layout();
    if (layout.padding == 0) return elements;
    base::Numbers result(elements.element(), layout.stored());
    base::add_padding(layout, base::bytes_of(elements.element()), elements.bytes(), result.bytes());
    return result;
}

} // namespace measure
