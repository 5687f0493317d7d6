#include "catalog/kernel.h"

#include "catalog/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace catalog {
namespace {

base::Error usage(std::string what, std::string todo) {
    return {base::Failure::usage, std::move(what), {}, std::move(todo)};
}

// "BM = 64, TM = 8" for the parameters that the indices name.
std::string assignments(const Kernel& kernel, const Values& values, const std::vector<size_t>& indices) {
    std::vector<std::string> parts;
    for (size_t i : indices) {
        const std::string& name = kernel.parameters[i].name;
        parts.push_back(fmt::format("{} = {}", name, values.at(name)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<int> legal(const std::vector<Choice>& choices) {
    std::vector<int> values;
    for (const Choice& choice : choices)
        if (!choice.broken) values.push_back(choice.value);
    return values;
}

// What would satisfy a broken rule: another value of one of the parameters given, else a whole setting.
std::string way_out(const Kernel& kernel, const Values& values, const Values& given) {
    for (const auto& [name, value] : given)
        if (auto good = legal(choices(kernel, values, name)); !good.empty())
            return fmt::format("choose {} among {}", name, fmt::join(good, ", "));
    for (const auto& [name, value] : given) {
        auto near = nearest_legal(kernel, values, name, value);
        if (!near) continue;
        std::vector<std::string> parts;
        for (const auto& [other, chosen] : *near)
            if (chosen != values.at(other)) parts.push_back(fmt::format("{} = {}", other, chosen));
        return fmt::format("with {} = {}, choose {}", name, value, fmt::join(parts, ", "));
    }
    return fmt::format("gemmscope show {} lists what is allowed", kernel.id);
}

struct Quantity {
    std::string_view name;
    const std::string* expression;
    int64_t least, most;
};

// CUDA's limits for compute capability 7.0 and later: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability". The shared memory is the largest of all, 227 KiB a block on 9.0; analysis::occupancy knows each one's own.
constexpr int64_t most_threads = 1024, most_shared_bytes = 227 * 1024;

} // namespace

Values initial_values(const Kernel& kernel) { return values_of(kernel, row_of(kernel, {})); }

base::Result<Values> with(const Kernel& kernel, const Values& given) {
    Values values = initial_values(kernel);
    for (const auto& [name, value] : given) {
        size_t index = parameter_index(kernel, name);
        if (index == kernel.parameters.size()) {
            auto names = parameter_names(kernel);
            return usage(fmt::format("{} has no parameter {}", kernel.id, name),
                         names.empty() ? "it has none at all" : fmt::format("its parameters are {}", fmt::join(names, ", ")));
        }
        const std::vector<int>& offered = kernel.parameters[index].values;
        if (value < offered.front() || value > offered.back())
            return usage(fmt::format("{} = {} is not offered", name, value),
                         fmt::format("choose {} among {}", name, fmt::join(offered, ", ")));
        values[name] = value;
    }
    auto rules = Rules::of(kernel);
    if (auto broken = rules->first_broken(row_of(kernel, values)))
        return usage(fmt::format("{}: {}", assignments(kernel, values, rules->uses(*broken)), clause(kernel.rules[*broken])),
                     way_out(kernel, values, given));
    return values;
}

base::Result<LaunchShape> launch_shape(const Kernel& kernel, const Values& values, Problem problem) {
    for (auto [name, size] : {std::pair{"M", problem.m}, {"N", problem.n}, {"K", problem.k}})
        if (size < 1) return usage(fmt::format("{} = {} is not a size", name, size), fmt::format("choose {} of at least 1", name));

    std::vector<std::string> names = parameter_names(kernel);
    names.insert(names.end(), {"M", "N", "K"});
    Row row = row_of(kernel, values);
    row.insert(row.end(), {problem.m, problem.n, problem.k});
    const Quantity quantities[] = {
        {"threads in x", &kernel.block_x, 1, most_threads},
        {"threads in y", &kernel.block_y, 1, most_threads},
        {"blocks in x", &kernel.grid_x, 1, std::numeric_limits<int32_t>::max()},
        {"blocks in y", &kernel.grid_y, 1, 65535},
        {"bytes of dynamic shared memory", &kernel.dynamic_shared, 0, most_shared_bytes},
    };
    uint32_t results[std::size(quantities)];
    for (size_t i = 0; i < std::size(quantities); ++i) {
        const auto& [name, text, least, most] = quantities[i];
        auto expression = Expression::parse(*text, names);
        if (!expression) return expression.error();
        auto result = expression->evaluate(row);
        if (!result) return usage(fmt::format("{}: the number of {}, {}, has no value", kernel.id, name, *text), "choose other values");
        if (*result < least || *result > most)
            return usage(fmt::format("{} would have {} {} ({})", kernel.id, *result, name, *text),
                         fmt::format("choose values that give {} to {}", least, most));
        results[i] = static_cast<uint32_t>(*result);
    }
    LaunchShape shape{{results[2], results[3], 1}, {results[0], results[1], 1}, results[4]};
    if (shape.block.count() > most_threads)
        return usage(fmt::format("{} would have {} threads in a block", kernel.id, shape.block.count()),
                     fmt::format("choose values that give at most {}", most_threads));
    return shape;
}

std::string instantiation(const Kernel& kernel, const Values& values) {
    if (kernel.parameters.empty()) return kernel.function;
    return fmt::format("{}<{}>", kernel.function, fmt::join(row_of(kernel, values), ", "));
}

} // namespace catalog
