// list and show: the catalogue as its files describe it.
#include "base/file.h"
#include "cli/json.h"
#include "cli/sizes.h"
#include "cli/source.h"
#include "cli/table.h"
#include "cli/words.h"
#include "measure/references.h"
#include "session/search.h"
#include "session/series.h"
#include "views/search_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace cli {
namespace {

// The series on the plot that no kernel of ours makes, such as cuBLAS: those that can be measured, and what
// recorded and published files name besides.
std::set<std::string> references(const catalog::Catalog& catalog) {
    std::set<std::string> names;
    for (const measure::ReferenceSeries& one : measure::reference_series()) names.emplace(one.id);
    auto assets = base::resource_folder("assets");
    if (!assets) return names;
    for (const measure::Series& series : session::read_series(*assets, catalog).series) {
        if (series.kernel.empty()) names.insert(series.name);
    }
    return names;
}

Json parameter_json(const catalog::Parameter& parameter, const Common& common) {
    return {{"name", parameter.name},
            {"values", parameter.values},
            {"initial", parameter.initial},
            {"meaning", in_language(parameter.meaning, common)}};
}

Json kernel_json(const catalog::Kernel& kernel, const Common& common) {
    Json parameters = Json::array();
    for (const auto& parameter : kernel.parameters) parameters.push_back(parameter_json(parameter, common));
    return {{"id", kernel.id},
            {"title", in_language(kernel.title, common)},
            {"family", kernel.family},
            {"rung", kernel.rung},
            {"provenance", kernel.provenance},
            {"parameters", parameters},
            {"operation", catalog::name_of(kernel.operation)},
            {"operands", catalog::name_of(kernel.operands)},
            {"row_alignment", kernel.row_alignment},
            {"managed", kernel.managed},
            {"path", kernel.path}};
}

// "Binary matrices (binary)": its title, and what a kernel file calls it.
std::string heading(const catalog::Catalog& catalog, const std::string& family, const Common& common) {
    const auto is_it = [&](const catalog::Family& one) { return one.id == family; };
    const auto found = std::find_if(catalog.families.begin(), catalog.families.end(), is_it);
    return found == catalog.families.end() ? family : fmt::format("{} ({})", in_language(found->title, common), family);
}

constexpr const char* reference_family = "reference";

struct Listed { // what `list` lists
    catalog::Catalog catalog;
    std::set<std::string> references;
    std::map<std::string, std::vector<session::Match>> found; // by a kernel's id; empty where nothing was searched for
};

// Only the kernels that are meant. Compiles those that words do not find.
Listed search(catalog::Catalog catalog, const std::string& text) {
    Listed listed;
    std::erase_if(catalog.kernels, [&](const auto& kernel) {
        auto matches = session::match(*kernel, nullptr, text);
        if (matches.empty()) {
            const session::Opcodes opcodes = session::opcodes_of(*kernel, session::Subject{}.arch);
            matches = session::match(*kernel, &opcodes, text);
        }
        const bool meant = !matches.empty();
        if (meant) listed.found.emplace(kernel->id, std::move(matches));
        return !meant;
    });
    listed.catalog = std::move(catalog);
    return listed;
}

// How a reference's figures come about; nullptr: one that is only in files.
const char* provenance(const measure::ReferenceSeries* reference) {
    using enum measure::ReferenceSeries::Measured;
    if (!reference) return "recorded, published";
    switch (reference->measured) {
    case on_device: return "measured on the GPU by bench, beside cuBLAS";
    case on_cpu: return "measured on the CPU by bench";
    case between_host_memory: return "measured on the GPU by bench, matrices in host memory";
    case beside_kernels: break;
    }
    return "measured beside every kernel";
}

Json list_json(const Listed& listed, const Common& common, const views::Strings& tr) {
    Json rows = Json::array();
    for (const auto& kernel : listed.catalog.kernels) {
        rows.push_back(kernel_json(*kernel, common));
        const auto found = listed.found.find(kernel->id);
        if (found == listed.found.end()) continue;
        rows.back()["found"] = Json::array();
        for (const session::Match& match : found->second)
            rows.back()["found"].push_back({{"in", tr(views::match_key(match.where))}, {"word", match.word}});
    }
    for (const std::string& name : listed.references) {
        const measure::ReferenceSeries* known = measure::reference_series(name);
        rows.push_back({{"id", name},
                        {"title", known ? known->library : name},
                        {"family", reference_family},
                        {"rung", 0},
                        {"provenance", provenance(known)},
                        {"parameters", Json::array()},
                        {"operands", known ? Json(catalog::name_of(known->operands)) : Json(nullptr)},
                        {"path", nullptr}});
    }
    return rows;
}

// One table, so that its columns stand below each other, with a heading over each family.
std::string list_text(const Listed& listed, const Common& common, const views::Strings& tr) {
    const bool searched = !listed.found.empty();
    using enum Table::Align;
    Table table({right, left, left, left, left, left});
    table.row({"RUNG", "ID", "TITLE", "OPERANDS", "PARAMETERS", searched ? "FOUND" : "PROVENANCE"});
    std::string family;
    const auto row = [&](const std::string& of_family, std::vector<std::string> cells) {
        if (of_family != std::exchange(family, of_family)) table.heading(heading(listed.catalog, family, common));
        table.row(std::move(cells));
    };
    for (const auto& kernel : listed.catalog.kernels) {
        row(kernel->family, {fmt::format("{}", kernel->rung), kernel->id, in_language(kernel->title, common),
                             std::string(catalog::name_of(kernel->operands)),
                             fmt::format("{}", fmt::join(catalog::parameter_names(*kernel), " ")),
                             searched ? views::matches_text(tr, listed.found.at(kernel->id)) : kernel->provenance});
    }
    for (const std::string& name : listed.references) {
        const measure::ReferenceSeries* known = measure::reference_series(name);
        row(reference_family, {"", name, known ? std::string(known->library) : "a series on the plot",
                               known ? std::string(catalog::name_of(known->operands)) : "", "", provenance(known)});
    }
    return table.text();
}

base::Status list(const Common& common, bool json, const std::string& text) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    const bool all = text.find_first_not_of(' ') == text.npos;
    const std::set<std::string> others = references(*catalog);
    const Listed listed = all ? Listed{std::move(*catalog), others, {}} : search(std::move(*catalog), text);
    const auto tr = english();
    if (!tr) return tr.error();
    if (!all && !json && listed.found.empty())
        print(fmt::format("no kernel has {} in its name, title, idea, story or opcodes\n", text));
    else print(json ? line(list_json(listed, common, *tr)) : list_text(listed, common, *tr));
    return base::Done{};
}

