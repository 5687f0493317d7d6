// Kernel files: front matter, parameters, rules and expressions, at the initial and at neighbouring settings; and what is made of them:
// a copy of one's own, the starter of a planted mistake.
// Coverage: app/catalog/front_matter.cpp app/catalog/kernel.cpp app/catalog/expression.cpp app/catalog/rules.cpp app/catalog/toml_reader.cpp app/catalog/operands.cpp
#include "entry.h"

#include "catalog/catalog.h"
#include "catalog/expression.h"
#include "exercise/race.h"
#include "session/own_kernels.h"

#include <array>

namespace {

constexpr size_t most_text = 32 << 10;

void try_settings(const catalog::Kernel& kernel) {
    const catalog::Values initial = catalog::initial_values(kernel);
    (void)catalog::instantiation(kernel, initial);
    for (catalog::Problem problem : {catalog::Problem{}, {1, 1, 1}, {2147483647, 1, 2147483647}})
        (void)catalog::launch_shape(kernel, initial, problem);
    for (size_t i = 0; i < std::min<size_t>(kernel.parameters.size(), 4); ++i) {
        const catalog::Parameter& parameter = kernel.parameters[i];
        (void)catalog::choices(kernel, initial, parameter.name);
        if (parameter.values.empty()) continue;
        auto near = catalog::nearest_legal(kernel, initial, parameter.name, parameter.values.back());
        if (near) (void)catalog::with(kernel, *near);
    }
}

void rewrite(const catalog::Kernel& kernel) {
    (void)session::as_own(kernel);
    for (const catalog::Break& mistake : kernel.breaks) (void)exercise::race_starter(kernel, mistake.name);
}

void evaluate(const std::string& text) {
    static const std::array<std::string, 3> names{"BM", "TM", "K"};
    auto expression = catalog::Expression::parse(text, names);
    if (!expression) return;
    for (int64_t value : {0, 1, -1, 128, 2147483647})
        (void)expression->evaluate(std::array<int64_t, 3>{value, 8, value});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size > most_text) return 0;
    const std::string text(text_of(data, size));
    auto kernel = catalog::parse(text, "fuzzed.cu");
    if (kernel) try_settings(*kernel), rewrite(*kernel);
    if (size < 256) evaluate(text);
    return 0;
}
