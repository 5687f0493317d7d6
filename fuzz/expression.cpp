// Expressions of kernel files: one that can be read gives the same value each time, uses only names that there are, and what it does
// not use does not change it.
// Coverage: app/catalog/expression.cpp
#include "entry.h"

#include "catalog/expression.h"

#include <array>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const std::array<std::string, 4> names{"BM", "TM", "K", "unused"};
    const auto expression = catalog::Expression::parse(std::string(text_of(data, size)), names);
    if (!expression) return 0;
    bool uses_last = false;
    for (const size_t name : expression->uses()) {
        if (name >= names.size()) std::abort();
        uses_last |= name + 1 == names.size();
    }
    constexpr std::array<int64_t, 9> values{0, 1, -1, 2, 128, -7, 2147483647, int64_t{1} << 53, INT64_MIN};
    for (const int64_t a : values)
        for (const int64_t b : values) {
            const auto value = expression->evaluate(std::array<int64_t, 4>{a, b, a, 1});
            if (value != expression->evaluate(std::array<int64_t, 4>{a, b, a, 1})) std::abort();
            if (!uses_last && value != expression->evaluate(std::array<int64_t, 4>{a, b, a, 77})) std::abort();
        }
    return 0;
}
