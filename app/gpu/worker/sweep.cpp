#include "gpu/worker/sweep.h"

#include "base/clock.h"
#include "gpu/worker/rig.h"
#include "gpu/worker/sweep_bench.h"
#include "measure/statistics.h"
#include "measure/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace gpu {
namespace {

using base::Clock;
using base::Error;
using base::Failure;
using base::seconds_since;
using base::Status;

constexpr double reference_age_s = 5; // then cuBLAS is measured again
constexpr double settle_ms = 2;       // of work before the first sample: caches and clocks

// What a launch's matrices and C depend on, its kernel aside.
bool same_matrices(const Launch& a, const Launch& b) {
    return a.problem == b.problem && a.operation == b.operation && a.operands == b.operands &&
           a.row_alignment == b.row_alignment && a.placement == b.placement && a.alpha == b.alpha && a.beta == b.beta &&
           a.seed == b.seed;
}

// Until the rule is content. `time` gives the ms of one launch.
template <class Time>
base::Result<std::vector<double>> take_samples(Time time) {
    std::vector<double> all;
    const auto begin = Clock::now();
    while (measure::stop(measure::sweep_rule, all, {}, seconds_since(begin)) == measure::Stop::not_yet) {
        auto ms = time();
        if (!ms) return ms.error();
        all.push_back(*ms);
    }
    return all;
}

// An interval of the median where there is one; of fewer than six samples half their range, which holds it less surely.
double spread(const std::vector<double>& ms) {
    return static_cast<int>(ms.size()) >= measure::sweep_rule.least ? measure::median_spread(ms)
                                                                    : measure::half_range(ms);
}

} // namespace

base::Result<std::unique_ptr<SweepField>> SweepField::make(Station& station, const Launch& launch,
                                                           double time_limit_s) {
    const Driver& driver = station.context.driver();
    auto rig = Rig::build(driver, launch);
    if (!rig) return rig.error();
    std::unique_ptr<SweepField> field(new SweepField(std::move(*rig)));
    measure::Operands operands = field->rig_->operands();
    operands.rounding = 1;
    field->expected_ = measure::reference(operands);
    if (launch.operation != catalog::Operation::product) return field;
    std::vector<std::string> notes;
    if (!station.cublas) station.cublas = Cublas::open(driver);
    if (!*station.cublas) return field; // verified on the host, and without a reference
    auto algorithms = (*station.cublas)->algorithms(launch, notes);
    if (!algorithms) return field;
    if (auto done = field->choose(std::move(*algorithms), (*station.cublas)->version(), time_limit_s); !done)
        return done.error();
    if (auto done = field->keep_right(driver, time_limit_s); !done) return done.error();
    return field;
}

// The fastest, after the clocks have risen. An algorithm that cuBLAS names but does not start is left out.
Status SweepField::choose(std::vector<CublasAlgorithm> algorithms, const std::string& version, double time_limit_s) {
    const auto begin = Clock::now();
    do {
        std::erase_if(algorithms, [&](const CublasAlgorithm& a) { return !rig_->launch_cublas(a); });
        if (auto done = rig_->watch().finish(after(time_limit_s)); !done) return done;
    } while (!algorithms.empty() && seconds_since(begin) < measure::warm_up_s);
    for (CublasAlgorithm& algorithm : algorithms) {
        std::vector<double> ms;
        while (ms.size() < trial_samples) {
            auto one = rig_->time_cublas(algorithm, after(time_limit_s));
            if (!one) return one.error();
            ms.push_back(*one);
        }
        if (cublas_ && measure::median(ms) >= cublas_ms_) continue;
        cublas_ms_ = measure::median(ms);
        cublas_name_ = fmt::format("{} {}", version, algorithm.name);
        cublas_.emplace(std::move(algorithm));
    }
    return base::Done{};
}

// cuBLAS's C, with which the kernels' are compared; itself held against float64 first.
Status SweepField::keep_right(const Driver& driver, double time_limit_s) {
    if (!cublas_) return base::Done{};
    auto c = rig_->result_of([&] { return rig_->launch_cublas(*cublas_); }, after(time_limit_s));
    if (!c) return c.error();
    Launch launch = rig_->launch();
    launch.kernel = "cuBLAS";
    if (auto right = measure::relative_error(launch, expected_, measure::max_abs_error(expected_, *c), {}); !right)
        return right.error();
    auto kept = DeviceArray::allocate(driver, rig_->c().bytes());
    if (!kept) return kept.error();
    if (auto done = kept->copy(rig_->c()); !done) return done;
    right_.emplace(std::move(*kept));
    auto worst = DeviceArray::allocate(driver, sizeof(float));
    if (!worst) return worst.error();
    worst_.emplace(std::move(*worst));
    return base::Done{};
}

Status SweepField::refresh_cublas(const Nvml& nvml, double time_limit_s, int& clock_mhz) {
    if (!cublas_ || (measured_ && seconds_since(*measured_) < reference_age_s)) return base::Done{};
    auto ms = take_samples([&] { return rig_->time_cublas(*cublas_, after(time_limit_s)); });
    if (!ms) return ms.error();
    if (auto done = rig_->launch_cublas(*cublas_); !done) return done;
    clock_mhz = nvml.sm_mhz(); // while it runs
    if (auto done = rig_->watch().finish(after(time_limit_s)); !done) return done;
    cublas_ms_ = measure::median(*ms);
    measured_ = Clock::now();
    return base::Done{};
}

