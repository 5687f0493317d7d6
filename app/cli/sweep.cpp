// sweep: measure settings of kernels by the thousand, by one worker or several, into a record that continues.
#include "base/file.h"
#include "base/number.h"
#include "catalog/sweep_space.h"
#include "cli/command.h"
#include "cli/execution.h"
#include "cli/kernels.h"
#include "cli/sizes.h"
#include "cli/source.h"
#include "cli/terminal.h"
#include "session/sweep_run.h"
#include "session/sweeps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace cli {
namespace {

using base::Error;
using base::Failure;
using Go = session::SweepRun::Go;

struct SweepOptions {
    std::vector<std::string> kernels, workers;
    std::string sizes, space = "near", most, output, device = "0", time_limit = "20", again;
    bool plan = false;
};

std::string command_line(const SweepOptions& o) {
    std::string text =
        fmt::format("gemmscope sweep {} --sizes {} --space {}", fmt::join(o.kernels, " "), o.sizes, o.space);
    if (!o.most.empty()) text += " --most " + o.most;
    return text;
}

base::Result<session::SweepPlan> plan_of(const SweepOptions& options, const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    auto kernels = kernels_named(*catalog, options.kernels);
    if (!kernels) return kernels.error();
    auto sizes = parse_sizes(options.sizes);
    if (!sizes) return sizes.error();
    if (sizes->size() > 64)
        return Error{Failure::usage,
                     base::say("--sizes are {}, more than the 64 that a sweep takes", sizes->size()),
                     {},
                     base::say("sweep fewer at a time")};
    auto device = base::parse_integer(options.device, "--device", 0, 1000);
    if (!device) return device.error();
    auto time_limit = base::parse_number(options.time_limit, "--time-limit");
    if (!time_limit) return time_limit.error();
    if (*time_limit <= 0)
        return Error{Failure::usage, base::say("--time-limit is not positive"), {}, base::say("give seconds")};
    auto most = base::parse_integer(options.most.empty() ? "1000000" : options.most, "--most", 1, 1'000'000);
    if (!most) return most.error();
    auto again = base::parse_integer(options.again.empty() ? "0" : options.again, "--again", 0, 1'000'000);
    if (!again) return again.error();
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    session::SweepPlan plan;
    for (const auto& kernel : *kernels) {
        auto settings = catalog::sweep_settings(*kernel, *catalog::sweep_space_named(options.space));
        if (!settings) return settings.error();
        settings->resize(std::min(settings->size(), static_cast<size_t>(*most)));
        plan.parts.push_back({kernel, std::move(*settings)});
    }
    plan.sizes = std::move(*sizes);
    plan.workers = options.workers;
    plan.device = static_cast<int>(*device);
    plan.time_limit_s = *time_limit;
    plan.folder = options.output.empty() ? session::own_sweeps() : std::filesystem::path(options.output);
    plan.assets = *assets;
    plan.command = command_line(options);
    plan.again = static_cast<size_t>(*again);
    return plan;
}

std::string described(const session::SweepProgress& p, bool ending) {
    if (p.workers == 0) return "waiting for a worker";
    std::string text = fmt::format("{}: {} of {} settings, {} points failed, {:.1f} settings a second", p.kernel,
                                   p.done, p.of, p.failed, p.rate());
    if (ending) return text + ", ends after those in hand, Ctrl-C ends now";
    if (p.done > 0) text += fmt::format(", {} left", duration_text(static_cast<double>(p.of - p.done) / p.rate()));
    if (p.workers > 1) text += fmt::format(", {} workers", p.workers);
    return text;
}

// What was done, and what it waited for.
void summarise(const session::SweepProgress& p) {
    if (p.compared > 0)
        print(fmt::format("{} of {} points agree with the record within {:.0f} %\n", p.agreed, p.compared,
                          100 * session::agreement));
    else print(fmt::format("{} points of {} settings, {} of them failed\n", p.points, p.done, p.failed));
    const double all = p.waited_s + p.worked_s;
    if (p.done > 0)
        print(fmt::format("{:.1f} settings a second in {}; the GPU waited for compilers {:.0f} % of the time\n",
                          p.rate(), duration_text(p.seconds), all > 0 ? 100 * p.waited_s / all : 0));
}

void show_plan(const session::SweepPlan& plan) {
    size_t settings = 0;
    for (const auto& part : plan.parts) {
        print(fmt::format("{:<24}{:>8} settings\n", part.kernel->id, part.settings.size()));
        settings += part.settings.size();
    }
    print(fmt::format("{} settings, {} points\n", settings, settings * plan.sizes.size()));
}

base::Status sweep(const SweepOptions& options, const Common& common) {
    auto plan = plan_of(options, common);
    if (!plan) return plan.error();
    if (options.plan) return show_plan(*plan), base::Done{};
    print_aside(fmt::format("gemmscope: every point is kept in {}\n", plan->folder.string()));
    Terminal terminal; // first: threads inherit how it takes Ctrl-C
    session::SweepRun run(std::move(*plan), [&](const std::string& what) {
        terminal.clear();
        print_aside(fmt::format("gemmscope: {}\n", one_line(what)));
    });
    const auto done = run.run([&](const session::SweepProgress& progress) {
        const int interrupts = terminal.interrupts();
        terminal.show(described(progress, interrupts > 0));
        return interrupts > 1 ? Go::end_now : interrupts > 0 ? Go::end_soon : Go::on;
    });
    terminal.clear();
    const session::SweepProgress& p = run.progress();
    if (p.of > 0 || done) summarise(p);
    if (!done) return done;
    if (terminal.interrupts() > 0 && (p.workers == 0 || p.done < p.of))
        return Error{Failure::check_failed,
                     base::say("stopped after {} of {} settings", p.done, p.of),
                     {},
                     base::say("the same command continues")};
    return base::Done{};
}

} // namespace

Action define_sweep(Options& app, const Common& common) {
    auto options = std::make_shared<SweepOptions>();
    app.add_option("KERNEL", options->kernels,
                   "kernels of the catalogue, families (ladder), or every: all that have parameters")
        .required();
    app.add_option("--sizes,--size", options->sizes, sizes_help()).required().type_name("1024,2048,4096");
    app.add_option(
           "--space", options->space,
           "tiles: every combination of BM, BN, BK, TM, TN, or the kernel's names for them; near: what differs from the initial "
           "setting in at most two parameters; all: every legal setting (near)")
        .one_of({"tiles", "near", "all"});
    app.add_option("--most", options->most, "settings of a kernel, those nearest to the initial one first (all)")
        .type_name("N");
    app.add_option("--worker", options->workers,
                   "a machine that gemmscope machines lists, by its name, or the command that starts a worker there: "
                   "'ssh lab2 gemmscope worker', 'srun -N1 --gpus=1 gemmscope worker'; several share the work")
        .type_name("NAME|CMD")
        .one_value();
    app.add_option("--device", options->device, "which GPU of each worker (0)").type_name("N");
    app.add_option("--output", options->output,
                   "folder of the records, which the same command continues (gemmscope's state folder)")
        .type_name("FOLDER");
    app.add_option("--time-limit", options->time_limit,
                   "seconds for a launch; a worker that is silent twice as long is given up (20)")
        .type_name("S");
    app.add_option("--again", options->again,
                   "measure N settings of each kernel's record again and say how many agree within 3 %")
        .type_name("N");
    app.add_flag("--plan", options->plan, "say how many settings it would be, and measure nothing");
    return [options, &common] { return sweep(*options, common); };
}

} // namespace cli
