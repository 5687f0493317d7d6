#include "catalog/kernel.h"

#include "catalog/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <limits>
#include <optional>

namespace catalog {
namespace {

base::Error usage(base::Sentence what, base::Sentence todo) {
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
base::Sentence way_out(const Kernel& kernel, const Values& values, const Values& given) {
    for (const auto& [name, value] : given)
        if (auto good = legal(choices(kernel, values, name)); !good.empty())
            return base::say("choose {} among {}", name, base::names(good));
    for (const auto& [name, value] : given) {
        auto near = nearest_legal(kernel, values, name, value);
        if (!near) continue;
        std::vector<std::string> parts;
        for (const auto& [other, chosen] : *near)
            if (chosen != values.at(other)) parts.push_back(fmt::format("{} = {}", other, chosen));
        return base::say("with {} = {}, choose {}", name, value, base::names(parts));
    }
    return base::say("gemmscope show {} lists what is allowed", kernel.id);
}

int number_of(std::string_view arch) { // 90 of "sm_90" and "sm_90a"; 0: it is no architecture
    int number = 0;
    if (arch.starts_with("sm_")) std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
    return number;
}

struct Quantity {
    base::Phrase name;
    const std::string& expression;
    int64_t least, most;
};

// CUDA's limits for compute capability 7.0 and later: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability". The shared memory is the largest of all, 227 KiB a block on 9.0; analysis::occupancy knows each one's own.
constexpr int64_t most_threads = 1024, most_shared_bytes = 227 * 1024;
// CUDA Driver API, cuTensorMapEncodeTiled.
constexpr int64_t most_in_a_box = 256, box_row_unit = 16;

// The expressions of a kernel for one setting and problem.
class Evaluation {
public:
    Evaluation(const Kernel& kernel, const Values& values, Problem problem)
        : kernel_(kernel), names_(parameter_names(kernel)), row_(row_of(kernel, values)) {
        names_.insert(names_.end(), {"M", "N", "K"});
        row_.insert(row_.end(), {problem.m, problem.n, problem.k});
    }

    // Its value; 0, and an error: it has none, or one that is not possible.
    uint32_t of(const Quantity& quantity) {
        if (error_) return 0;
        const auto& [name, text, least, most] = quantity;
        auto expression = Expression::parse(text, names_);
        if (!expression) return fail(expression.error());
        auto result = expression->evaluate(row_);
        if (!result)
            return fail(
                usage(base::say("{}: the number of {}, {}, has no value", kernel_.id, base::Sentence(name), text),
                      base::say("choose other values")));
        if (*result < least || *result > most)
            return fail(usage(base::say("{} would have {} {} ({})", kernel_.id, *result, base::Sentence(name), text),
                              base::say("choose values that give {} to {}", least, most)));
        return static_cast<uint32_t>(*result);
    }
    uint32_t fail(base::Error error) {
        if (!error_) error_ = std::move(error);
        return 0;
    }
    const std::optional<base::Error>& error() const { return error_; }

private:
    const Kernel& kernel_;
    std::vector<std::string> names_;
    Row row_;
    std::optional<base::Error> error_;
};

base::Result<TensorBox> tensor_box(const Kernel& kernel, const TensorMap& map, Evaluation evaluation) {
    const TensorBox box{map.of, evaluation.of({base::phrase("rows in a box"), map.rows, 1, most_in_a_box}),
                        evaluation.of({base::phrase("columns in a box"), map.columns, 1, most_in_a_box}),
                        evaluation.of({base::phrase("bytes of swizzle"), map.swizzle, 0, 128}), map.to_tf32};
    const int64_t element_bytes = base::bytes_of(matrix_of({}, kernel.operation, kernel.operands, map.of).element);
    const int64_t row_bytes = box.columns * element_bytes, swizzle = box.swizzle_bytes;
    const base::Sentence which = base::say("{}: the boxes of {}", kernel.id, map.of);
    if (row_bytes % box_row_unit != 0)
        evaluation.fail(usage(base::say("{} have rows of {} bytes", which, row_bytes),
                              base::say("choose values that give a multiple of {}", box_row_unit)));
    if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
        evaluation.fail(usage(base::say("{} are swizzled over {} bytes", which, swizzle),
                              base::say("choose values that give 0, 32, 64 or 128")));
    // The hardware takes shorter rows too; how they lie in shared memory is not documented.
    if (swizzle != 0 && row_bytes != swizzle)
        evaluation.fail(usage(base::say("{} have rows of {} bytes and are swizzled over {}", which, row_bytes, swizzle),
                              base::say("make both the same, or do not swizzle")));
    if (!evaluation.error()) return box;
    base::Error error = *evaluation.error();
    error.where = fmt::format("{}:{}", kernel.path, map.line);
    return error;
}

} // namespace

const Parameter* find_parameter(const Kernel& kernel, std::string_view name) {
    const size_t index = parameter_index(kernel, name);
    return index < kernel.parameters.size() ? &kernel.parameters[index] : nullptr;
}

std::vector<std::string> parameter_names(const Kernel& kernel) {
    std::vector<std::string> names;
    for (const Parameter& parameter : kernel.parameters) names.push_back(parameter.name);
    return names;
}

Values initial_values(const Kernel& kernel) { return values_of(kernel, row_of(kernel, {})); }

base::Result<Values> with(const Kernel& kernel, const Values& given) {
    Values values = initial_values(kernel);
    for (const auto& [name, value] : given) {
        size_t index = parameter_index(kernel, name);
        if (index == kernel.parameters.size()) {
            auto names = parameter_names(kernel);
            return usage(base::say("{} has no parameter {}", kernel.id, name),
                         names.empty() ? base::say("it has none at all")
                                       : base::say("its parameters are {}", base::names(names)));
        }
        const std::vector<int>& offered = kernel.parameters[index].values;
        if (value < offered.front() || value > offered.back())
            return usage(base::say("{} = {} is not offered", name, value),
                         base::say("choose {} among {}", name, base::names(offered)));
        values[name] = value;
    }
    auto rules = Rules::of(kernel);
    if (auto broken = rules->first_broken(row_of(kernel, values)))
        return usage(
            base::say("{}: {}", assignments(kernel, values, rules->uses(*broken)), clause(kernel.rules[*broken])),
            way_out(kernel, values, given));
    return values;
}

bool is_plain(const Kernel& kernel, const Values& values) {
    return std::all_of(kernel.parameters.begin(), kernel.parameters.end(), [&](const Parameter& parameter) {
        const auto given = values.find(parameter.name);
        return !parameter.variant || given == values.end() || given->second == parameter.initial;
    });
}

base::Result<LaunchShape> launch_shape(const Kernel& kernel, const Values& values, Problem problem) {
    for (auto [name, size] : {std::pair{"M", problem.m}, {"N", problem.n}, {"K", problem.k}})
        if (size < 1)
            return usage(base::say("{} = {} is not a size", name, size), base::say("choose {} of at least 1", name));

    Evaluation evaluation(kernel, values, problem);
    LaunchShape shape;
    shape.block.x = evaluation.of({base::phrase("threads in x"), kernel.block_x, 1, most_threads});
    shape.block.y = evaluation.of({base::phrase("threads in y"), kernel.block_y, 1, most_threads});
    shape.grid.x = evaluation.of({base::phrase("blocks in x"), kernel.grid_x, 1, std::numeric_limits<int32_t>::max()});
    shape.grid.y = evaluation.of({base::phrase("blocks in y"), kernel.grid_y, 1, 65535});
    shape.dynamic_shared_bytes =
        evaluation.of({base::phrase("bytes of dynamic shared memory"), kernel.dynamic_shared, 0, most_shared_bytes});
    if (evaluation.error()) return *evaluation.error();
    if (shape.block.count() > most_threads)
        return usage(base::say("{} would have {} threads in a block", kernel.id, shape.block.count()),
                     base::say("choose values that give at most {}", most_threads));
    for (const TensorMap& map : kernel.tensor_maps) {
        auto box = tensor_box(kernel, map, evaluation);
        if (!box) return box.error();
        shape.tensor_maps.push_back(*box);
    }
    return shape;
}

base::Result<uint32_t> rounding(const Kernel& kernel, const Values& values) {
    Evaluation evaluation(kernel, values, {});
    const uint32_t times =
        evaluation.of({base::phrase("times the rounding errors of a plain sum"), kernel.rounding, 1, 1000});
    if (evaluation.error()) return *evaluation.error();
    return times;
}

namespace {
constexpr std::array<std::string_view, 4> placements{"device", "first touch", "prefetch", "resident"};
}

std::string_view name_of(Placement placement) { return placements[static_cast<size_t>(placement)]; }

std::optional<Placement> placement_named(std::string_view name) {
    const auto found = std::find(placements.begin(), placements.end(), name);
    if (found == placements.end()) return std::nullopt;
    return static_cast<Placement>(found - placements.begin());
}

base::Result<Placement> placement(const Kernel& kernel, const Values& values) {
    if (kernel.managed.empty()) return Placement::device;
    Evaluation evaluation(kernel, values, {});
    const uint32_t way = evaluation.of(
        {base::phrase("for the way of managed pages (0 first touch, 1 prefetch, 2 resident)"), kernel.managed, 0, 2});
    if (evaluation.error()) return *evaluation.error();
    return static_cast<Placement>(static_cast<uint32_t>(Placement::first_touch) + way);
}

base::Result<StreamShape> stream_shape(const Kernel& kernel, const Values& values, Problem problem) {
    if (!kernel.stream)
        return usage(base::say("{} does not say how its matrices are streamed", kernel.id),
                     base::say("choose a kernel with a table [stream], such as out_of_core"));
    const Stream& stream = *kernel.stream;
    Evaluation evaluation(kernel, values, problem);
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    const auto size = [&](base::Phrase name, const std::string& expression) {
        return static_cast<int>(evaluation.of({name, expression, 1, most}));
    };
    StreamShape shape{
        size(base::phrase("rows of a tile"), stream.rows), size(base::phrase("columns of a tile"), stream.columns),
        size(base::phrase("elements of k in a piece"), stream.depth), size(base::phrase("buffers"), stream.buffers), 0};
    shape.cap_bytes = static_cast<uint64_t>(size(base::phrase("megabytes of memory"), stream.cap_mb)) * 1'000'000;
    if (evaluation.error()) return *evaluation.error();
    return shape;
}

Matrix matrix_of(Problem problem, Operation operation, OperandType operands, char name, uint32_t row_alignment) {
    if (!has_argument(operation, name)) return {};
    const Matrix floats{problem.m, problem.n};
    const auto packed = [&](base::Packing packing) {
        return Matrix{problem.m, problem.n, base::NumberType::u32, packing};
    };
    switch (operation) {
    case Operation::product: break;
    case Operation::add_one: return floats;
    case Operation::pack_rows: return name == 'A' ? floats : packed(base::Packing::along_rows);
    case Operation::pack_columns: return name == 'A' ? floats : packed(base::Packing::along_columns);
    }
    Matrix matrix{name == 'B' ? problem.k : problem.m, name == 'A' ? problem.k : problem.n,
                  name == 'C' ? result_of(operands) : stored_as(operands), packing_of(operands, name)};
    if (row_alignment > 0) {
        const uint64_t over = matrix.pitch() % row_alignment;
        matrix.padding = over == 0 ? 0 : (row_alignment - over) / base::bytes_of(matrix.element);
    }
    return matrix;
}

base::Result<std::string> target(const Kernel& kernel, const std::string& arch) {
    if (kernel.arch.empty()) return arch;
    const bool only = kernel.arch.ends_with('a');
    const int needed = number_of(kernel.arch), given = number_of(arch);
    if (only && given == needed) return kernel.arch;
    if (!only && given >= needed) return arch;
    return usage(
        only ? base::say("{} uses instructions of sm_{} alone and cannot run on {}", kernel.id, needed, arch)
             : base::say("{} uses instructions of sm_{} and later and cannot run on {}", kernel.id, needed, arch),
        base::say("choose sm_{}", needed));
}

std::string instantiation(const Kernel& kernel, const Values& values) {
    const Row row = row_of(kernel, values);
    Row arguments;
    for (size_t i = 0; i < row.size(); ++i)
        if (!kernel.parameters[i].host) arguments.push_back(row[i]);
    if (arguments.empty()) return kernel.function;
    return fmt::format("{}<{}>", kernel.function, fmt::join(arguments, ", "));
}

} // namespace catalog