base::Status list_ids(const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    for (const auto& kernel : catalog->kernels) print(kernel->id + "\n");
    return base::Done{};
}

struct Shown { // what `show` prints of a kernel
    std::shared_ptr<const catalog::Kernel> kernel;
    catalog::Values values;
    catalog::LaunchShape launch;
    catalog::Problem problem;
};

base::Result<Shown> find_shown(const SourceOptions& options, const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    auto subject = to_subject(options, options.source);
    if (!subject) return subject.error();
    auto job = session::resolve(*catalog, *subject);
    if (!job) return job.error();
    return Shown{catalog->find(options.source), job->parameters, job->shape, subject->problem};
}

Json tuned_json(const catalog::Tuned& best) {
    const catalog::Problem& p = best.problem;
    return {{"m", p.m},
            {"n", p.n},
            {"k", p.k},
            {"parameters", values_json(best.values)},
            {"gflops", best.gflops},
            {"ratio", best.ratio},
            {"device", best.device},
            {"sm_clock_mhz", best.sm_clock_mhz},
            {"driver", best.driver},
            {"cuda", best.cuda},
            {"date", best.date},
            {"command", best.command}};
}

std::string tuned_text(const catalog::Kernel& kernel) {
    if (kernel.tuned.empty()) return {};
    using enum Table::Align;
    Table table({left, right, right, left, left});
    for (const catalog::Tuned& best : kernel.tuned) {
        std::vector<std::string> values;
        for (const auto& parameter : kernel.parameters)
            values.push_back(fmt::format("{} {}", parameter.name, best.values.at(parameter.name)));
        table.row({"  " + size_text(best.problem), fmt::format("{:.1f} GFLOPS", best.gflops),
                   fmt::format("{:.3f} of cuBLAS", best.ratio), fmt::format("{}", fmt::join(values, " ")),
                   fmt::format("{}, {} MHz, driver {}, CUDA {}, {}", best.device, best.sm_clock_mhz, best.driver,
                               best.cuda, best.date)});
    }
    return "\nTuned\n" + table.text();
}

