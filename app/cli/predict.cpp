// predict: how long a kernel takes, without a GPU, and why.
#include "base/file.h"
#include "catalog/front_matter.h"
#include "cli/json.h"
#include "cli/sizes.h"
#include "cli/source.h"
#include "cli/table.h"
#include "cli/words.h"
#include "session/expected_error.h"
#include "session/prediction.h"
#include "session/series.h"
#include "timing/machine.h"
#include "timing/switches.h"
#include "views/wait_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cli {
namespace {

using base::Error;
using base::Failure;
using timing::Wait;

struct PredictOptions {
    SourceOptions source;
    std::vector<std::string> what_if;
};

struct Other { // of what if
    const timing::Switch* what;
    std::shared_ptr<const session::Prediction> prediction;
};

struct Told {
    std::shared_ptr<const catalog::Kernel> kernel; // nullptr: a file that does not say how it is run
    session::Subject subject;                      // with all its parameters
    session::Job job;
    session::ExpectedError error;
    std::shared_ptr<const session::Prediction> prediction;
    views::WaitRow all;                // of all instructions
    std::vector<views::WaitRow> lines; // that lose cycles, the most first
    std::vector<Other> others;
    const timing::Machine& machine() const { return *timing::machine(job.source.arch); }
};

uint64_t cycles_for(Wait reason, const views::WaitRow& row) {
    const auto found =
        std::find_if(row.reasons.begin(), row.reasons.end(), [&](const auto& one) { return one.why == reason; });
    return found == row.reasons.end() ? 0 : found->cycles;
}

// In which most cycles were lost to the reason; 0: in none of the kernel's own source.
int line_of(Wait reason, const Told& told) {
    const auto less = [&](const auto& a, const auto& b) { return cycles_for(reason, a) < cycles_for(reason, b); };
    const auto most = std::max_element(told.lines.begin(), told.lines.end(), less);
    return most == told.lines.end() || cycles_for(reason, *most) == 0 ? 0 : most->line;
}

void find_reasons(Told& told, const trace::Listing& listing) {
    told.all = views::all_waits(told.prediction->lost);
    told.lines = views::waits_by_line(told.prediction->lost, listing);
    std::erase_if(told.lines, [](const views::WaitRow& row) { return row.lost == 0; });
}

base::Result<std::vector<const timing::Switch*>> switches_of(const PredictOptions& options) {
    std::vector<const timing::Switch*> found;
    std::vector<std::string> names;
    for (const timing::Switch& one : timing::switches()) names.push_back(one.name);
    for (const std::string& wanted : options.what_if) {
        const size_t before = found.size();
        for (const timing::Switch& one : timing::switches())
            if (wanted == one.name || wanted == "every") found.push_back(&one);
        if (found.size() == before)
            return Error{Failure::usage,
                         base::say("--what-if {} is no switch", wanted),
                         {},
                         base::say("give every, or one of {}", base::names(names))};
    }
    return found;
}

// Of the catalogue or of a file that describes itself; nullptr: of any other file.
base::Result<std::shared_ptr<const catalog::Kernel>> kernel_of(const std::string& source,
                                                               const catalog::Catalog& catalog) {
    if (auto known = catalog.find(source)) return known;
    const auto text = base::read_named(source);
    if (!text || !catalog::describes_itself(*text)) return std::shared_ptr<const catalog::Kernel>{};
    auto kernel = catalog::parse(*text, source);
    if (!kernel) return kernel.error();
    return std::make_shared<const catalog::Kernel>(std::move(*kernel));
}

base::Result<Told> told_of(const PredictOptions& options, const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    auto subject = to_subject(options.source, options.source.source);
    if (!subject) return subject.error();
    auto switches = switches_of(options);
    if (!switches) return switches.error();
    auto kernel = kernel_of(options.source.source, *catalog);
    if (!kernel) return kernel.error();
    auto job = *kernel ? session::resolve(**kernel, *subject) : to_job(options.source, common, true);
    if (!job) return job.error();
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    const session::AccuracyFiles judged = session::read_accuracies(*assets);
    for (const Error& problem : judged.problems)
        print_aside(fmt::format("gemmscope: left out: {}\n", problem.sentence()));
    const auto prepared = session::prepare(*job);
    if (prepared.failed) return error_of(*prepared.failed);
    Told told{*kernel, *subject, std::move(*job), {}, nullptr, {}, {}, {}};
    told.subject.parameters = told.job.parameters;
    const auto predict = [&](const timing::WhatIf& what_if) {
        return told.kernel ? session::predict(*told.kernel, told.subject, *prepared.value, what_if)
                           : session::predict(told.job, *prepared.value, what_if);
    };
    const auto made = predict({});
    if (made.failed) return error_of(*made.failed);
    told.prediction = made.value;
    if (told.kernel) told.error = session::expected_error(judged.records, *told.kernel, told.subject);
    else told.error.not_validated = base::say("a file's own kernel was not judged");
    find_reasons(told, *prepared.value->listing);
    for (const timing::Switch* one : *switches) {
        timing::WhatIf what_if;
        one->turn(what_if, true);
        const auto other = predict(what_if);
        if (other.failed) return error_of(*other.failed);
        told.others.push_back({one, other.value});
    }
    return told;
}

// As many as the whole grid needs, the last of them not full: Nsight Compute's "waves per SM".
double waves(const Told& told) {
    const session::Prediction& p = *told.prediction;
    return p.resident > 0 ? static_cast<double>(p.blocks) / (told.machine().multiprocessors * p.resident) : 0;
}

Json error_json(const session::ExpectedError& error) {
    if (!error.accuracy) return Json();
    const measure::Accuracy& a = *error.accuracy;
    const auto edge = [&](int catalog::Problem::*which) { return error.size ? Json((*error.size).*which) : Json(); };
    return {{"median", a.median},
            {"p90", a.p90},
            {"low", a.low},
            {"high", a.high},
            {"points", a.points},
            {"m", edge(&catalog::Problem::m)},
            {"n", edge(&catalog::Problem::n)},
            {"k", edge(&catalog::Problem::k)}};
}

Json json_of(const Told& told) {
    const session::Prediction& p = *told.prediction;
    const catalog::Problem& size = told.subject.problem;
    const auto of_kernel = [&](Json value) { return told.kernel ? std::move(value) : Json(); };
    Json json{{"kernel", told.job.kernel},
              {"parameters", of_kernel(values_json(told.subject.parameters))},
              {"m", of_kernel(size.m)},
              {"n", of_kernel(size.n)},
              {"k", of_kernel(size.k)},
              {"arch", told.job.source.arch},
              {"source", "predicted"},
              {"ms", p.ms},
              {"gflops", p.gflops > 0 ? Json(p.gflops) : Json()},
              {"cycles", number_json(std::round(p.cycles))},
              {"clock_mhz", number_json(told.machine().clock_mhz)},
              {"launch_us", number_json(told.machine().launch_us)},
              {"multiprocessors", number_json(told.machine().multiprocessors)},
              {"blocks", p.blocks},
              {"resident_blocks", p.resident},
              {"waves", waves(told)},
              {"wave_cycles", number_json(std::round(p.wave_cycles))},
              {"tail_cycles", number_json(std::round(p.tail_cycles))},
              {"error", error_json(told.error)},
              {"error_p90", told.error.accuracy ? Json(told.error.accuracy->p90) : Json()},
              {"not_validated", told.error.validated() ? Json() : Json(told.error.not_validated.english())}};
    json["issued_cycles"] = told.all.issued;
    Json& reasons = json["reasons"] = Json::array();
    for (const auto& [reason, cycles, share] : told.all.reasons) {
        const int line = line_of(reason, told);
        reasons.push_back({{"reason", timing::name(reason)},
                           {"cycles", cycles},
                           {"share", share},
                           {"line", line > 0 ? Json(line) : Json()}});
    }
    Json& lines = json["lines"] = Json::array();
    for (const views::WaitRow& row : told.lines) {
        const views::WaitShare& reason = row.reasons.front();
        lines.push_back({{"line", row.line},
                         {"cycles", row.lost},
                         {"share", row.share},
                         {"reason", timing::name(reason.why)},
                         {"reason_cycles", reason.cycles}});
    }
    Json& others = json["what_if"] = Json::array();
    for (const Other& other : told.others)
        others.push_back({{"switch", other.what->name},
                          {"ms", other.prediction->ms},
                          {"gflops", other.prediction->gflops > 0 ? Json(other.prediction->gflops) : Json()}});
    return json;
}

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

std::string line_text(int line) { return line > 0 ? std::to_string(line) : "-"; }

std::string speed_text(const session::Prediction& p) {
    return fmt::format("{:.4g} ms", p.ms) + (p.gflops > 0 ? fmt::format(", {:.1f} GFLOPS", p.gflops) : "");
}

std::string head_of(const Told& told) {
    const session::Prediction& p = *told.prediction;
    std::string text = told.job.kernel;
    if (told.kernel) text += " at " + size_text(told.subject.problem);
    for (const auto& [name, value] : told.subject.parameters) text += fmt::format(" -p {}={}", name, value);
    text += fmt::format("\npredicted: {}\n", speed_text(p));
    if (!told.error.validated())
        text += fmt::format("{}: {}\n", told.error.unreliable() ? "unreliable" : "not validated",
                            told.error.not_validated.english());
    if (!told.error.accuracy) return text;
    const measure::Accuracy& a = *told.error.accuracy;
    return text + fmt::format("expected error: {} in the median, nine of ten within {}; {} settings were judged {}\n",
                              percent(a.median), percent(a.p90), a.points,
                              told.error.size ? "at " + size_text(*told.error.size) : "at all sizes together");
}

std::string launch_of(const Told& told) {
    const session::Prediction& p = *told.prediction;
    std::string text =
        fmt::format("{} cycles at {:.0f} MHz, and {:.1f} us to launch\n", thousands(static_cast<uint64_t>(p.cycles)),
                    told.machine().clock_mhz, told.machine().launch_us);
    text += fmt::format("{} blocks, {} at a time on each of {:.0f} multiprocessors: {:.2f} waves of {} cycles",
                        thousands(p.blocks), p.resident, told.machine().multiprocessors, waves(told),
                        thousands(static_cast<uint64_t>(p.wave_cycles)));
    if (p.tail_cycles > 0)
        text += fmt::format("; a block alone takes {}", thousands(static_cast<uint64_t>(p.tail_cycles)));
    return text + "\n";
}

// "Long Scoreboard: global memory"
std::string reason_text(const views::Strings& tr, Wait reason) {
    return fmt::format("{}: {}", views::wait_name(tr, reason), views::wait_plain(tr, reason));
}

// Shares are of the cycles in which nothing was issued: those are what a kernel can win.
std::string reasons_table(const Told& told, const views::Strings& tr) {
    using enum Table::Align;
    Table reasons({left, right, right}), lines({right, right, left, right});
    reasons.row({"a warp waits for", "lost cycles", "most in line"});
    for (const auto& [reason, cycles, share] : told.all.reasons)
        reasons.row({reason_text(tr, reason), percent(share), line_text(line_of(reason, told))});
    constexpr size_t most_lines = 8;
    lines.row({"line", "lost cycles", "most for", "of the line's"});
    for (size_t n = 0; n < std::min(told.lines.size(), most_lines); ++n) {
        const views::WaitRow& row = told.lines[n];
        const views::WaitShare& reason = row.reasons.front();
        lines.row({line_text(row.line), percent(row.share), reason_text(tr, reason.why), percent(reason.share)});
    }
    const double issued = static_cast<double>(told.all.issued), lost = static_cast<double>(told.all.lost);
    return fmt::format("warps issue in {} of their cycles and lose the others\n\n", percent(issued / (issued + lost))) +
           reasons.text() + "\n" + lines.text();
}

std::string others_table(const Told& told) {
    using enum Table::Align;
    Table table({left, right, right, right});
    table.row({"what if", "ms", "GFLOPS", "time"});
    for (const Other& other : told.others) {
        const session::Prediction& p = *other.prediction;
        table.row({other.what->name, fmt::format("{:.4g}", p.ms), p.gflops > 0 ? fmt::format("{:.1f}", p.gflops) : "-",
                   fmt::format("{:+.1f} %", 100 * (p.ms / told.prediction->ms - 1))});
    }
    return table.text();
}

base::Status predict(const PredictOptions& options, const Common& common) {
    auto told = told_of(options, common);
    if (!told) return told.error();
    if (options.source.json) {
        print(line(json_of(*told)));
    } else {
        print(head_of(*told) + launch_of(*told));
        const auto tr = english();
        if (!tr) return tr.error();
        if (!told->lines.empty()) print("\n" + reasons_table(*told, *tr));
        if (!told->others.empty()) print("\n" + others_table(*told));
    }
    return base::Done{};
}

} // namespace

Action define_predict(Options& app, const Common& common) {
    auto options = std::make_shared<PredictOptions>();
    std::string names;
    for (const timing::Switch& one : timing::switches()) names += fmt::format(", {}", one.name);
    add_source_options(app, options->source);
    app.add_option("--what-if", options->what_if, "predict it once more with what no GPU has: every" + names)
        .type_name("SWITCH")
        .one_value();
    return [options, &common] { return predict(*options, common); };
}

} // namespace cli
