#include "ui/speed/sliders.h"

#include "ui/speed/speed.h"

#include "catalog/tuned.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace ui {

namespace {

constexpr std::array size_names{"m", "n", "k"};

int& size_of(catalog::Problem& problem, const std::string& name) {
    return name == "m" ? problem.m : name == "n" ? problem.n : problem.k;
}

std::vector<std::string> slider_names(const Context& context) {
    std::vector<std::string> names;
    if (const auto kernel = context.session.kernel()) names = catalog::parameter_names(*kernel);
    names.insert(names.end(), size_names.begin(), size_names.end());
    return names;
}

// By number, then by suffix.
auto place_of(const std::string& architecture) {
    const size_t digits = std::min(architecture.find_first_of("0123456789"), architecture.size());
    const std::string number = architecture.substr(digits);
    return std::pair(std::strtoul(number.c_str(), nullptr, 10), number);
}

} // namespace

catalog::Values default_values(const Context& context, const catalog::Kernel& kernel) {
    const session::Subject& subject = context.view.subject;
    return catalog::default_values(kernel, context.session.gpu().device, subject.arch, subject.problem);
}

catalog::Values values_in_force(const Context& context, const catalog::Kernel& kernel) {
    const catalog::Values& given = context.view.subject.parameters;
    if (given.empty()) return default_values(context, kernel);
    catalog::Values values = catalog::initial_values(kernel);
    for (auto& [name, value] : values)
        if (const auto found = given.find(name); found != given.end()) value = found->second;
    return values;
}

void set_parameter(Context& context, const catalog::Kernel& kernel, const std::string& name, int value) {
    const catalog::Values now = values_in_force(context, kernel);
    if (const auto found = now.find(name); found != now.end() && found->second == value) return;
    auto legal = catalog::nearest_legal(kernel, now, name, value);
    if (!legal) return; // the slider shows the reason where the mouse is
    context.view.subject.parameters = *std::move(legal);
    const auto axes = map_axes(context);
    if (!axes || axes->rows != name) context.view.parameter = name;
    context.view.selection.event = 0; // another program: the session looks for an interesting event
}

void set_size(Context& context, const std::string& name, int value) {
    int& size = size_of(context.view.subject.problem, name);
    const int next = std::clamp(value, 1, largest_size);
    if (size == next) return;
    size = next;
    context.view.selection.event = 0;
}

void focus_slider(Context& context, int direction) {
    const std::vector<std::string> names = slider_names(context);
    const auto count = std::ssize(names);
    const auto now = std::find(names.begin(), names.end(), context.chrome.focused_parameter) - names.begin();
    const auto next = now == count ? (direction > 0 ? 0 : count - 1) : (now + direction + count) % count;
    context.chrome.focused_parameter = names[static_cast<size_t>(next)];
}

size_t stop_at(float x, float first, float last, size_t count) {
    if (count < 2 || last <= first) return 0;
    const float place = std::clamp((x - first) / (last - first), 0.0f, 1.0f) * static_cast<float>(count - 1);
    return static_cast<size_t>(std::lround(place));
}

void slide(Context& context, int direction) {
    const std::string& name = context.chrome.focused_parameter;
    if (name.empty()) return;
    if (std::find(size_names.begin(), size_names.end(), name) != size_names.end()) {
        const int now = size_of(context.view.subject.problem, name);
        return set_size(context, name, direction > 0 ? now * 2 : now / 2);
    }
    const auto kernel = context.session.kernel();
    if (!kernel) return;
    const catalog::Parameter* parameter = catalog::find_parameter(*kernel, name);
    if (!parameter) return;
    const int now = values_in_force(context, *kernel)[name];
    const std::vector<int>& all = parameter->values;
    if (direction > 0) {
        const auto above = std::upper_bound(all.begin(), all.end(), now);
        if (above != all.end()) set_parameter(context, *kernel, name, *above);
    } else {
        const auto here = std::lower_bound(all.begin(), all.end(), now);
        if (here != all.begin()) set_parameter(context, *kernel, name, *(here - 1));
    }
}

std::optional<std::string> neighbour(const std::vector<std::string>& architectures, const std::string& now,
                                     int direction) {
    std::optional<std::string> nearest;
    for (const std::string& one : architectures) {
        const bool beyond = direction > 0 ? place_of(one) > place_of(now) : place_of(one) < place_of(now);
        if (beyond &&
            (!nearest || (direction > 0 ? place_of(one) < place_of(*nearest) : place_of(one) > place_of(*nearest))))
            nearest = one;
    }
    return nearest;
}

} // namespace ui
