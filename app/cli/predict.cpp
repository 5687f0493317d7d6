// predict: how long a kernel takes, without a GPU, and why.
#include "base/file.h"
#include "cli/json.h"
#include "cli/sizes.h"
#include "cli/source.h"
#include "cli/table.h"
#include "session/expected_error.h"
#include "session/prediction.h"
#include "session/series.h"
#include "timing/switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace cli {
namespace {

using base::Error;
using base::Failure;
using timing::Lost;
using timing::Wait;

struct PredictOptions {
    SourceOptions source;
    std::vector<std::string> what_if;
};

// Where a line is: in the kernel's own source, or in a file that it includes.
using Line = std::pair<std::string, int>;

struct Other { // of what if
    const timing::Switch* what;
    std::shared_ptr<const session::Prediction> prediction;
};

struct Told {
    std::shared_ptr<const catalog::Kernel> kernel;
    session::Subject subject; // with all its parameters
    session::Job job;
    session::ExpectedError error;
    std::shared_ptr<const session::Prediction> prediction;
    Lost all; // of all instructions
    std::map<Line, Lost> lines;
    std::vector<Other> others;
    const timing::Machine& machine() const { return *timing::machine(job.source.arch); }
};

uint64_t total(const Lost& lost) {
    uint64_t cycles = 0;
    for (const uint64_t one : lost.cycles) cycles += one;
    return cycles;
}

double share(uint64_t cycles, const Lost& of) {
    const uint64_t whole = total(of);
    return whole > 0 ? static_cast<double>(cycles) / static_cast<double>(whole) : 0;
}

// Those that took any cycles, the most first.
std::vector<Wait> reasons_of(const Lost& lost) {
    std::vector<Wait> reasons;
    for (size_t n = 0; n < lost.cycles.size(); ++n)
        if (lost.cycles[n] > 0) reasons.push_back(static_cast<Wait>(n));
    std::stable_sort(reasons.begin(), reasons.end(), [&](Wait a, Wait b) { return lost[a] > lost[b]; });
    return reasons;
}

// For what most cycles were waited; that it issued where it never waited.
Wait largest_reason(const Lost& lost) {
    for (const Wait reason : reasons_of(lost))
        if (reason != Wait::selected) return reason;
    return Wait::selected;
}

// That in which most cycles went to the reason; nothing: in none.
const Line* line_of(Wait reason, const std::map<Line, Lost>& lines) {
    const auto less = [&](const auto& a, const auto& b) { return a.second[reason] < b.second[reason]; };
    const auto most = std::max_element(lines.begin(), lines.end(), less);
    return most == lines.end() || most->second[reason] == 0 || most->first.second == 0 ? nullptr : &most->first;
}

std::vector<std::pair<Line, Lost>> top_lines(const std::map<Line, Lost>& lines, size_t most) {
    std::vector<std::pair<Line, Lost>> top(lines.begin(), lines.end());
    std::stable_sort(top.begin(), top.end(),
                     [](const auto& a, const auto& b) { return total(a.second) > total(b.second); });
    top.resize(std::min(top.size(), most));
    return top;
}

void add(Lost& sum, const Lost& one) {
    for (size_t n = 0; n < one.cycles.size(); ++n) sum.cycles[n] += one.cycles[n];
}

void find_reasons(Told& told, const trace::Listing& listing) {
    const auto& lost = told.prediction->lost;
    for (size_t pc = 0; pc < std::min(lost.size(), listing.instructions.size()); ++pc) {
        add(told.all, lost[pc]);
        if (total(lost[pc]) == 0) continue;
        const trace::Instruction& instruction = listing.instructions[pc];
        const auto file = listing.source_files.find(instruction.source_file);
        add(told.lines[{file == listing.source_files.end() ? "" : file->second, instruction.source_line}], lost[pc]);
    }
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

base::Result<Told> told_of(const PredictOptions& options, const catalog::Catalog& catalog) {
    auto subject = to_subject(options.source, options.source.source);
    if (!subject) return subject.error();
    auto switches = switches_of(options);
    if (!switches) return switches.error();
    auto job = session::resolve(catalog, *subject);
    if (!job) return job.error();
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    const session::AccuracyFiles judged = session::read_accuracies(*assets);
    for (const Error& problem : judged.problems) fmt::print(stderr, "gemmscope: left out: {}\n", problem.sentence());
    const auto prepared = session::prepare(*job);
    if (prepared.failed) return error_of(*prepared.failed);
    Told told{catalog.find(subject->kernel), *subject, std::move(*job), {}, nullptr, {}, {}, {}};
    told.subject.parameters = told.job.parameters;
    const auto predict = [&](const timing::WhatIf& what_if) {
        return session::predict(*told.kernel, told.subject, *prepared.value, what_if);
    };
    const auto made = predict({});
    if (made.failed) return error_of(*made.failed);
    told.prediction = made.value;
    told.error = session::expected_error(judged.records, *told.kernel, told.subject);
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

Json line_json(const Line* line) {
    if (!line) return Json();
    return line->second;
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
    Json json{{"kernel", told.kernel->id},
              {"parameters", values_json(told.subject.parameters)},
              {"m", size.m},
              {"n", size.n},
              {"k", size.k},
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
              {"not_validated", told.error.accuracy ? Json() : Json(told.error.not_validated.english())}};
    Json& reasons = json["reasons"] = Json::array();
    for (const Wait reason : reasons_of(told.all))
        reasons.push_back({{"reason", timing::name(reason)},
                           {"cycles", told.all[reason]},
                           {"share", share(told.all[reason], told.all)},
                           {"line", line_json(line_of(reason, told.lines))}});
    Json& lines = json["lines"] = Json::array();
    for (const auto& [line, lost] : top_lines(told.lines, told.lines.size())) {
        const Wait reason = largest_reason(lost);
        lines.push_back({{"file", line.first.empty() ? Json() : Json(line.first)},
                         {"line", line.second},
                         {"cycles", total(lost)},
                         {"share", share(total(lost), told.all)},
                         {"reason", timing::name(reason)},
                         {"reason_cycles", lost[reason]}});
    }
    Json& others = json["what_if"] = Json::array();
    for (const Other& other : told.others)
        others.push_back({{"switch", other.what->name},
                          {"ms", other.prediction->ms},
                          {"gflops", other.prediction->gflops > 0 ? Json(other.prediction->gflops) : Json()}});
    return json;
}

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

std::string line_text(const Line& line) {
    if (line.second == 0) return "none";
    return line.first.empty()
               ? std::to_string(line.second)
               : fmt::format("{}:{}", std::filesystem::path(line.first).filename().string(), line.second);
}

std::string speed_text(const session::Prediction& p) {
    return fmt::format("{:.4g} ms", p.ms) + (p.gflops > 0 ? fmt::format(", {:.1f} GFLOPS", p.gflops) : "");
}

std::string head_of(const Told& told) {
    const session::Prediction& p = *told.prediction;
    std::string text = fmt::format("{} at {}", told.kernel->id, size_text(told.subject.problem));
    for (const auto& [name, value] : told.subject.parameters) text += fmt::format(" -p {}={}", name, value);
    text += fmt::format("\npredicted: {}\n", speed_text(p));
    if (!told.error.accuracy) return text + fmt::format("not validated: {}\n", told.error.not_validated.english());
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
    if (p.tail_cycles > 0) text += fmt::format(", the last one of {}", thousands(static_cast<uint64_t>(p.tail_cycles)));
    return text + "\n";
}

std::string reasons_table(const Told& told) {
    using enum Table::Align;
    Table reasons({left, right, right}), lines({right, right, left, right});
    reasons.row({"cycles of warps", "share", "most in line"});
    for (const Wait reason : reasons_of(told.all)) {
        const Line* line = line_of(reason, told.lines);
        reasons.row({timing::name(reason), percent(share(told.all[reason], told.all)), line ? line_text(*line) : "-"});
    }
    constexpr size_t most_lines = 8;
    lines.row({"line", "share", "most for", ""});
    for (const auto& [line, lost] : top_lines(told.lines, most_lines)) {
        const Wait reason = largest_reason(lost);
        lines.row({line_text(line), percent(share(total(lost), told.all)), timing::name(reason),
                   percent(share(lost[reason], told.all))});
    }
    return reasons.text() + "\n" + lines.text();
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
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    auto told = told_of(options, *catalog);
    if (!told) return told.error();
    if (options.source.json) {
        print(line(json_of(*told)));
    } else {
        print(head_of(*told) + launch_of(*told));
        if (!told->lines.empty()) print("\n" + reasons_table(*told));
        if (!told->others.empty()) print("\n" + others_table(*told));
    }
    if (told->error.accuracy) return base::Done{};
    return Error{Failure::check_failed,
                 base::say("the time of {} is not validated: {}", told->kernel->id, told->error.not_validated),
                 {},
                 base::say("take it as a guess; docs/predictions.md tells what was judged")};
}

} // namespace

Action define_predict(Options& app, const Common& common) {
    auto options = std::make_shared<PredictOptions>();
    std::string names;
    for (const timing::Switch& one : timing::switches()) names += fmt::format(", {}", one.name);
    app.add_option("KERNEL", options->source.source, "a kernel of the catalogue").required();
    add_subject_options(app, options->source);
    app.add_option("--what-if", options->what_if, "predict it once more with what no GPU has: every" + names)
        .type_name("SWITCH")
        .one_value();
    app.add_flag("--json", options->source.json, "print one JSON object");
    return [options, &common] { return predict(*options, common); };
}

} // namespace cli
