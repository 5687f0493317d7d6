#include "gpu/worker/bench.h"

#include "base/clock.h"
#include "gpu/worker/cutlass.h"
#include "gpu/worker/rig.h"
#include "gpu/worker/stream_rig.h"
#include "gpu/worker/sweep_bench.h"
#include "measure/references.h"
#include "measure/statistics.h"
#include "measure/verify.h"

#include "base/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace gpu {
namespace {

using base::Clock;
using base::seconds_since;
using base::Status;

constexpr int launches_in_a_row = 50;
constexpr double batch_ms = 10;      // of launches, in which NVML's counter is read once
constexpr double trial_margin = 1.1; // that take at most this much longer than the fastest

// What multiplies in place of a kernel; none, of a launch that has code.
struct Library {
    DeviceProduct product;
    std::string name, cuda; // as in BenchPoint
};

base::Result<Library> library_of(const Launch& launch, const measure::Device& device) {
    const measure::ReferenceSeries* reference =
        launch.image.empty() ? measure::reference_series(launch.kernel) : nullptr;
    if (!reference || reference->measured != measure::ReferenceSeries::Measured::on_device) return Library{};
    auto cutlass = Cutlass::open();
    if (!cutlass) return cutlass.error();
    auto product = cutlass->product(launch, device);
    if (!product) return product.error();
    return Library{std::move(*product), "CUTLASS " + cutlass->version(), cutlass->cuda()};
}

struct Verified {
    double error; // relative
    int elements; // compared with the CPU's
};

// Of a C that is right; `cure`: what to do if it is not.
base::Result<Verified> verify(Rig& rig, const CublasAlgorithm* cublas, base::Sentence cure, Deadline deadline) {
    auto c = rig.result_of([&] { return rig.launch_kernel(); }, deadline);
    if (!c) return c.error();
    measure::Reference expected = measure::reference(rig.operands());
    double error = measure::max_abs_error(expected, *c);
    if (cublas) {
        auto other = rig.result_of([&] { return rig.launch_cublas(*cublas); }, deadline);
        if (!other) return other.error();
        double difference = measure::max_abs_difference(*c, *other);
        if (!(difference <= error)) error = difference;
    }
    auto relative = measure::relative_error(rig.launch(), expected, error, std::move(cure));
    if (!relative) return relative.error();
    return Verified{*relative, static_cast<int>(expected.elements.size())};
}

// One of cuBLAS's algorithms and its samples, in ms.
struct Contender {
    CublasAlgorithm algorithm;
    std::vector<double> ms;
};

struct Timings {
    std::vector<double> kernel;        // ms
    std::vector<Contender> references; // those still in the running; in the end the one that is chosen
    measure::Stop why = measure::Stop::not_yet;
    int clock_before = 0, clock_after = 0;
    double back_to_back_ms = 0;
    std::optional<double> kernel_joules, best_joules; // of a launch

    const Contender* best() const {
        auto faster = [](const Contender& a, const Contender& b) {
            return measure::median(a.ms) < measure::median(b.ms);
        };
        return references.empty() ? nullptr : &*std::min_element(references.begin(), references.end(), faster);
    }
};

// Alternates until the clocks have risen. The last pair is still running when the clock is read. An algorithm
// that cuBLAS names but does not start is left out.
Status warm_up(Rig& rig, const Nvml& nvml, Deadline deadline, Timings& timings) {
    auto begin = Clock::now();
    do {
        if (auto done = rig.launch_kernel(); !done) return done;
        std::erase_if(timings.references, [&](const Contender& c) { return !rig.launch_cublas(c.algorithm); });
        timings.clock_before = nvml.sm_mhz();
        if (auto done = rig.watch().finish(deadline); !done) return done;
    } while (seconds_since(begin) < measure::warm_up_s);
    return base::Done{};
}

// Launches before samples, until the clock is the one that they leave.
struct Settling {
    const Nvml& nvml;
    int highest_mhz;
    double at_limit_s; // where the clock is below that

