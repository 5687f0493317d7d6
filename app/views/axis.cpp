#include "views/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace views {

Axis::Axis(Scale scale, double low, double high, float pixel_low, float pixel_high)
    : scale_(scale), low_(low), high_(high), pixel_low_(pixel_low), pixel_high_(pixel_high) {}

double Axis::position(double value) const {
    if (scale_ == Scale::linear) return (value - low_) / (high_ - low_);
    return std::log2(std::max(value, low_ * 1e-6) / low_) / std::log2(high_ / low_);
}

float Axis::pixel(double value) const {
    return pixel_low_ + static_cast<float>(position(value)) * (pixel_high_ - pixel_low_);
}

double Axis::value(float pixel) const {
    const double at = (pixel - pixel_low_) / (pixel_high_ - pixel_low_);
    return scale_ == Scale::linear ? low_ + at * (high_ - low_) : low_ * std::exp2(at * std::log2(high_ / low_));
}

std::vector<Tick> Axis::ticks(int most) const {
    most = std::max(most, 1);
    std::vector<Tick> ticks;
    if (scale_ != Scale::linear) {
        const double base = scale_ == Scale::log2 ? 2 : 10, unit = std::log2(base);
        const int first = static_cast<int>(std::ceil(std::log2(low_) / unit - 1e-9));
        const int last = static_cast<int>(std::floor(std::log2(high_) / unit + 1e-9));
        const int stride = std::max(1, (last - first + most) / most);
        for (int e = first; e <= last; ++e) {
            const double value = std::pow(base, e);
            ticks.push_back({value, (e - first) % stride == 0 ? short_number(value) : std::string()});
        }
        return ticks;
    }
    const double step = nice_above((high_ - low_) / most);
    for (double i = std::ceil(low_ / step - 1e-9); i * step <= high_ * (1 + 1e-9); ++i)
        ticks.push_back({i * step + 0.0, short_number(i * step + 0.0)}); // + 0.0: no "-0"
    return ticks;
}

double nice_above(double value) {
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double factor : {1.0, 2.0, 2.5, 5.0})
        if (factor * power >= value * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

double nice_top(double most, int steps) {
    const double step = nice_above(most / steps);
    return std::ceil(most / step - 1e-9) * step;
}

std::string short_number(double value) {
    if (std::abs(value) >= 100) return fmt::format("{:.0f}", value);
    std::string text = fmt::format("{:.3g}", value);
    if (const size_t zero = text.find("e-0"); zero != text.npos) text.erase(zero + 2, 1); // "1e-8"
    return text;
}

} // namespace views
