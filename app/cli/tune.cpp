// tune: search a kernel's tile space on the GPU, best first, and keep the fastest settings beside the kernel.
#include "base/caught.h"
#include "base/file.h"
#include "base/number.h"
#include "catalog/tuned.h"
#include "cli/measuring.h"
#include "cli/sizes.h"
#include "cli/source.h"
#include "cli/table.h"
#include "measure/point_log.h"
#include "session/gpu_runs.h"
#include "session/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

namespace cli {
namespace {

using base::Error;
using base::Failure;
using session::Candidate;
using Clock = std::chrono::steady_clock;

constexpr int first_look_samples = 5;
constexpr size_t finalists = 5;      // of the first look, measured at full length beside cuBLAS
constexpr double hopeless = 1.5;     // times the fastest: not measured again
constexpr double final_share = 0.25; // of the time limit, kept for the finalists

struct TuneOptions {
    std::string kernel, sizes, output, worker, device = "0", time_limit = "120", most = "100";
};

// What stays the same while one kernel is tuned.
struct Tuning {
    const TuneOptions& options;
    std::shared_ptr<const catalog::Kernel> kernel;
    Measuring& measuring;
    measure::PointLog& log;
    size_t most = 0; // settings that are compiled and measured
    double time_limit_s = 0;
};

std::string command_line(const TuneOptions& options, catalog::Problem p) {
    return fmt::format("gemmscope tune {} --sizes {}x{}x{}", options.kernel, p.m, p.n, p.k);
}

std::string text_of(const catalog::Kernel& kernel, const catalog::Values& values) {
    std::string text;
    for (const auto& parameter : kernel.parameters)
        text += fmt::format("{}{} {}", text.empty() ? "" : " ", parameter.name, values.at(parameter.name));
    return text;
}

// The search at one size.
class Search {
public:
    Search(Tuning& tuning, catalog::Problem problem) : t_(tuning), problem_(problem) {}

    base::Result<catalog::Tuned> run() {
        if (auto ranked = rank(); !ranked) return ranked.error();
        if (auto looked = look(); !looked) return looked.error();
        std::vector<measure::BenchPoint> best = std::move(points_);
        points_.clear();
        std::sort(best.begin(), best.end(), is_faster);
        if (best.empty()) return *failed_;
        const double bound = hopeless * best.front().median_ms;
        std::erase_if(best, [&](const measure::BenchPoint& p) { return p.median_ms > bound; });
        best.resize(std::min(best.size(), finalists));
        if (auto done = finish(best); !done) return done.error();
        return winner();
    }

private:
    static bool is_faster(const measure::BenchPoint& a, const measure::BenchPoint& b) {
        return a.median_ms < b.median_ms;
    }

    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    std::string size() const { return size_text(problem_); }
    base::Status go_on() {
        if (!t_.measuring.interrupted()) return base::Done{};
        t_.measuring.clear();
        return Error{
            Failure::check_failed, base::say("stopped at {}", size()), {}, base::say("the same command continues")};
    }

    session::Subject subject(const catalog::Values& values) const {
        session::Subject subject;
        subject.kernel = t_.kernel->id;
        subject.parameters = values;
        subject.problem = problem_;
        return subject;
    }

    // However it ranks: what is found must not be slower than what the kernel starts with.
    void put_initial_first(std::vector<Candidate>& all) const {
        const catalog::Values initial = catalog::initial_values(*t_.kernel);
        std::stable_partition(all.begin(), all.end(), [&](const Candidate& c) { return c.values == initial; });
    }

