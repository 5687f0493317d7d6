// bench: time kernels on the GPU, beside cuBLAS, through the worker process.
#include "base/number.h"
#include "cli/json.h"
#include "cli/source.h"
#include "cli/table.h"
#include "gpu/client.h"
#include "session/gpu_runs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <limits>

namespace cli {
namespace {

using base::Error;
using base::Failure;

struct BenchOptions {
    std::vector<std::string> kernels;
    SourceOptions subject;
    std::string sizes, worker, device = "0", time_limit = "20";
    bool json = false;
};

base::Result<int> parse_edge(const std::string& text) {
    auto size = base::parse_integer(text, "--sizes", 1, std::numeric_limits<int>::max());
    if (!size) return size.error();
    return static_cast<int>(*size);
}

// "1024" or "1024x512x256"
base::Result<catalog::Problem> parse_problem(const std::string& text) {
    const size_t first = text.find('x'), second = text.find('x', first == std::string::npos ? first : first + 1);
    if (first == std::string::npos) {
        auto edge = parse_edge(text);
        if (!edge) return edge.error();
        return catalog::Problem{*edge, *edge, *edge};
    }
    if (second == std::string::npos) {
        return Error{Failure::usage, fmt::format("--sizes {} is neither N nor MxNxK", text), {}, "write for example --sizes 1024,2048x512x128"};
    }
    auto m = parse_edge(text.substr(0, first)), n = parse_edge(text.substr(first + 1, second - first - 1)), k = parse_edge(text.substr(second + 1));
    for (auto* edge : {&m, &n, &k}) {
        if (!*edge) return edge->error();
    }
    return catalog::Problem{*m, *n, *k};
}

base::Result<std::vector<catalog::Problem>> parse_problems(const BenchOptions& options, catalog::Problem single) {
    if (options.sizes.empty()) return std::vector{single};
    std::vector<catalog::Problem> problems;
    for (size_t from = 0; from <= options.sizes.size();) {
        const size_t comma = std::min(options.sizes.find(',', from), options.sizes.size());
        auto problem = parse_problem(options.sizes.substr(from, comma - from));
        if (!problem) return problem.error();
        problems.push_back(*problem);
        from = comma + 1;
    }
    return problems;
}

struct Point { // to be measured
    std::shared_ptr<const catalog::Kernel> kernel;
    session::Subject subject;
};

// Everything is checked before the first run, so that a slip at the end of the list costs nothing.
base::Result<std::vector<Point>> plan(const BenchOptions& options, const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    std::vector<Point> points;
    for (const std::string& id : options.kernels) {
        auto subject = to_subject(options.subject, id);
        if (!subject) return subject.error();
        auto problems = parse_problems(options, subject->problem);
        if (!problems) return problems.error();
        for (const catalog::Problem& problem : *problems) {
            subject->problem = problem;
            if (auto job = session::resolve(*catalog, *subject); !job) return job.error();
            points.push_back({catalog->find(id), *subject});
        }
    }
    return points;
}

// The next event that is not progress.
gpu::Event answer(gpu::Worker& worker) {
    while (true) {
        auto event = worker.next(1.0);
        if (event && !std::holds_alternative<gpu::Progress>(*event)) return *event;
        if (!event && !worker.busy()) return Error{Failure::missing, "the GPU worker gave no answer", {}, "see gemmscope doctor"};
    }
}

base::Result<gpu::Hello> greet(gpu::Worker& worker) {
    worker.start();
    gpu::Event event = answer(worker);
    if (auto* hello = std::get_if<gpu::Hello>(&event)) return std::move(*hello);
    if (auto* error = std::get_if<Error>(&event)) return *error;
    return Error{Failure::missing, "the GPU worker did not say hello", {}, "see gemmscope doctor"};
}

base::Result<gpu::Point> measure(gpu::Worker& worker, const Point& point, const gpu::Hello& hello, int device, double time_limit_s) {
    auto launch = session::gpu_launch(*point.kernel, point.subject, hello.devices[static_cast<size_t>(device)].arch);
    if (!launch) return launch.error();
    gpu::BenchRequest request;
    request.launch = std::move(*launch);
    request.device = device;
    request.time_limit_s = time_limit_s;
    if (auto sent = worker.send(std::move(request)); !sent) return sent.error();
    while (true) {
        gpu::Event event = answer(worker);
        if (auto* measured = std::get_if<gpu::Point>(&event)) return std::move(*measured);
        if (auto* error = std::get_if<Error>(&event)) return *error;
    }
}

void print_row(const gpu::BenchPoint& p) {
    print(fmt::format("{:<20} {:>5} x {:>5} x {:>5}  {:>10.4f} ms  {:>9.1f} GFLOPS  {:>6.3f} of cuBLAS ({:.1f} GFLOPS)\n", p.kernel, p.m, p.n, p.k,
                      p.median_ms, p.gflops, p.ratio, p.cublas.gflops));
}

base::Status bench(const BenchOptions& options, const Common& common) {
    auto points = plan(options, common);
    if (!points) return points.error();
    auto time_limit = base::parse_number(options.time_limit, "--time-limit");
    if (!time_limit) return time_limit.error();
    gpu::Worker::Options started;
    started.command = options.worker;
    gpu::Worker worker(std::move(started));
    auto hello = greet(worker);
    if (!hello) return hello.error();
    auto device = base::parse_integer(options.device, "--device", 0, static_cast<int64_t>(hello->devices.size()) - 1);
    if (!device) return device.error();
    for (const Point& point : *points) {
        auto measured = measure(worker, point, *hello, static_cast<int>(*device), *time_limit);
        if (!measured) return measured.error();
        if (options.json) print(gpu::to_json(measured->point) + "\n");
        else print_row(measured->point);
        for (const std::string& note : measured->notes) fmt::print(stderr, "gemmscope: {}\n", note);
        std::fflush(stdout);
    }
    return base::Done{};
}

} // namespace

Action define_bench(CLI::App& app, const Common& common) {
    auto options = std::make_shared<BenchOptions>();
    app.add_option("KERNEL", options->kernels, "kernels of the catalogue")->required();
    add_subject_options(app, options->subject);
    app.add_option("--sizes", options->sizes, "N or MxNxK, with commas between")->type_name("1024,2048");
    app.add_option("--device", options->device, "which GPU (0)")->type_name("N");
    app.add_option("--time-limit", options->time_limit, "seconds of GPU time for a point (20)")->type_name("S");
    app.add_option("--worker", options->worker, "command that starts a worker elsewhere: 'ssh lab-gpu gemmscope worker'")->type_name("CMD");
    app.add_flag("--json", options->json, "print one JSON line for each point");
    return [options, &common] { return bench(*options, common); };
}

} // namespace cli
