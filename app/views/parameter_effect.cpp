#include "views/parameter_effect.h"

#include "catalog/rules.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace views {
namespace {

bool earlier(const catalog::Problem& a, const catalog::Problem& b) {
    const auto key = [](const catalog::Problem& p) { return std::tuple(double(p.m) * p.n * p.k, p.m, p.n, p.k); };
    return key(a) < key(b);
}

// The values of the parameter that are known beside the other values, by size.
auto known_values(const Measured& measured, const catalog::Values& now, const std::string& parameter) {
    std::map<catalog::Problem, std::set<int>, decltype(&earlier)> found(&earlier);
    const catalog::Kernel& kernel = measured.speeds.kernel();
    std::vector<int> values = kernel.parameters[catalog::parameter_index(kernel, parameter)].values;
    values.push_back(now.at(parameter));
    catalog::Values setting = now;
    for (const int value : values) {
        setting[parameter] = value;
        for (const catalog::Problem& size : measured.speeds.sizes())
            if (measured.speeds.at(setting, size)) found[size].insert(value);
        for (const measure::Profile* profile : measured.profiles)
            if (profile->parameters == setting) found[profile->problem].insert(value);
    }
    return found;
}

} // namespace

Measured measured(session::Speeds speeds, const std::vector<measure::Profile>& profiles) {
    Measured found{std::move(speeds), {}};
    const std::string& kernel = found.speeds.kernel().id;
    std::string device;
    for (const measure::Profile& profile : profiles)
        if (profile.kernel == kernel && (device.empty() || profile.device == found.speeds.device()))
            device = profile.device;
    for (const measure::Profile& profile : profiles)
        if (profile.kernel == kernel && profile.device == device) found.profiles.push_back(&profile);
    return found;
}

std::vector<ValueEffect> effect(const Measured& measured, const catalog::Values& now, const std::string& parameter,
                                const catalog::Problem& size) {
    std::vector<ValueEffect> effects;
    catalog::Values setting = now;
    std::vector<catalog::Choice> choices = catalog::choices(measured.speeds.kernel(), now, parameter);
    const int current = now.at(parameter);
    const auto place = std::lower_bound(choices.begin(), choices.end(), current,
                                        [](const catalog::Choice& choice, int value) { return choice.value < value; });
    if (place == choices.end() || place->value != current) choices.insert(place, {current, nullptr});
    for (const catalog::Choice& choice : choices) {
        setting[parameter] = choice.value;
        ValueEffect one{choice.value, choice.broken, measured.speeds.at(setting, size), nullptr};
        for (const measure::Profile* profile : measured.profiles)
            if (profile->parameters == setting && profile->problem == size) one.profile = profile;
        effects.push_back(one);
    }
    return effects;
}

std::vector<catalog::Problem> effect_sizes(const Measured& measured, const catalog::Values& now,
                                           const std::string& parameter) {
    std::vector<catalog::Problem> sizes;
    for (const auto& [size, values] : known_values(measured, now, parameter))
        if (values.size() > 1) sizes.push_back(size);
    return sizes;
}

std::string compared_parameter(const Measured& measured, const catalog::Values& now, const std::string& chosen) {
    std::string best;
    size_t most = 0;
    for (const catalog::Parameter& parameter : measured.speeds.kernel().parameters) {
        if (parameter.name == chosen) return chosen;
        size_t known = 0;
        for (const auto& [size, values] : known_values(measured, now, parameter.name))
            known = std::max(known, values.size());
        if (best.empty() || known > most) best = parameter.name, most = known;
    }
    return best;
}

double milliseconds(const catalog::Kernel& kernel, const catalog::Problem& size, const session::Speed& speed) {
    return catalog::operations(kernel.operation, size.m, size.n, size.k) / speed.gflops * 1e-6;
}

} // namespace views
