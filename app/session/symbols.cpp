#include "session/symbols.h"

#include "sim/names.h"

#include <algorithm>
#include <set>

namespace session {
namespace {

using base::Error;
using base::Failure;

bool is_of_the_file(const ptx::Variable& v) { return v.space == ptx::Space::constant || v.space == ptx::Space::global; }

Error no_variable(const ptx::Module& module, const Symbol& symbol, const std::string& where) {
    std::vector<std::string> names;
    for (const ptx::Variable& v : module.variables)
        if (is_of_the_file(v) && v.initial.empty()) names.push_back(sim::source_name(v.name));
    constexpr size_t most_named = 10; // headers have many
    return {Failure::usage, base::say("there is no __constant__ or __device__ variable {}", symbol.name), where,
            names.empty() || names.size() > most_named ? base::say("name one as it is declared")
                                                       : base::say("choose among {}", base::names(names))};
}

void collect(const ptx::Operand& o, std::set<int32_t>& variables) {
    if (o.kind == ptx::OperandKind::variable) variables.insert(o.index);
    for (const ptx::Operand& e : o.elements) collect(e, variables);
}

} // namespace

base::Result<sim::VariableValues> set_symbols(ptx::Module& module, const Job& job) {
    sim::VariableValues values;
    for (size_t n = 0; n < job.symbols.size(); ++n) {
        const Symbol& symbol = job.symbols[n];
        const auto is_it = [&](const ptx::Variable& v) {
            return is_of_the_file(v) && (v.name == symbol.name || sim::source_name(v.name) == symbol.name);
        };
        const auto found = std::find_if(module.variables.begin(), module.variables.end(), is_it);
        if (found == module.variables.end()) return no_variable(module, symbol, job.source.name);
        std::vector<std::byte> value = symbol.value.scalar;
        if (value.empty()) {
            value.resize(symbol.value.buffer.bytes);
            fill(value, symbol.value, base::RandomStream(job.seed, job.arguments.size() + n), {});
        }
        if (value.size() != found->bytes)
            return Error{
                Failure::usage,
                base::say("{} has {} bytes and the value given has {}", symbol.name, found->bytes, value.size()),
                job.source.name, base::say("choose another type or number of elements for this --symbol")};
        values[found->name] = value;
        found->initial = std::move(value);
    }
    return values;
}

std::vector<std::string> unset_constants(const ptx::Module& module, const std::string& entry) {
    std::set<int32_t> used;
    for (const ptx::Function& f : module.functions)
        if (!f.entry || f.name == entry)
            for (const ptx::Instruction& i : f.instructions)
                for (const ptx::Operand& o : i.operands) collect(o, used);
    std::vector<std::string> names;
    for (const int32_t n : used) {
        const ptx::Variable& v = module.variables[static_cast<size_t>(n)];
        if (v.space == ptx::Space::constant && v.initial.empty() && v.pointers.empty())
            names.push_back(sim::source_name(v.name));
    }
    return names;
}

} // namespace session