Json breaks_json(const catalog::Kernel& kernel, const Common& common) {
    Json breaks = Json::array();
    for (const catalog::Break& one : kernel.breaks)
        breaks.push_back({{"name", one.name},
                          {"label", in_language(one.label, common)},
                          {"look", in_language(one.look, common)},
                          {"findings", one.findings},
                          {"when", one.when}});
    return breaks;
}

std::string breaks_text(const catalog::Kernel& kernel, const Common& common) {
    if (kernel.breaks.empty()) return {};
    using enum Table::Align;
    Table table({left, left, left, left});
    for (const catalog::Break& one : kernel.breaks)
        table.row({fmt::format("  {}", one.name), in_language(one.label, common),
                   one.at == std::string::npos ? "its text does not stand in the code exactly once"
                                               : fmt::format("{}", fmt::join(one.findings, ", ")),
                   one.when.empty() ? "" : fmt::format("where {}", one.when)});
    return "\nPlanted mistakes: --break NAME of trace, check, compile and render\n" + table.text();
}

Json shown_json(const Shown& shown, const Common& common) {
    const catalog::Kernel& kernel = *shown.kernel;
    Json json = kernel_json(kernel, common);
    Json values = Json::object(), rules = Json::array();
    for (const auto& parameter : kernel.parameters) values[parameter.name] = shown.values.at(parameter.name);
    for (const auto& rule : kernel.rules) {
        rules.push_back({{"expression", rule.expression}, {"reason", in_language(rule.reason, common)}});
    }
    const auto &grid = shown.launch.grid, &block = shown.launch.block;
    Json maps = Json::array();
    for (const auto& box : shown.launch.tensor_maps)
        maps.push_back({{"of", std::string(1, box.of)},
                        {"rows", box.rows},
                        {"columns", box.columns},
                        {"swizzle_bytes", box.swizzle_bytes},
                        {"to_tf32", box.to_tf32}});
    json["values"] = values;
    json["rules"] = rules;
    json["launch"] = {{"block", {kernel.block_x, kernel.block_y}},
                      {"grid", {kernel.grid_x, kernel.grid_y}},
                      {"dynamic_shared", kernel.dynamic_shared}};
    json["block"] = {block.x, block.y, block.z};
    json["grid"] = {grid.x, grid.y, grid.z};
    json["dynamic_shared_bytes"] = shown.launch.dynamic_shared_bytes;
    json["tensor_maps"] = maps;
    json["arch"] = kernel.arch;
    Json tuned = Json::array();
    for (const catalog::Tuned& best : kernel.tuned) tuned.push_back(tuned_json(best));
    json["tuned"] = tuned;
    json["breaks"] = breaks_json(kernel, common);
    json["look"] = {{"view", kernel.look.view}, {"say", in_language(kernel.look.say, common)}};
    json["idea"] = in_language(kernel.idea, common);
    json["story"] = in_language(kernel.story, common);
    return json;
}

