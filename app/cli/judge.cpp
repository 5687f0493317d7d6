// judge: how far predicted times are from those that a GPU measured.
#include "base/file.h"
#include "base/version.h"
#include "cli/execution.h"
#include "cli/json.h"
#include "cli/kernels.h"
#include "cli/sizes.h"
#include "cli/source.h"
#include "cli/terminal.h"
#include "measure/bench_point.h"
#include "session/judgement.h"
#include "session/series.h"
#include "session/sweeps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <set>

namespace cli {
namespace {

using base::Error;
using base::Failure;

struct JudgeOptions {
    std::vector<std::string> kernels;
    SourceOptions source; // threads, json
    std::string sizes = "1024,2048,4096", half = "judged", most, device = "NVIDIA H200", points, output;
};

std::string command_line(const JudgeOptions& o) {
    std::string text = fmt::format("gemmscope judge {} --sizes {}", fmt::join(o.kernels, " "), o.sizes);
    if (!o.most.empty()) text += " --most " + o.most;
    return text;
}

// The architecture that predictions are made for.
base::Result<std::string> arch_of(const std::string& device, const std::filesystem::path& assets) {
    std::vector<std::string> known;
    for (const session::DeviceRecord& one : session::read_devices(assets).devices) {
        if (one.device.name == device) return one.device.arch;
        known.push_back(one.device.name);
    }
    return Error{Failure::usage,
                 base::say("nothing is recorded of a GPU {}", device),
                 {},
                 base::say("give --device one of {}", base::names(known))};
}

base::Result<std::vector<session::JudgePlan>> plans_of(const JudgeOptions& options, const catalog::Catalog& catalog) {
    auto kernels = kernels_named(catalog, options.kernels);
    if (!kernels) return kernels.error();
    auto sizes = parse_sizes(options.sizes);
    if (!sizes) return sizes.error();
    auto most = base::parse_integer(options.most.empty() ? "1000000" : options.most, "--most", 1, 1'000'000);
    if (!most) return most.error();
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    auto arch = arch_of(options.device, *assets);
    if (!arch) return arch.error();
    session::Sweeps sweeps(*assets / "recorded" / "sweeps", {});
    std::vector<session::JudgePlan> plans;
    for (const auto& kernel : *kernels)
        for (const session::KernelSweep& sweep : sweeps.of(*kernel))
            if (!sweep.stale && sweep.record->device() == options.device)
                plans.push_back({kernel, sweep.record, *arch, *sizes,
                                 options.half == "judged" ? session::Half::judged : session::Half::calibration,
                                 static_cast<size_t>(*most)});
    if (const auto problems = sweeps.problems(); !problems.empty()) return problems.front();
    if (plans.empty())
        return Error{Failure::check_failed,
                     base::say("nothing was swept of {} as it is now", base::names(options.kernels)),
                     {},
                     base::say("see assets/recorded/sweeps; scripts/record_sweeps.sh measures on a GPU")};
    return plans;
}

// "driver 580.159.04, CUDA 13.0, 2026-11-22 to 2026-11-23": of all sources of the records.
std::string measured_by(const std::vector<session::JudgePlan>& plans) {
    std::set<std::string> drivers, compilers, dates;
    for (const session::JudgePlan& plan : plans)
        for (const measure::SweepSource& by : plan.record->sources())
            drivers.insert(by.driver), compilers.insert(by.cuda), dates.insert(by.date);
    std::string text = fmt::format("driver {}, CUDA {}", fmt::join(drivers, ", "), fmt::join(compilers, ", "));
    if (!dates.empty()) text += ", " + *dates.begin();
    if (dates.size() > 1) text += " to " + *dates.rbegin();
    return text;
}

constexpr const char* head_format = "{:<24}{:>17}{:>8}{:>9}{:>9}{:>9}{:>9}{:>7}{:>7}\n";

void show_head() {
    print(fmt::format(head_format, "kernel", "size", "points", "median", "p90", "worst", "bias", "tau", "lines"));
}

void show(const measure::AccuracyRow& row) {
    const measure::Accuracy& a = row.accuracy;
    const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
    print(fmt::format(head_format, row.kernel, row.size ? size_text(*row.size) : "all", a.points, percent(a.median),
                      percent(a.p90), percent(a.worst), fmt::format("{:+.1f} %", 100 * a.bias),
                      a.tau ? fmt::format("{:.2f}", *a.tau) : "-", a.lines));
    std::fflush(stdout);
}

std::string line_of(const session::Judged& p) {
    return line(Json{{"kernel", p.kernel},
                     {"parameters", values_json(p.values)},
                     {"m", p.problem.m},
                     {"n", p.problem.n},
                     {"k", p.problem.k},
                     {"measured_ms", p.measured_ms},
                     {"predicted_ms", p.predicted_ms}});
}

void tell_left_out(const std::vector<std::string>& sentences) {
    constexpr size_t told = 3;
    for (size_t n = 0; n < std::min(sentences.size(), told); ++n)
        print_aside(fmt::format("gemmscope: left out: {}\n", one_line(sentences[n])));
    if (sentences.size() > told)
        print_aside(fmt::format("gemmscope: {} settings are left out in all\n", sentences.size()));
}

// Judges one kernel after the other, each on all threads, until Ctrl-C.
class Judging {
public:
    Judging(const JudgeOptions& options, int threads) : options_(options), threads_(threads) {}

