#include "session/speeds.h"

#include "catalog/rules.h"

#include <algorithm>
#include <tuple>

namespace session {
namespace {

using catalog::Problem;
using catalog::Values;

Problem size_of(const measure::Sample& sample) { return {sample.m, sample.n, sample.k}; }

// The next legal value of a parameter's slider, upwards or downwards; nothing: there is none.
std::optional<int> next_value(const std::vector<catalog::Choice>& choices, int now, int direction) {
    std::optional<int> found;
    for (const catalog::Choice& choice : choices) {
        const bool beyond = direction > 0 ? choice.value > now : choice.value < now;
        if (!choice.broken && beyond && (!found || direction < 0)) found = choice.value; // they ascend
    }
    return found;
}

} // namespace

Speeds::Speeds(std::shared_ptr<const catalog::Kernel> kernel, const std::vector<KernelSweep>& sweeps,
               const std::vector<measure::Series>& series, std::string device)
    : kernel_(std::move(kernel)), device_(std::move(device)) {
    const bool has_peer = kernel_->operation == catalog::Operation::product &&
                          catalog::cublas_operands(kernel_->operands) == kernel_->operands;
    for (const measure::Series& one : series) {
        const bool beside = has_peer && measure::is_cublas(one) && one.operands == kernel_->operands;
        if (one.device == device_ && (one.kernel == kernel_->id || beside)) series_.push_back(&one);
    }
    for (const KernelSweep& sweep : sweeps)
        if (!sweep.stale && sweep.record->device() == device_) sweeps_.push_back(sweep);
}

template <class F>
void Speeds::each_setting(F f) const {
    for (const measure::Series* series : series_)
        if (series->kernel == kernel_->id)
            for (const measure::Sample& sample : series->settings) f(*series, sample);
}

double Speeds::cublas_at(measure::Origin origin, const Problem& size) const {
    for (const measure::Series* series : series_)
        if (series->kernel.empty() && series->origin == origin)
            for (const measure::Sample& sample : series->samples)
                if (size_of(sample) == size) return sample.gflops;
    return 0;
}

std::optional<Speed> Speeds::measured_alone(measure::Origin origin, const Values& values, const Problem& size) const {
    std::optional<Speed> found;
    each_setting([&](const measure::Series& series, const measure::Sample& sample) {
        if (series.origin == origin && size_of(sample) == size && sample.parameters == values)
            found = {sample.gflops, cublas_at(origin, size), {}, origin, series.device, series.date, series.source};
    });
    return found;
}

std::optional<Speed> Speeds::at(const Values& values, const Problem& size) const {
    if (auto live = measured_alone(measure::Origin::live, values, size)) return live;
    for (const KernelSweep& sweep : sweeps_) // the user's own first
        if (const measure::SweepPoint* point = sweep.record->find(values, size)) {
            const measure::SweepSource& by = sweep.record->sources()[static_cast<size_t>(point->source)];
            return Speed{point->gflops,
                         point->cublas_gflops,
                         point->reason,
                         sweep.own ? measure::Origin::live : measure::Origin::recorded,
                         sweep.record->device(),
                         by.date,
                         by.command};
        }
    return measured_alone(measure::Origin::recorded, values, size);
}

std::optional<Speeds::Best> Speeds::best(const Problem& size) const {
    std::optional<Best> best;
    const auto offer = [&](const Values& values) {
        const auto speed = at(values, size);
        if (speed && speed->gflops > (best ? best->speed.gflops : 0)) best = {values, *speed};
    };
    for (const KernelSweep& sweep : sweeps_)
        if (const measure::SweepPoint* point = sweep.record->best(size)) offer(sweep.record->setting(*point));
    each_setting([&](const measure::Series&, const measure::Sample& sample) {
        if (size_of(sample) == size && sample.parameters.size() == kernel_->parameters.size()) offer(sample.parameters);
    });
    return best;
}

std::optional<Speeds::Best> Speeds::best_neighbour(const Values& values, const Problem& size) const {
    std::optional<Best> best;
    for (const catalog::Parameter& parameter : kernel_->parameters) {
        const auto choices = catalog::choices(*kernel_, values, parameter.name);
        for (const int direction : {-1, 1}) {
            const auto next = next_value(choices, values.at(parameter.name), direction);
            if (!next) continue;
            Values beside = values;
            beside[parameter.name] = *next;
            const auto speed = at(beside, size);
            if (speed && speed->gflops > (best ? best->speed.gflops : 0)) best = {std::move(beside), *speed};
        }
    }
    return best;
}

// Ascending, and whether there is more than one setting to compare.
std::vector<std::pair<Problem, bool>> Speeds::known_sizes() const {
    struct Known {
        Problem size;
        const Values* only; // nullptr: there are several settings
    };
    std::vector<Known> all;
    const auto add = [&](const Problem& size, const Values* setting) {
        const auto same = std::find_if(all.begin(), all.end(), [&](const Known& known) { return known.size == size; });
        if (same == all.end()) all.push_back({size, setting});
        else if (!setting || (same->only && *same->only != *setting)) same->only = nullptr;
    };
    for (const KernelSweep& sweep : sweeps_)
        for (const Problem& size : sweep.record->sizes()) add(size, nullptr);
    each_setting(
        [&](const measure::Series&, const measure::Sample& sample) { add(size_of(sample), &sample.parameters); });
    const auto key = [](const Problem& p) { return std::tuple(double(p.m) * p.n, p.m, p.n, p.k); };
    std::sort(all.begin(), all.end(), [&](const Known& x, const Known& y) { return key(x.size) < key(y.size); });
    std::vector<std::pair<Problem, bool>> sizes;
    for (const Known& known : all) sizes.emplace_back(known.size, known.only == nullptr);
    return sizes;
}

std::vector<Problem> Speeds::sizes() const {
    std::vector<Problem> sizes;
    for (const auto& [size, several] : known_sizes()) sizes.push_back(size);
    return sizes;
}

std::vector<Problem> Speeds::compared_sizes() const {
    std::vector<Problem> sizes;
    for (const auto& [size, several] : known_sizes())
        if (several) sizes.push_back(size);
    return sizes;
}

SpeedMap speed_map(const Speeds& speeds, const Values& values, const Problem& size, const std::string& columns,
                   const std::string& rows) {
    const catalog::Kernel& kernel = speeds.kernel();
    const auto offered = [&](const std::string& name) {
        return kernel.parameters[catalog::parameter_index(kernel, name)].values;
    };
    SpeedMap map{offered(columns), offered(rows), {}};
    const auto rules = catalog::Rules::of(kernel);
    for (const int row : map.rows)
        for (const int column : map.columns) {
            SpeedMap::Cell cell{values, nullptr, {}};
            cell.values[rows] = row, cell.values[columns] = column;
            if (const auto broken = rules->first_broken(catalog::row_of(kernel, cell.values)))
                cell.broken = &kernel.rules[*broken];
            else cell.speed = speeds.at(cell.values, size);
            if (const double gflops = cell.gflops(); gflops > 0) {
                map.least = map.least > 0 ? std::min(map.least, gflops) : gflops;
                map.most = std::max(map.most, gflops);
            }
            map.cells.push_back(std::move(cell));
        }
    return map;
}

std::string speed_device(const catalog::Kernel& kernel, const std::vector<KernelSweep>& sweeps,
                         const std::vector<measure::Series>& series, const std::string& here,
                         const std::string& otherwise) {
    const bool swept = std::any_of(sweeps.begin(), sweeps.end(), [&](const KernelSweep& sweep) {
        return !sweep.stale && sweep.record->device() == here;
    });
    const bool run = std::any_of(series.begin(), series.end(), [&](const measure::Series& one) {
        return one.kernel == kernel.id && one.device == here;
    });
    return !here.empty() && (swept || run) ? here : otherwise;
}

} // namespace session
