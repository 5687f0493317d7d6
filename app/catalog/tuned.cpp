#include "catalog/tuned.h"

#include "base/file.h"
#include "base/folder_lock.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <tuple>

namespace catalog {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Failure;

constexpr const char* heading = "# The fastest settings found by `gemmscope tune`, which writes this file.\n";

std::string where(const fs::path& path, const toml::node& node) {
    return fmt::format("{}:{}", path.string(), node.source().begin.line);
}

// toml++ makes integers of fractions, too, of those that none can hold as well.
template <class Value>
std::optional<Value> value_of(const toml::node* node) {
    if (!node || (std::is_integral_v<Value> && !node->is_integer())) return {};
    return node->value<Value>();
}

base::Result<Tuned> read_one(const fs::path& path, const Kernel& kernel, const toml::table& table) {
    Tuned tuned;
    std::string missing;
    auto take = [&](const char* key, auto& into) {
        using Value = std::remove_reference_t<decltype(into)>;
        if (auto value = value_of<Value>(table.get(key))) into = *value;
        else missing = key;
    };
    take("m", tuned.problem.m), take("n", tuned.problem.n), take("k", tuned.problem.k);
    take("gflops", tuned.gflops), take("ratio", tuned.ratio), take("sm_clock_mhz", tuned.sm_clock_mhz);
    for (auto [key, text] : {std::pair{"device", &tuned.device},
                             {"arch", &tuned.arch},
                             {"driver", &tuned.driver},
                             {"cuda", &tuned.cuda},
                             {"date", &tuned.date},
                             {"command", &tuned.command}})
        take(key, *text);
    const toml::table* parameters = table["parameters"].as_table();
    if (!parameters) missing = "parameters";
    if (!missing.empty())
        return Error{Failure::usage, base::say("\"{}\" is missing or of another type", missing), where(path, table),
                     base::say("run gemmscope tune again")};
    if (std::min({tuned.problem.m, tuned.problem.n, tuned.problem.k}) < 1)
        return Error{Failure::usage, base::say("a size is below 1"), where(path, table),
                     base::say("run gemmscope tune again")};
    for (auto&& [name, node] : *parameters) tuned.values[std::string(name.str())] = value_of<int>(&node).value_or(0);
    auto legal = with(kernel, tuned.values);
    if (!legal)
        return Error{Failure::usage, legal.error().what, where(path, table), base::say("run gemmscope tune again")};
    tuned.values = std::move(*legal);
    return tuned;
}

std::string to_toml(const Tuned& t) {
    toml::table parameters;
    for (const auto& [name, value] : t.values) parameters.insert(name, value);
    parameters.is_inline(true);
    toml::table table{
        {"device", t.device}, {"arch", t.arch},           {"m", t.problem.m},    {"n", t.problem.n},
        {"k", t.problem.k},   {"parameters", parameters}, {"driver", t.driver},  {"sm_clock_mhz", t.sm_clock_mhz},
        {"cuda", t.cuda},     {"date", t.date},           {"command", t.command}};
    std::ostringstream text; // toml++ writes 47683.4 as 47683.400000000001
    text << "\n[[best]]\n" << table << fmt::format("\ngflops = {}\nratio = {}\n", t.gflops, t.ratio);
    return text.str();
}

auto order(const Tuned& t) {
    return std::tuple(t.device, double(t.problem.m) * t.problem.n * t.problem.k, t.problem.m, t.problem.n, t.problem.k);
}

// How far apart two sizes are: doublings of an edge.
double distance(Problem a, Problem b) {
    auto doublings = [](int x, int y) { return std::abs(std::log2(double(x) / y)); };
    return doublings(a.m, b.m) + doublings(a.n, b.n) + doublings(a.k, b.k);
}

// It goes with the next version, and is often root's.
bool is_installed(const fs::path& kernel_file) {
    const auto kernels = base::resource_folder("kernels");
    return base::source_folder().empty() && kernels && kernel_file.string().starts_with((*kernels / "").string());
}

} // namespace

std::vector<fs::path> tuned_files(const fs::path& kernel_file) {
    std::vector<fs::path> files = {fs::path(kernel_file).replace_extension(".tuned.toml")};
    if (is_installed(kernel_file)) files.push_back(base::data_folder() / "tuned" / files.front().filename());
    return files;
}

void put_tuned(std::vector<Tuned>& all, const Tuned& tuned) {
    std::erase_if(all, [&](const Tuned& old) { return old.device == tuned.device && old.problem == tuned.problem; });
    all.push_back(tuned);
}

base::Result<std::vector<Tuned>> read_tuned(const fs::path& path, const Kernel& kernel) {
    std::vector<Tuned> all;
    std::error_code absent;
    if (!fs::exists(path, absent)) return all;
    auto text = base::read_file(path);
    if (!text) return text.error();
    try {
        const toml::table root = toml::parse(*text, path.string());
        const toml::node* best = root.get("best");
        const Error no_tables{
            Failure::usage, base::say("\"best\" should be tables, each under [[best]]"), path.string(), {}};
        if (best && !best->is_array()) return no_tables;
        for (size_t i = 0; best && i < best->as_array()->size(); ++i) {
            const toml::table* table = best->as_array()->get(i)->as_table();
            if (!table) return no_tables;
            auto one = read_one(path, kernel, *table);
            if (!one) return one.error();
            all.push_back(std::move(*one));
        }
    } catch (const toml::parse_error& problem) {
        return Error{Failure::usage,
                     base::verbatim(std::string(problem.description())),
                     fmt::format("{}:{}", path.string(), problem.source().begin.line),
                     {}};
    }
    return all;
}

base::Status keep_tuned(const fs::path& path, const Kernel& kernel, const Tuned& tuned) {
    const base::FolderLock alone(path.parent_path()); // several may be tuned at once
    auto all = read_tuned(path, kernel);
    if (!all) return all.error();
    put_tuned(*all, tuned);
    std::sort(all->begin(), all->end(), [](const Tuned& a, const Tuned& b) { return order(a) < order(b); });
    std::string text = heading;
    for (const Tuned& one : *all) text += to_toml(one);
    return base::write_file(path, text);
}

const Tuned* nearest_tuned(const Kernel& kernel, std::string_view device, std::string_view arch, Problem problem) {
    const Tuned* nearest = nullptr;
    auto key = [&](const Tuned& t) {
        return std::pair(t.device != device, distance(t.problem, problem));
    }; // the device's own come first
    for (const Tuned& tuned : kernel.tuned) {
        if (tuned.device != device && tuned.arch != arch) continue;
        if (!nearest || key(tuned) < key(*nearest)) nearest = &tuned;
    }
    return nearest;
}

Values default_values(const Kernel& kernel, std::string_view device, std::string_view arch, Problem problem) {
    const Tuned* tuned = kernel.starts_tuned ? nearest_tuned(kernel, device, arch, problem) : nullptr;
    return tuned ? tuned->values : initial_values(kernel);
}

base::Result<Values> values_for(const Kernel& kernel, const Values& given, std::string_view device,
                                std::string_view arch, Problem problem) {
    return with(kernel, given.empty() ? default_values(kernel, device, arch, problem) : given);
}

} // namespace catalog
