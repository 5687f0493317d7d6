#include "ui/parameter_effect.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ui {
namespace {

bool earlier(const catalog::Problem& a, const catalog::Problem& b) {
    const auto key = [](const catalog::Problem& p) {
        return std::tuple(double(p.m) * p.n * p.k, p.m, p.n, p.k);
    };
    return key(a) < key(b);
}

// Calls f(setting, size) for all that is known of the kernel.
template <class F>
void each_known(const Measured& measured, const std::string& kernel, F f) {
    for (const gpu::Series* series : measured.group.series)
        if (series->kernel == kernel)
            for (const gpu::Sample& sample : series->settings)
                f(sample.parameters, catalog::Problem{sample.m, sample.n, sample.k});
    for (const gpu::Profile* profile : measured.profiles) f(profile->parameters, profile->problem);
}

// Whether a setting differs from `now` in the one parameter alone, if at all.
bool is_beside(const catalog::Values& setting, catalog::Values now, const std::string& parameter) {
    const auto value = setting.find(parameter);
    if (value == setting.end()) return false;
    now[parameter] = value->second;
    return setting == now;
}

// The values of the parameter that are known, by size.
auto known_values(const Measured& measured, const std::string& kernel, const catalog::Values& now,
                  const std::string& parameter) {
    std::map<catalog::Problem, std::set<int>, decltype(&earlier)> found(&earlier);
    each_known(measured, kernel, [&](const catalog::Values& setting, const catalog::Problem& size) {
        if (is_beside(setting, now, parameter)) found[size].insert(setting.at(parameter));
    });
    return found;
}

std::optional<Figure> figure_of(const SeriesGroup& group, const std::string& kernel,
                                const catalog::Values& setting, const catalog::Problem& size) {
    std::optional<Figure> best;
    for (const gpu::Series* series : group.series) {
        if (series->kernel != kernel || (best && best->series->origin <= series->origin)) continue;
        for (const gpu::Sample& sample : series->settings)
            if (sample.parameters == setting && catalog::Problem{sample.m, sample.n, sample.k} == size)
                best = {series, sample};
    }
    return best;
}

} // namespace

Measured measured(const SeriesGroup& group, const std::vector<gpu::Profile>& profiles,
                  const std::string& kernel) {
    Measured found{group, {}};
    std::string device;
    for (const gpu::Profile& profile : profiles)
        if (profile.kernel == kernel && (device.empty() || profile.device == group.device))
            device = profile.device;
    for (const gpu::Profile& profile : profiles)
        if (profile.kernel == kernel && profile.device == device) found.profiles.push_back(&profile);
    return found;
}

std::vector<ValueEffect> effect(const Measured& measured, const catalog::Kernel& kernel,
                                const catalog::Values& now, const std::string& parameter,
                                const catalog::Problem& size) {
    std::vector<ValueEffect> effects;
    catalog::Values setting = now;
    std::vector<catalog::Choice> choices = catalog::choices(kernel, now, parameter);
    const int current = now.at(parameter);
    const auto place =
        std::lower_bound(choices.begin(), choices.end(), current,
                         [](const catalog::Choice& choice, int value) { return choice.value < value; });
    if (place == choices.end() || place->value != current) choices.insert(place, {current, nullptr});
    for (const catalog::Choice& choice : choices) {
        setting[parameter] = choice.value;
        ValueEffect one{choice.value, choice.broken, figure_of(measured.group, kernel.id, setting, size),
                        nullptr};
        for (const gpu::Profile* profile : measured.profiles)
            if (profile->parameters == setting && profile->problem == size) one.profile = profile;
        effects.push_back(one);
    }
    return effects;
}

std::vector<catalog::Problem> effect_sizes(const Measured& measured, const catalog::Kernel& kernel,
                                           const catalog::Values& now, const std::string& parameter) {
    std::vector<catalog::Problem> sizes;
    for (const auto& [size, values] : known_values(measured, kernel.id, now, parameter))
        if (values.size() > 1) sizes.push_back(size);
    return sizes;
}

std::string compared_parameter(const Measured& measured, const catalog::Kernel& kernel,
                               const catalog::Values& now, const std::string& chosen) {
    std::string best;
    size_t most = 0;
    for (const catalog::Parameter& parameter : kernel.parameters) {
        if (parameter.name == chosen) return chosen;
        size_t known = 0;
        for (const auto& [size, values] : known_values(measured, kernel.id, now, parameter.name))
            known = std::max(known, values.size());
        if (best.empty() || known > most) best = parameter.name, most = known;
    }
    return best;
}

double milliseconds(const Figure& figure) {
    const gpu::Sample& s = figure.sample;
    return catalog::operations(figure.series->operation, s.m, s.n, s.k) / s.gflops * 1e-6;
}

} // namespace ui
