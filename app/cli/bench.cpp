// bench: time kernels on the GPU, beside cuBLAS, through the worker process; or a library on the CPU.
#include "cpu/bench.h"
#include "base/memory.h"
#include "base/number.h"
#include "catalog/factor.h"
#include "catalog/tuned.h"
#include "cli/cpu_measuring.h"
#include "cli/measuring.h"
#include "cli/sizes.h"
#include "cli/source.h"
#include "measure/point_log.h"
#include "measure/references.h"
#include "session/gpu_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace cli {
namespace {

using base::Error;
using base::Failure;

struct BenchOptions {
    std::vector<std::string> kernels;
    SourceOptions subject;
    std::string sizes, output, worker, device = "0", time_limit = "20";
    bool json = false;
};

struct Planned {              // a point to be measured
    session::Subject subject; // its kernel may be the id of a reference
    std::shared_ptr<const catalog::Kernel> kernel;
    const measure::ReferenceSeries* reference = nullptr; // else this
};

std::string named(const Planned& planned) {
    const catalog::Problem& p = planned.subject.problem;
    return fmt::format("{} {}", planned.subject.kernel, size_text(p));
}

bool on_cpu(const Planned& planned) {
    return planned.reference && planned.reference->measured == measure::ReferenceSeries::Measured::on_cpu;
}

// One size of a reference; only its memory and what was typed can be wrong with it.
base::Result<Planned> planned(const measure::ReferenceSeries& reference, session::Subject subject,
                              const BenchOptions& options) {
    subject.kernel = reference.id;
    if (reference.measured == measure::ReferenceSeries::Measured::beside_kernels)
        return Error{Failure::usage,
                     base::say("{} is measured beside every kernel", reference.id),
                     {},
                     base::say("name a kernel with its operands, see gemmscope list")};
    if (!subject.parameters.empty() || options.subject.tuned)
        return Error{
            Failure::usage, base::say("{} has no parameters", reference.id), {}, base::say("leave out -p and --tuned")};
    double bytes = 0;
    for (char matrix : {'A', 'B', 'C'})
        bytes += static_cast<double>(
            catalog::matrix_of(subject.problem, catalog::Operation::product, reference.operands, matrix).bytes());
    for (auto [name, given] : {std::pair{"alpha", subject.alpha}, {"beta", subject.beta}})
        if (auto factor = catalog::finite_factor(reference.operands, given, name); !factor) return factor.error();
    Planned point{std::move(subject), nullptr, &reference};
    if (auto fits = base::fits_memory(bytes, base::verbatim(named(point))); !fits) return fits.error();
    return point;
}

base::Result<Planned> planned(const catalog::Catalog& catalog, const session::Subject& subject) {
    auto job = session::resolve(catalog, subject);
    if (!job) return job.error();
    return Planned{subject, catalog.find(subject.kernel), nullptr};
}

// A GPU and the CPU are measured one at a time: the worker keeps a core busy.
base::Status on_one_machine(const std::vector<Planned>& points) {
    const auto other = [&](const Planned& point) { return on_cpu(point) != on_cpu(points.front()); };
    const auto found = std::find_if(points.begin(), points.end(), other);
    if (found == points.end()) return base::Done{};
    return Error{Failure::usage,
                 base::say("one of {} and {} runs on the CPU, the other on a GPU", points.front().subject.kernel,
                           found->subject.kernel),
                 {},
                 base::say("measure them by two commands")};
}

// Everything is checked before the first run, so that a slip at the end of the list costs nothing.
base::Result<std::vector<Planned>> plan(const BenchOptions& options, const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    std::vector<Planned> points;
    for (const std::string& id : options.kernels) {
        auto subject = to_subject(options.subject, id);
        if (!subject) return subject.error();
        auto problems = options.sizes.empty() ? std::vector{subject->problem} : parse_sizes(options.sizes);
        if (!problems) return problems.error();
        std::vector<const measure::ReferenceSeries*> references{nullptr}; // the kernel itself
        if (!catalog->find(id) && !measure::references_named(id).empty()) references = measure::references_named(id);
        for (const measure::ReferenceSeries* reference : references)
            for (const catalog::Problem& problem : *problems) {
                subject->problem = problem;
                auto point = reference ? planned(*reference, *subject, options) : planned(*catalog, *subject);
                if (!point) return point.error();
                points.push_back(std::move(*point));
            }
    }
    if (auto one = on_one_machine(points); !one) return one.error();
    return points;
}

// Gives every point the values of all its parameters, now that the GPU is known.
base::Status choose_parameters(std::vector<Planned>& points, const BenchOptions& options,
                               const measure::Device& device) {
    for (Planned& point : points) {
        if (point.reference) continue; // has none
        session::Subject& subject = point.subject;
        if (auto tuned = take_tuned(subject, options.subject, *point.kernel, device.name, device.arch); !tuned)
            return tuned;
        auto values = catalog::values_for(*point.kernel, subject.parameters, device.name, device.arch, subject.problem);
        if (!values) return values.error();
        subject.parameters = std::move(*values);
    }
    return base::Done{};
}

// As it could be typed again.
std::string command_line(const BenchOptions& options) {
    std::string text = fmt::format("gemmscope bench {}", fmt::join(options.kernels, " "));
    if (!options.sizes.empty()) text += " --sizes " + options.sizes;
    for (const std::string& parameter : options.subject.parameters) text += " -p " + parameter;
    if (options.subject.tuned) text += " --tuned";
    return text;
}

// Leaves out what the log has already. `key`: of a point.
template <class Key>
void skip_measured(std::vector<Planned>& points, const measure::PointLog& log, const std::string& file, Key key) {
    const size_t skipped = std::erase_if(points, [&](const Planned& planned) { return log.find(key(planned)); });
    if (skipped > 0)
        print_aside(fmt::format("gemmscope: {} of {} points are in {} already and are not measured again\n", skipped,
                                skipped + points.size(), file));
}

// What a library multiplies: a launch without code.
gpu::Launch launch_of(const Planned& point) {
    const session::Subject& subject = point.subject;
    const catalog::OperandType operands = point.reference->operands;
    gpu::Launch launch;
    launch.kernel = subject.kernel;
    launch.problem = subject.problem;
    launch.operands = operands;
    launch.alpha = catalog::as_factor(operands, subject.alpha);
    launch.beta = catalog::as_factor(operands, subject.beta);
    launch.seed = subject.seed;
    return launch;
}

base::Result<measure::NotedPoint> measure(Measuring& measuring, const Planned& point, double time_limit_s,
                                          const std::string& label) {
    const auto ask = [&]<class Request>(Request request, gpu::Launch launch) {
        request.launch = std::move(launch);
        request.time_limit_s = time_limit_s;
        return measuring.measure(std::move(request), label);
    };
    if (point.reference) {
        const bool on_device = point.reference->measured == measure::ReferenceSeries::Measured::on_device;
        return on_device ? ask(gpu::BenchRequest{}, launch_of(point))
                         : ask(gpu::HostProductRequest{}, launch_of(point));
    }
    measuring.show(label + ": compiling");
    auto launch = session::gpu_launch(*point.kernel, point.subject, measuring.device().arch);
    if (!launch) return launch.error();
    return ask(gpu::BenchRequest{}, std::move(*launch));
}

std::string row(const measure::BenchPoint& p) {
    std::string text = fmt::format("{:<20} {:>5} x {:>5} x {:>5}  {:>10.4f} ms", p.kernel, p.m, p.n, p.k, p.median_ms);
    text += p.spread ? fmt::format(" spread {:>4.1f}%", *p.spread * 100) : std::string(13, ' ');
    if (p.operation == catalog::Operation::product) text += fmt::format("  {:>9.1f} GFLOPS", p.gflops);
    else text += fmt::format("  {:>9.1f} GB/s read and written", measure::gb_s(p));
    if (!p.cublas.mode.empty())
        text += fmt::format("  {:>6.3f} of cuBLAS ({}{:.1f} GFLOPS, {})", p.ratio,
                            p.operands == catalog::OperandType::f32 ? "" : p.cublas.mode + ", ", p.cublas.gflops,
                            p.cublas.algorithm);
    if (p.joules) text += fmt::format("  {:.3g} J", *p.joules);
    if (p.cublas.joules) text += fmt::format(", cuBLAS {:.3g} J", *p.cublas.joules);
    if (throttled(p)) text += fmt::format("  throttled: {} to {} MHz", p.clock_before_mhz, p.sm_clock_mhz);
    return text + "\n";
}

void report(const measure::NotedPoint& measured, bool json) {
    print(json ? measure::to_json(measured.point) + "\n" : row(measured.point));
    std::fflush(stdout);
    for (const std::string& note : measured.notes) print_aside(fmt::format("gemmscope: {}\n", note));
}

Error stopped(size_t measured, size_t of, bool logged) {
    return {Failure::check_failed,
            base::say("stopped after {} of {} points", measured, of),
            {},
            logged ? base::say("the same command continues")
                   : base::say("with --output FILE.json it can be continued")};
}

// Measures all points by `measure`. One that cannot be measured (a wrong result, too little memory) is said,
// and the others follow; the first of these errors is the answer. `measuring`: a Measuring or a CpuMeasuring.
template <class Instrument, class Measure>
base::Status measure_all(Instrument& measuring, const std::vector<Planned>& points, measure::PointLog* log,
                         const BenchOptions& options, Measure measure) {
    base::Status status = base::Done{};
    for (size_t i = 0; i < points.size(); ++i) {
        auto measured = measure(points[i], fmt::format("{} of {}: {}", i + 1, points.size(), named(points[i])));
        measuring.clear();
        if (measured) {
            report(*measured, options.json);
            auto written = log ? log->append(measured->point) : base::Done{};
            if (!written) return written;
        } else if (measuring.interrupted()) {
            return stopped(i, points.size(), log);
        } else {
            if (status) status = measured.error();
            if (points.size() > 1)
                print_aside(fmt::format("gemmscope: {}: {}\n", named(points[i]), measured.error().sentence()));
        }
        if (measuring.interrupted() && i + 1 < points.size()) return stopped(i + 1, points.size(), log);
    }
    return status;
}

base::Status bench_on_gpu(std::vector<Planned> points, measure::PointLog* log, const BenchOptions& options,
                          double time_limit_s) {
    auto measuring = Measuring::start(options.worker, options.device);
    if (!measuring) return measuring.error();
    const measure::Device& device = (*measuring)->device();
    if (auto chosen = choose_parameters(points, options, device); !chosen) return chosen;
    if (log)
        skip_measured(points, *log, options.output, [&](const Planned& point) {
            return measure::PointLog::Key{point.subject.kernel,
                                          point.subject.parameters,
                                          point.reference ? point.reference->operands : point.kernel->operands,
                                          point.subject.problem,
                                          device.name,
                                          (*measuring)->hello().driver};
        });
    return measure_all(**measuring, points, log, options, [&](const Planned& point, const std::string& label) {
        return measure(**measuring, point, time_limit_s, label);
    });
}

base::Status bench_on_cpu(std::vector<Planned> points, measure::PointLog* log, const BenchOptions& options,
                          double time_limit_s) {
    auto measuring = CpuMeasuring::start();
    if (!measuring) return measuring.error();
    if (log)
        skip_measured(points, *log, options.output,
                      [&](const Planned& point) { return cpu::key((*measuring)->openblas(), launch_of(point)); });
    return measure_all(**measuring, points, log, options, [&](const Planned& point, const std::string& label) {
        return (*measuring)->measure(launch_of(point), time_limit_s, label);
    });
}

base::Status bench(const BenchOptions& options, const Common& common) {
    auto points = plan(options, common);
    if (!points) return points.error();
    auto time_limit = base::parse_number(options.time_limit, "--time-limit");
    if (!time_limit) return time_limit.error();
    std::optional<measure::PointLog> log;
    if (!options.output.empty()) {
        auto opened = measure::PointLog::open(options.output, command_line(options));
        if (!opened) return opened.error();
        log = std::move(*opened);
    }
    const auto run = on_cpu(points->front()) ? bench_on_cpu : bench_on_gpu;
    return run(std::move(*points), log ? &*log : nullptr, options, *time_limit);
}

} // namespace

Action define_bench(Options& app, const Common& common) {
    auto options = std::make_shared<BenchOptions>();
    app.add_option("KERNEL", options->kernels,
                   "kernels of the catalogue; cutlass: its FP32 kernels, where gemmscope is built with them; "
                   "openblas: what the CPU's cores reach; cublasxt: the GPU with matrices in host memory")
        .required();
    add_subject_options(app, options->subject);
    add_tuned_option(app, options->subject);
    app.add_option("--sizes", options->sizes, sizes_help()).type_name("1024,2048");
    app.add_option("--output", options->output,
                   "append the points to a file; those that it has of this GPU and driver are not measured again")
        .type_name("FILE.json");
    app.add_option("--device", options->device, "which GPU (0)").type_name("N");
    app.add_option("--time-limit", options->time_limit, "seconds of GPU time for a point (20)").type_name("S");
    app.add_option("--worker", options->worker, worker_help).type_name("NAME|CMD");
    app.add_flag("--json", options->json, "print one JSON line for each point");
    return [options, &common] { return bench(*options, common); };
}

} // namespace cli