std::string shown_text(const Shown& shown, const Common& common) {
    const catalog::Kernel& kernel = *shown.kernel;
    const std::string look = kernel.look.view.empty() ? ""
                                                      : fmt::format("look at {}: {}\n", kernel.look.view,
                                                                    in_language(kernel.look.say, common));
    std::string text =
        fmt::format("{} - {}\n{}\n{}\n{}{} {}, {}, {}\nfile {}\n", kernel.id, in_language(kernel.title, common),
                    in_language(kernel.idea, common), look,
                    kernel.provenance.empty() ? "" : fmt::format("from {}, ", kernel.provenance), kernel.family,
                    kernel.rung, catalog::formula_of(kernel.operation), catalog::name_of(kernel.operands), kernel.path);
    using enum Table::Align;
    if (!kernel.parameters.empty()) {
        Table table({left, right, left, left});
        for (const auto& parameter : kernel.parameters) {
            table.row({fmt::format("  {}", parameter.name), fmt::format("{}", shown.values.at(parameter.name)),
                       fmt::format("of {}", fmt::join(parameter.values, " ")), in_language(parameter.meaning, common)});
        }
        text += "\nParameters\n" + table.text();
    }
    if (!kernel.rules.empty()) {
        Table table({left, left});
        for (const auto& rule : kernel.rules)
            table.row({fmt::format("  {}", rule.expression), in_language(rule.reason, common)});
        text += "\nRules\n" + table.text();
    }
    text += breaks_text(kernel, common);
    text += tuned_text(kernel);
    const auto &grid = shown.launch.grid, &block = shown.launch.block;
    Table launch({left, right, left, left});
    launch.row({"  block", fmt::format("{} x {}", block.x, block.y), "threads",
                fmt::format("x = {}, y = {}", kernel.block_x, kernel.block_y)});
    launch.row({"  grid", fmt::format("{} x {}", grid.x, grid.y), "blocks",
                fmt::format("x = {}, y = {}", kernel.grid_x, kernel.grid_y)});
    launch.row(
        {"  dynamic shared", fmt::format("{}", shown.launch.dynamic_shared_bytes), "bytes", kernel.dynamic_shared});
    if (kernel.row_alignment > 0)
        launch.row({"  rows", fmt::format("{}", kernel.row_alignment), "bytes",
                    "each row of A, B and C begins at a multiple of them; the kernel takes lda, ldb, ldc"});
    if (const auto placement = catalog::placement(kernel, shown.values); placement && !kernel.managed.empty())
        launch.row({"  managed", fmt::format("{}", static_cast<int>(*placement) - 1),
                    std::string(catalog::name_of(*placement)), kernel.managed});
    for (const auto& box : shown.launch.tensor_maps)
        launch.row({fmt::format("  tensor map of {}", box.of), fmt::format("{} x {}", box.rows, box.columns),
                    std::string(base::name_of(
                        catalog::matrix_of(shown.problem, kernel.operation, kernel.operands, box.of).element)),
                    (box.swizzle_bytes ? fmt::format("swizzled over {} bytes", box.swizzle_bytes) : "not swizzled") +
                        (box.to_tf32 ? ", rounded to TF32" : "")});
    text += fmt::format("\nLaunch for M = {}, N = {}, K = {}\n", shown.problem.m, shown.problem.n, shown.problem.k) +
            launch.text();
    return text + "\n" + in_language(kernel.story, common) + "\n";
}

} // namespace

Action define_list(Options& app, const Common& common) {
    auto json = std::make_shared<bool>(false);
    auto ids = std::make_shared<bool>(false);
    auto search = std::make_shared<std::string>();
    app.add_flag("--json", *json, "print one JSON array");
    app.add_flag("--ids", *ids, "print the kernels' ids alone, one a line");
    app.add_option("--search", *search,
                   "only kernels with these words in name, title, idea, story or opcodes (PTX, machine code)")
        .type_name("TEXT");
    return [json, ids, search, &common] { return *ids ? list_ids(common) : list(common, *json, *search); };
}

Action define_show(Options& app, const Common& common) {
    auto options = std::make_shared<SourceOptions>();
    app.add_option("KERNEL", options->source, "a kernel of the catalogue").required();
    add_subject_options(app, *options);
    app.add_flag("--json", options->json, "print one JSON object");
    return [options, &common]() -> base::Status {
        auto shown = find_shown(*options, common);
        if (!shown) return shown.error();
        print(options->json ? line(shown_json(*shown, common)) : shown_text(*shown, common));
        return base::Done{};
    };
}

} // namespace cli