// Of C as it is now from what it should be.
base::Result<double> SweepField::largest_difference(const Launch& compare, const LoadedKernel& comparer,
                                                    double time_limit_s) {
    if (!right_) {
        auto c = rig_->download();
        if (!c) return c.error();
        return measure::max_abs_error(expected_, *c);
    }
    const catalog::Matrix matrix = rig_->launch().matrix('C');
    int rows = matrix.rows, columns = matrix.columns;
    uint64_t leading = matrix.layout().leading_dimension();
    CUdeviceptr c = rig_->c().address(), right = right_->address(), bits = worst_->address();
    void* arguments[] = {&rows, &columns, &leading, &c, &right, &bits};
    if (auto done = worst_->clear(); !done) return done.error();
    if (auto done = comparer.run(compare.grid, compare.block, 0, arguments); !done) return done.error();
    if (auto done = rig_->watch().finish(after(time_limit_s)); !done) return done.error();
    uint32_t found = 0;
    if (auto done = worst_->download(std::as_writable_bytes(std::span(&found, 1))); !done) return done.error();
    return static_cast<double>(std::bit_cast<float>(found));
}

Status SweepField::verify(const SweepRequest& request, const LoadedKernel& comparer) {
    const Launch& launch = rig_->launch();
    if (auto done = rig_->reset(); !done) return done;
    auto first = rig_->time_kernel(after(request.time_limit_s));
    if (!first) return first.error();
    first_ms_ = *first;
    auto error = largest_difference(request.compare, comparer, request.time_limit_s);
    if (!error) return error.error();
    measure::Reference expected;
    expected.largest = expected_.largest;
    expected.tolerance = expected_.tolerance * catalog::tolerance(launch.operands, launch.problem.k, launch.rounding) /
                         catalog::tolerance(launch.operands, launch.problem.k, 1);
    if (auto right = measure::relative_error(launch, expected, *error, {}); !right) return right.error();
    return base::Done{};
}

Status SweepField::measure(Station& station, const SweepRequest& request, const Launch& launch,
                           const LoadedKernel& comparer, Swept::At& at, int& clock_mhz) {
    if (auto done = rig_->exchange(station.context.driver(), launch); !done) return done;
    if (auto done = refresh_cublas(station.nvml, request.time_limit_s, clock_mhz); !done) return done;
    at.cublas_ms = cublas_ms_;
    at.cublas = cublas_name_;
    if (auto done = verify(request, comparer); !done) return done;
    const auto time = [&] { return rig_->time_kernel(after(request.time_limit_s)); };
    for (double settled = first_ms_; settled < settle_ms;) {
        auto ms = time();
        if (!ms) return ms.error();
        settled += std::max(*ms, 0.01);
    }
    auto ms = take_samples(time);
    if (!ms) return ms.error();
    at.ms = measure::median(*ms);
    at.samples = static_cast<int>(ms->size());
    at.spread = spread(*ms);
    if (!(at.ms > 0))
        return Error{Failure::check_failed, base::say("the GPU's clock says that it took no time"), {}, {}};
    return base::Done{};
}

base::Result<SweepField*> SweepBench::field_for(Station& station, const Launch& launch, double time_limit_s) {
    // cuBLAS's handle multiplies in the precision that was chosen last: that of the newest field.
    std::erase_if(fields_, [&](const auto& field) { return field->launch().operands != launch.operands; });
    for (const auto& field : fields_)
        if (same_matrices(field->launch(), launch)) return field.get();
    auto made = SweepField::make(station, launch, time_limit_s);
    if (!made && !fields_.empty() && made.error().failure == Failure::missing) { // there is no room beside the others
        fields_.clear();
        made = SweepField::make(station, launch, time_limit_s);
    }
    if (!made) return made.error();
    fields_.push_back(std::move(*made));
    return fields_.back().get();
}

base::Result<const LoadedKernel*> SweepBench::comparer(const Driver& driver, const Launch& compare) {
    if (!comparer_ || image_ != compare.image) {
        auto loaded = LoadedKernel::load(driver, compare);
        if (!loaded) return loaded.error();
        comparer_.reset();
        comparer_.emplace(std::move(*loaded));
        image_ = compare.image;
    }
    return &*comparer_;
}

base::Result<Swept> sweep(Station& station, const SweepRequest& request, const Report& report) {
    if (!station.sweep_bench) station.sweep_bench = std::make_unique<SweepBench>();
    auto comparer = station.sweep_bench->comparer(station.context.driver(), request.compare);
    if (!comparer) return comparer.error();
    Swept swept;
    std::string lost;
    for (const SweepRequest::Size& size : request.sizes) {
        Swept::At& at = swept.sizes.emplace_back();
        if (!lost.empty()) {
            at.failed = lost;
            continue;
        }
        report({measure::Phase::samples, static_cast<int>(swept.sizes.size()), static_cast<int>(request.sizes.size())});
        const Launch launch = request.at(size);
        auto field = station.sweep_bench->field_for(station, launch, request.time_limit_s);
        const Status done = field ? (*field)->measure(station, request, launch, **comparer, at, swept.sm_clock_mhz)
                                  : Status(field.error());
        if (done) continue;
        at.ms = 0, at.samples = 0, at.spread = 0;
        at.failed = done.error().what.english();
        swept.lost = !usable(station.context.driver());
        if (swept.lost)
            lost = fmt::format("not tried after {} x {} x {}: {}", size.problem.m, size.problem.n, size.problem.k,
                               at.failed);
    }
    return swept;
}

} // namespace gpu