    // The settings worth measuring: the best guesses, compiled and put in order.
    base::Status rank() {
        t_.measuring.show(size() + ": ranking");
        auto guessed = session::candidates(*t_.kernel, problem_, t_.measuring.device());
        if (!guessed) return guessed.error();
        const size_t of = guessed->size();
        put_initial_first(*guessed);
        guessed->resize(std::min(of, t_.most));
        const auto compiled = compile(*guessed);
        if (auto on = go_on(); !on) return on;
        for (const auto& known : compiled) {
            if (*known) candidates_.push_back(**known);
            else failed_ = known->error();
        }
        if (candidates_.empty()) return *failed_;
        std::stable_sort(candidates_.begin(), candidates_.end(), session::is_more_promising);
        put_initial_first(candidates_);
        t_.measuring.clear();
        print_aside(
            fmt::format("gemmscope: {}: {} of {} legal settings are looked at\n", size(), candidates_.size(), of));
        return base::Done{};
    }

    // One of each guess, on all cores; some are missing where it was interrupted.
    std::vector<std::optional<base::Result<Candidate>>> compile(const std::vector<Candidate>& guessed) {
        std::vector<std::optional<base::Result<Candidate>>> results(guessed.size());
        std::atomic<size_t> next = 0, done = 0;
        auto work = [&](std::stop_token stop) {
            for (size_t i; !stop.stop_requested() && (i = next++) < guessed.size(); ++done)
                if (const std::exception_ptr thrown = base::caught([&] {
                        results[i] =
                            session::compiled(*t_.kernel, subject(guessed[i].values), t_.measuring.device(), stop);
                    }))
                    results[i] = base::error_of(thrown);
        };
        std::vector<std::jthread> threads;
        for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
        while (done < guessed.size() && !t_.measuring.interrupted()) {
            t_.measuring.show(fmt::format("{}: compiled {} of {}", size(), done.load(), guessed.size()));
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        for (std::jthread& thread : threads) thread.request_stop();
        for (std::jthread& thread : threads) thread.join();
        return results;
    }

    // A first look at each, the most promising first, while there is time.
    base::Status look() {
        start_ = Clock::now();
        for (size_t i = 0;
             i < candidates_.size() && (points_.empty() || seconds() < t_.time_limit_s * (1 - final_share)); ++i) {
            auto point = measure(candidates_[i].values, true,
                                 fmt::format("{}: look {} of {}", size(), i + 1, candidates_.size()));
            if (auto on = go_on(); !on) return on;
            if (point) points_.push_back(std::move(*point));
            else failed_ = point.error();
        }
        return base::Done{};
    }

    base::Status finish(const std::vector<measure::BenchPoint>& best) {
        for (size_t i = 0; i < best.size(); ++i) {
            auto point =
                measure(best[i].parameters, false, fmt::format("{}: final {} of {}", size(), i + 1, best.size()));
            if (auto on = go_on(); !on) return on;
            if (point) points_.push_back(std::move(*point));
            else failed_ = point.error();
        }
        return base::Done{};
    }

    base::Result<catalog::Tuned> winner() {
        if (points_.empty()) return *failed_;
        const measure::BenchPoint& p = *std::min_element(points_.begin(), points_.end(), is_faster);
        catalog::Tuned tuned;
        tuned.problem = problem_;
        tuned.values = p.parameters;
        tuned.gflops = base::significant(p.gflops), tuned.ratio = base::significant(p.ratio);
        tuned.device = p.device, tuned.arch = t_.measuring.device().arch;
        tuned.sm_clock_mhz = p.sm_clock_mhz;
        tuned.driver = p.driver, tuned.cuda = p.cuda, tuned.date = p.date;
        tuned.command = command_line(t_.options, problem_);
        t_.measuring.clear();
        print(fmt::format("{}  {:.1f} GFLOPS, {:.3f} of cuBLAS, {}\n", size(), p.gflops, p.ratio,
                          text_of(*t_.kernel, p.parameters)));
        std::fflush(stdout);
        return tuned;
    }

    // Of the log, if an earlier run has measured it.
    base::Result<measure::BenchPoint> measure(const catalog::Values& values, bool quick, const std::string& label) {
        const int least = quick ? 1 : first_look_samples + 1; // whatever was measured will do for a first look
        const measure::BenchPoint* known = t_.log.find({t_.kernel->id, values, t_.kernel->operands, problem_,
                                                        t_.measuring.device().name, t_.measuring.hello().driver},
                                                       least);
        if (known) return *known;
        auto launch = session::gpu_launch(*t_.kernel, subject(values), t_.measuring.device().arch);
        if (!launch) return launch.error();
        gpu::BenchRequest request;
        request.launch = std::move(*launch);
        request.quick = quick;
        if (quick) request.max_samples = first_look_samples;
        auto measured = t_.measuring.measure(std::move(request), label);
        if (!measured) return measured.error();
        if (auto kept = t_.log.append(measured->point); !kept) return kept.error();
        return std::move(measured->point);
    }

    Tuning& t_;
    catalog::Problem problem_;
    Clock::time_point start_; // of the first look
    std::vector<Candidate> candidates_;
    std::vector<measure::BenchPoint> points_; // of this round
    std::optional<Error> failed_;             // why the last that could not be measured could not
};

std::filesystem::path log_path(const TuneOptions& options) {
    return options.output.empty() ? base::state_folder() / "tune" / (options.kernel + ".json")
                                  : std::filesystem::path(options.output);
}

base::Result<std::shared_ptr<const catalog::Kernel>> find_kernel(const TuneOptions& options, const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    session::Subject subject;
    subject.kernel = options.kernel;
    if (auto known = session::resolve(*catalog, subject); !known) return known.error();
    auto kernel = catalog->find(options.kernel);
    if (kernel->parameters.empty())
        return Error{
            Failure::usage, base::say("{} has no parameters to tune", kernel->id), {}, base::say("see gemmscope list")};
    return kernel;
}

base::Status tune(const TuneOptions& options, const Common& common) {
    auto kernel = find_kernel(options, common);
    if (!kernel) return kernel.error();
    auto problems = parse_sizes(options.sizes);
    if (!problems) return problems.error();
    auto time_limit = base::parse_number(options.time_limit, "--time-limit");
    if (!time_limit) return time_limit.error();
    auto most = base::parse_integer(options.most, "--most", 1, 100'000);
    if (!most) return most.error();
    const auto path = log_path(options);
    auto log =
        measure::PointLog::open(path, fmt::format("gemmscope tune {} --sizes {}", options.kernel, options.sizes));
    if (!log) return log.error();
    auto measuring = Measuring::start(options.worker, options.device);
    if (!measuring) return measuring.error();
    print_aside(fmt::format("gemmscope: every point is kept in {}\n", path.string()));
    Tuning tuning{options, *kernel, **measuring, *log, static_cast<size_t>(*most), *time_limit};
    const auto kept_in = catalog::tuned_files((*kernel)->path).back();
    for (const catalog::Problem& problem : *problems) {
        auto best = Search(tuning, problem).run();
        if (!best) return best.error();
        if (auto kept = catalog::keep_tuned(kept_in, **kernel, *best); !kept) return kept.error();
    }
    print_aside(fmt::format("gemmscope: the fastest settings are in {}\n", kept_in.string()));
    return base::Done{};
}

} // namespace

Action define_tune(Options& app, const Common& common) {
    auto options = std::make_shared<TuneOptions>();
    app.add_option("KERNEL", options->kernel, "a kernel of the catalogue").required();
    app.add_option("--sizes,--size", options->sizes, sizes_help()).required().type_name("4096");
    app.add_option("--output", options->output,
                   "where every point is kept, so that the same command continues (gemmscope's state folder)")
        .type_name("FILE.json");
    app.add_option("--most", options->most, "settings to look at, those with the best prospects (100)").type_name("N");
    app.add_option("--device", options->device, "which GPU (0)").type_name("N");
    app.add_option("--time-limit", options->time_limit, "seconds for a size, compiling aside (120)").type_name("S");
    app.add_option("--worker", options->worker, worker_help).type_name("NAME|CMD");
    return [options, &common] { return tune(*options, common); };
}

} // namespace cli