    bool at_limit() const {
        constexpr double below = 0.98;
        const int mhz = nvml.sm_mhz();
        return mhz > 0 && mhz < below * highest_mhz;
    }
};

template <class Time>
Status repeat(Time time, double seconds) {
    for (const auto begin = Clock::now(); seconds_since(begin) < seconds;)
        if (auto ms = time(); !ms) return ms.error();
    return base::Done{};
}

// `count` samples of single launches. At the limit the clock moves within a twentieth of a second, so they lie apart.
template <class Time>
Status take_turn(Time time, const Settling* settling, size_t count, std::vector<double>& samples) {
    double apart = 0; // seconds
    if (settling) {
        if (auto done = repeat(time, measure::settle_s); !done) return done;
        if (settling->at_limit()) {
            if (auto done = repeat(time, settling->at_limit_s - measure::settle_s); !done) return done;
            apart = settling->at_limit_s / 10;
        }
    }
    for (; count > 0; --count) {
        if (auto done = repeat(time, apart); !done) return done;
        auto ms = time();
        if (!ms) return ms.error();
        samples.push_back(*ms);
    }
    return base::Done{};
}

Status take_turn_of(Contender& reference, Rig& rig, const Settling& settling, size_t count, double limit_s) {
    const Deadline deadline = after(limit_s);
    return take_turn([&] { return rig.time_cublas(reference.algorithm, deadline); }, &settling, count, reference.ms);
}

// The kernel's turn, then that of each algorithm that is still in the running. None may take longer than `limit_s`.
Status take_round(Rig& rig, const Settling& settling, size_t count, double limit_s, Timings& timings) {
    const Settling* const first = timings.references.empty() ? nullptr : &settling;
    const Deadline deadline = after(limit_s);
    const auto kernel = [&] { return rig.time_kernel(deadline); };
    if (auto done = take_turn(kernel, first, count, timings.kernel); !done) return done;
    for (Contender& reference : timings.references)
        if (auto done = take_turn_of(reference, rig, settling, count, limit_s); !done) return done;
    return base::Done{};
}

// A round in which turns are short, and after which only algorithms near the fastest go on. Its samples count where the clock was
// the highest: everyone's own.
Status try_all(Rig& rig, Settling settling, size_t count, double limit_s, Timings& timings) {
    settling.at_limit_s = 0;
    if (auto done = take_round(rig, settling, count, limit_s, timings); !done) return done;
    const double bound = trial_margin * measure::median(timings.best()->ms);
    std::erase_if(timings.references, [&](const Contender& c) { return measure::median(c.ms) > bound; });
    if (!settling.at_limit()) return base::Done{};
    timings.kernel.clear();
    for (Contender& reference : timings.references) reference.ms.clear();
    return base::Done{};
}

// The fastest of them, in turns as long as they have to be. Its samples are taken anew: the least of ten medians is partly luck (selection bias, the
// "winner's curse"), and the kernel has only one.
Status choose(Rig& rig, const Settling& settling, size_t count, double limit_s, Timings& timings) {
    if (timings.references.size() == 1) return base::Done{};
    for (Contender& reference : timings.references)
        if (auto done = take_turn_of(reference, rig, settling, count, limit_s); !done) return done;
    Contender chosen = *timings.best();
    chosen.ms.clear();
    timings.references = {std::move(chosen)};
    return take_turn_of(timings.references.front(), rig, settling, count, limit_s);
}

Status take_samples(Rig& rig, const measure::StopRule& rule, const Settling& settling, double limit_s,
                    const Report& report, Timings& timings) {
    const size_t most = std::min(static_cast<size_t>(std::max(rule.most, 1)), trial_samples);
    if (!timings.references.empty()) {
        if (auto done = try_all(rig, settling, most, limit_s, timings); !done) return done;
        if (auto done = choose(rig, settling, most, limit_s, timings); !done) return done;
    }
    auto begin = Clock::now(), reported = begin;
    auto reference = [&] { return timings.best() ? timings.best()->ms : std::vector<double>{}; };
    while ((timings.why = measure::stop(rule, timings.kernel, reference(), seconds_since(begin))) ==
           measure::Stop::not_yet) {
        const auto count = static_cast<size_t>(std::max(rule.most, 1)) - timings.kernel.size();
        if (auto done = take_round(rig, settling, std::min(count, trial_samples), limit_s, timings); !done) return done;
        if (seconds_since(reported) < 0.1) continue;
        reported = Clock::now();
        report({measure::Phase::samples, static_cast<int>(timings.kernel.size()), rule.most});
    }
    return base::Done{};
}

struct Consumed {
    double joules = 0, launches = 0;
    std::optional<double> of_launch() const { return launches > 0 ? std::optional(joules / launches) : std::nullopt; }
};

// Adds what launches take that follow one another. The counter moves ten times a second, and a reading takes milliseconds: so it is read while a
// batch runs, and what lies between its first and its last move counts.
template <class Work>
Status consume(Stopwatch& watch, Work launch, double ms, const Nvml& nvml, double seconds, Deadline deadline,
               Consumed& consumed) {
    const int batch = std::max(1, static_cast<int>(batch_ms / ms));
    double launches = 0, counter = nvml.joules();
    std::optional<Consumed> first, last; // what the counter and the launches were when it moved
    for (const auto begin = Clock::now(); seconds_since(begin) < seconds; launches += batch) {
        double now = counter;
        const auto launch_all = [&]() -> Status {
            for (int i = 0; i < batch; ++i)
                if (auto done = launch(); !done) return done;
            return base::Done{};
        };
        if (auto took = watch.time(launch_all, deadline, [&] { now = nvml.joules(); }); !took) return took.error();
        if (now <= counter) continue; // it has not moved, or could not be read
        counter = now;
        last = {now, launches};
        if (!first) first = last;
    }
    if (first) consumed.joules += last->joules - first->joules, consumed.launches += last->launches - first->launches;
    return base::Done{};
}

// In turns, each behind launches of its own until the clock is theirs.
Status count_energy(Rig& rig, const Settling& settling, double limit_s, Timings& timings) {
    if (settling.nvml.joules() <= 0) return base::Done{};
    const double seconds = settling.at_limit_s;
    Consumed kernel, cublas;
    const auto turn = [&](auto time, auto launch, double ms, Consumed& consumed) -> Status {
        if (auto done = repeat(time, seconds); !done) return done;
        return consume(rig.watch(), launch, ms, settling.nvml, seconds, after(limit_s), consumed);
    };
    for (int round = 0; round < 2; ++round) {
        Deadline deadline = after(limit_s);
        if (auto done = turn([&] { return rig.time_kernel(deadline); }, [&] { return rig.launch_kernel(); },
                             measure::median(timings.kernel), kernel);
            !done)
            return done;
        const Contender* best = timings.best();
        if (!best) continue;
        deadline = after(limit_s);
        if (auto done = turn([&] { return rig.time_cublas(best->algorithm, deadline); },
                             [&] { return rig.launch_cublas(best->algorithm); }, measure::median(best->ms), cublas);
            !done)
            return done;
    }
    timings.kernel_joules = kernel.of_launch(), timings.best_joules = cublas.of_launch();
    return base::Done{};
}

// Launches in a row, and the clock while they run: of all 50, or of one if 50 would not end in time.
Status back_to_back(Rig& rig, const Nvml& nvml, double limit_s, Deadline deadline, Timings& timings) {
    bool all = launches_in_a_row * measure::median(timings.kernel) <= limit_s * 1e3;
    int count = all ? launches_in_a_row : 1;
    auto total = rig.watch().time(
        [&]() -> Status {
            for (int i = 0; i < count; ++i)
                if (auto done = rig.launch_kernel(); !done) return done;
            return base::Done{};
        },
        deadline, [&] { timings.clock_after = nvml.sm_mhz(); });
    if (!total) return total.error();
    if (all) timings.back_to_back_ms = *total / launches_in_a_row;
    return base::Done{};
}

void add_notes(std::vector<std::string>& notes, const Station& station, const Timings& t) {
    if (t.why != measure::Stop::settled) {
        double spread = std::max(measure::median_spread(t.kernel), t.best() ? measure::median_spread(t.best()->ms) : 0);
        std::string known = spread < 1 ? fmt::format("the medians may be off by {:.1f}%", spread * 100)
                                       : "too few to say how far off the medians are";
        notes.push_back(fmt::format("{} after {} samples: {}",
                                    t.why == measure::Stop::time_up ? "time was up" : "stopped", t.kernel.size(),
                                    known));
    }
    if (t.clock_before == 0 || t.clock_after == 0)
        notes.push_back(
            fmt::format("the clock could not be read; {} MHz is the GPU's highest", station.device.sm_clock_mhz));
    else if (std::abs(t.clock_before - t.clock_after) > t.clock_before / 50)
        notes.push_back(
            fmt::format("the clock went from {} to {} MHz while it was measured", t.clock_before, t.clock_after));
    if (t.back_to_back_ms <= 0)
        notes.push_back(fmt::format("{} launches in a row would not fit the time limit", launches_in_a_row));
}

measure::BenchPoint point_of(const Station& station, const Launch& launch, const Library& library, const Timings& t,
                             Verified verified) {
    measure::BenchPoint p;
    p.kernel = launch.kernel;
    p.parameters = launch.parameters;
    p.operation = launch.operation;
    p.operands = launch.operands;
    p.m = launch.problem.m;
    p.n = launch.problem.n;
    p.k = launch.problem.k;
    p.samples = static_cast<int>(t.kernel.size());
    p.median_ms = measure::median(t.kernel);
    p.min_ms = *std::min_element(t.kernel.begin(), t.kernel.end());
    p.back_to_back_ms = t.back_to_back_ms;
    p.gflops = catalog::operations(p.operation, p.m, p.n, p.k) / p.median_ms * 1e-6;
    if (const Contender* best = t.best()) {
        double ms = measure::median(best->ms);
        p.cublas = {std::string(measure::cublas_mode(launch.operands)),
                    ms,
                    measure::gflops(p.m, p.n, p.k, ms),
                    best->algorithm.name,
                    measure::interquartile_spread(best->ms),
                    t.best_joules};
        p.ratio = ms / p.median_ms;
    }
    p.max_rel_error = verified.error;
    p.elements_checked = verified.elements;
    p.rounding = static_cast<int>(launch.rounding);
    p.device = station.device.name;
    p.sm_clock_mhz = t.clock_after > 0 ? t.clock_after : station.device.sm_clock_mhz;
    p.clock_before_mhz = t.clock_after > 0 ? t.clock_before : 0;
    p.spread = measure::interquartile_spread(t.kernel);
    p.joules = t.kernel_joules;
    p.driver = station.driver_version;
    p.library = library.name;
    p.cuda = library.product ? library.cuda : launch.cuda.empty() ? station.cuda_version : launch.cuda;
    p.date = measure::today();
    return p;
}

// The ways in which cuBLAS can do it; none, and a note, without cuBLAS.
std::vector<CublasAlgorithm> references(Station& station, const Launch& launch, std::vector<std::string>& notes) {
    if (!station.cublas) station.cublas = Cublas::open(station.context.driver());
    auto found = *station.cublas ? (*station.cublas)->algorithms(launch, notes)
                                 : base::Result<std::vector<CublasAlgorithm>>(station.cublas->error());
    if (found) return std::move(*found);
    notes.push_back(found.error().sentence());
    return {};
}

} // namespace

