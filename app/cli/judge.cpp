// judge: how far predicted times are from those that a GPU measured.
#include "base/file.h"
#include "cli/json.h"
#include "cli/sizes.h"
#include "cli/source.h"
#include "cli/terminal.h"
#include "session/judgement.h"
#include "session/sweeps.h"

#include <fmt/format.h>

#include <thread>

namespace cli {
namespace {

struct JudgeOptions {
    std::vector<std::string> kernels;
    std::string sizes = "1024,2048,4096", half = "judged", most = "1000000", threads = "0", points;
};

base::Status judge(const JudgeOptions& options, const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    auto sizes = parse_sizes(options.sizes);
    if (!sizes) return sizes.error();
    auto most = base::parse_integer(options.most, "--most", 1, 1'000'000);
    if (!most) return most.error();
    auto threads = base::parse_integer(options.threads, "--threads", 0, 1024);
    if (!threads) return threads.error();
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    session::Sweeps sweeps(*assets / "recorded/sweeps", {});
    Terminal terminal;
    std::string lines;
    print(fmt::format("{:<24}{:>6}{:>8}{:>9}{:>9}{:>9}{:>9}{:>7}{:>7}\n", "kernel", "size", "points", "median", "p90", "worst", "bias", "tau", "lines"));
    for (const auto& kernel : catalog->kernels) {
        const auto named = [&](const std::string& name) { return name == kernel->id || name == kernel->family || name == "every"; };
        if (std::none_of(options.kernels.begin(), options.kernels.end(), named)) continue;
        for (const session::KernelSweep& sweep : sweeps.of(*kernel)) {
            if (sweep.stale) continue;
            const session::JudgePlan plan{kernel, sweep.record, *sizes, options.half == "judged" ? session::Half::judged : session::Half::calibration,
                                          static_cast<size_t>(*most)};
            const auto found = session::judge(plan, *threads > 0 ? static_cast<int>(*threads) : static_cast<int>(std::thread::hardware_concurrency()), {},
                                              [&](size_t done, size_t of) { terminal.show(fmt::format("{}: {} of {}", kernel->id, done, of)); });
            terminal.clear();
            for (const catalog::Problem& size : *sizes) {
                std::vector<session::Judged> some;
                for (const auto& p : found.points)
                    if (p.problem == size) some.push_back(p);
                if (some.empty()) continue;
                const session::Accuracy a = session::accuracy(some);
                print(fmt::format("{:<24}{:>6}{:>8}{:>8.1f}%{:>8.1f}%{:>8.1f}%{:>+8.1f}%{:>7}{:>7}\n", kernel->id, size.m, a.points, 100 * a.median, 100 * a.p90,
                                  100 * a.worst, 100 * a.bias, a.tau ? fmt::format("{:.2f}", *a.tau) : "-", a.lines));
                std::fflush(stdout);
            }
            for (const auto& p : found.points)
                lines += line(Json{{"kernel", p.kernel}, {"parameters", values_json(p.values)}, {"m", p.problem.m}, {"n", p.problem.n}, {"k", p.problem.k},
                                   {"measured_ms", p.measured_ms}, {"predicted_ms", p.predicted_ms}});
            for (size_t n = 0; n < std::min<size_t>(found.left_out.size(), 3); ++n) fmt::print(stderr, "left out: {}\n", found.left_out[n]);
            if (found.left_out.size() > 3) fmt::print(stderr, "left out: {} in all\n", found.left_out.size());
        }
    }
    if (!options.points.empty()) return base::write_file(options.points, lines);
    return base::Done{};
}

} // namespace

Action define_judge(Options& app, const Common& common) {
    auto options = std::make_shared<JudgeOptions>();
    app.add_option("KERNEL", options->kernels, "kernels of the catalogue, families (ladder), or every").required();
    app.add_option("--sizes,--size", options->sizes, sizes_help()).type_name("1024,2048,4096");
    app.add_option("--half", options->half, "which half of the settings (judged)").one_of({"judged", "calibration"});
    app.add_option("--most", options->most, "settings of a kernel (all)").type_name("N");
    app.add_option("--threads", options->threads, "at a time (0: one a core)").type_name("N");
    app.add_option("--points", options->points, "write every point as a line of JSON").type_name("FILE.jsonl");
    return [options, &common] { return judge(*options, common); };
}

} // namespace cli