    base::Status run(const std::vector<session::JudgePlan>& plans) {
        if (!options_.source.json) show_head();
        for (size_t n = 0; n < plans.size(); ++n) {
            const auto found = session::judge(plans[n], threads_, stop_.get_token(), [&](size_t done, size_t of) {
                if (terminal_.interrupts() > 0) stop_.request_stop();
                terminal_.show(fmt::format("{} ({} of {} kernels): {} of {} settings, {} so far", plans[n].kernel->id,
                                           n + 1, plans.size(), done, of, duration_text(seconds())));
            });
            terminal_.clear();
            if (stop_.stop_requested())
                return Error{Failure::check_failed,
                             base::say("stopped while {} was judged, {} of {} kernels", plans[n].kernel->id, n + 1,
                                       plans.size()),
                             {},
                             base::say("start it again; --most judges fewer settings")};
            tell_left_out(found.left_out);
            for (const session::Judged& p : found.points) points_ += line_of(p);
            for (measure::AccuracyRow& row : session::accuracy_rows(*plans[n].kernel, found.points)) {
                options_.source.json ? print(measure::fields_of(row).line() + "\n") : show(row);
                rows_.push_back(std::move(row));
            }
        }
        return base::Done{};
    }

    std::vector<measure::AccuracyRow> rows() { return std::move(rows_); }
    const std::string& points() const { return points_; }

private:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

    const JudgeOptions& options_;
    const int threads_;
    Terminal terminal_;
    std::stop_source stop_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::vector<measure::AccuracyRow> rows_;
    std::string points_;
};

base::Status judge(const JudgeOptions& options, const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    auto threads = thread_count(options.source);
    if (!threads) return threads.error();
    if (!options.output.empty() && options.half != "judged")
        return Error{Failure::usage,
                     base::say("--output is of the judged half: constants were fitted to the other one"),
                     {},
                     base::say("leave --half out")};
    auto plans = plans_of(options, *catalog);
    if (!plans) return plans.error();
    Judging judging(options, *threads);
    if (auto done = judging.run(*plans); !done) return done;
    if (judging.points().empty())
        return Error{Failure::check_failed,
                     base::say("no setting could be predicted and compared"),
                     {},
                     base::say("see what was left out above, or give --sizes that were measured")};
    if (!options.points.empty())
        if (auto written = base::write_file(options.points, judging.points()); !written) return written;
    if (options.output.empty()) return base::Done{};
    measure::AccuracyRecord record{.device = options.device,
                                   .arch = plans->front().arch,
                                   .measured = measured_by(*plans),
                                   .half = options.half,
                                   .rule = session::half_rule,
                                   .command = command_line(options),
                                   .date = measure::today(),
                                   .version = std::string(base::version()),
                                   .rows = judging.rows()};
    return base::write_file(options.output, measure::text_of(record));
}

} // namespace

Action define_judge(Options& app, const Common& common) {
    auto options = std::make_shared<JudgeOptions>();
    app.add_option("KERNEL", options->kernels,
                   "kernels of the catalogue, families (ladder), or every: all that have parameters")
        .required();
    app.add_option("--sizes,--size", options->sizes, sizes_help()).type_name("1024,2048,4096");
    app.add_option(
           "--half", options->half,
           "of the recorded settings: judged, of which errors are told, or calibration, to which constants were "
           "fitted (judged)")
        .one_of({"judged", "calibration"});
    app.add_option("--most", options->most, "settings of a kernel, whole lines along a slider first (all)")
        .type_name("N");
    app.add_option("--device", options->device, "the GPU whose record it is (NVIDIA H200)").type_name("NAME");
    app.add_option("--threads", options->source.threads, "settings at a time (0: one a core)").type_name("N");
    app.add_option("--points", options->points, "write every point as a line of JSON").type_name("FILE.jsonl");
    app.add_option("-o,--output", options->output,
                   "write the record that the program says its errors by: assets/recorded/accuracy/h200.json")
        .type_name("FILE.json");
    app.add_flag("--json", options->source.json,
                 "print one JSON object a line: of each kernel and size, and of all sizes");
    return [options, &common] { return judge(*options, common); };
}

} // namespace cli