Station::Station(Context opened, measure::Device described, Nvml read, std::string driver, std::string cuda)
    : context(std::move(opened)), device(std::move(described)), nvml(std::move(read)),
      driver_version(std::move(driver)), cuda_version(std::move(cuda)) {}
Station::Station(Station&&) noexcept = default;
Station::~Station() = default;

bool usable(const Driver& driver) {
    auto event = DeviceEvent::create(driver);
    if (!event || !event->record()) return false;
    return event->wait(after(1)).ok();
}

base::Result<Station> open_station(std::shared_ptr<const Driver> driver, int ordinal) {
    auto context = Context::open(driver, ordinal);
    if (!context) return context.error();
    auto device = describe(*driver, context->device());
    if (!device) return device.error();
    Nvml nvml(pci_bus_id(*driver, context->device()));
    int version = 0;
    driver->driver_version(&version);
    std::string driver_version = nvml.driver_version(),
                cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
    return Station(std::move(*context), std::move(*device), std::move(nvml), std::move(driver_version),
                   std::move(cuda));
}

base::Result<measure::NotedPoint> bench(Station& station, const BenchRequest& request, const Report& report) {
    report({measure::Phase::inputs, 0, 0});
    auto library = library_of(request.launch, station.device);
    if (!library) return library.error();
    std::vector<std::string> notes;
    std::vector<CublasAlgorithm> algorithms;
    const bool has_peer = request.launch.operation == catalog::Operation::product;
    if (!request.quick && has_peer) algorithms = references(station, request.launch, notes);
    auto built = Rig::build(station.context.driver(), request.launch, library->product);
    if (!built) return built.error();
    station.rig = std::move(*built);
    Rig& rig = *station.rig;

    report({measure::Phase::verify, 0, 0});
    const base::Sentence cure =
        library->product ? base::say("build with another CUTLASS") : base::say("run `gemmscope check` on it");
    auto verified = verify(rig, algorithms.empty() ? nullptr : &algorithms.front(), cure, after(request.time_limit_s));
    if (!verified) return verified.error();

    Timings timings;
    for (CublasAlgorithm& algorithm : algorithms) timings.references.push_back({std::move(algorithm), {}});
    report({measure::Phase::warm_up, 0, 0});
    Status done = base::Done{};
    if (!request.quick) done = warm_up(rig, station.nvml, after(request.time_limit_s), timings);
    if (!done) return done.error();
    report({measure::Phase::samples, 0, request.max_samples});
    measure::StopRule rule{.most = request.max_samples, .time_limit_s = request.time_limit_s / 2};
    const Settling settling{station.nvml, station.device.sm_clock_mhz,
                            std::min(measure::settle_at_limit_s, request.time_limit_s / 8)};
    done = take_samples(rig, rule, settling, 2 * request.time_limit_s, report, timings);
    if (!done) return done.error();
    if (request.quick) return measure::NotedPoint{point_of(station, request.launch, *library, timings, *verified), {}};
    if (settling.at_limit()) {
        report({measure::Phase::energy, 0, 0});
        done = count_energy(rig, settling, 2 * request.time_limit_s, timings);
        if (!done) return done.error();
    }
    report({measure::Phase::back_to_back, 0, 0});
    done = back_to_back(rig, station.nvml, request.time_limit_s, after(2 * request.time_limit_s), timings);
    if (!done) return done.error();
    // What was timed is right as long as the kernel still is after hundreds of launches.
    if (auto still = verify(rig, nullptr, cure, after(request.time_limit_s)); !still) return still.error();
    add_notes(notes, station, timings);
    return measure::NotedPoint{point_of(station, request.launch, *library, timings, *verified), std::move(notes)};
}

base::Result<RunResult> run(Station& station, const RunRequest& request) {
    auto built = Rig::build(station.context.driver(), request.launch);
    if (!built) return built.error();
    station.rig = std::move(*built);
    Rig& rig = *station.rig;
    RunResult result;
    auto c = rig.result_of([&] { return rig.launch_kernel(); }, after(request.time_limit_s), &result.ms);
    if (!c) return c.error();
    measure::Reference expected = measure::reference(rig.operands());
    result.max_rel_error = measure::max_abs_error(expected, *c) / expected.largest;
    result.hash = base::hash({reinterpret_cast<const char*>(c->bytes().data()), c->bytes().size()});
    result.device = station.device.name;
    if (request.values) result.c = std::move(*c);
    return result;
}

} // namespace gpu
