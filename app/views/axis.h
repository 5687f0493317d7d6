// Axes of a plot: from a value to a pixel and back, and the ticks that a reader expects.
#pragma once

#include <string>
#include <vector>

namespace views {

struct Tick {
    double value = 0;
    std::string label; // empty: a minor tick
};

class Axis {
public:
    enum class Scale { linear, log2, log10 };

    // `low` < `high`, both > 0 for the logarithms. Pixels may run either way (y grows downwards).
    Axis(Scale scale, double low, double high, float pixel_low, float pixel_high);

    float pixel(double value) const;
    double value(float pixel) const;
    double low() const { return low_; }
    double high() const { return high_; }

    // At most `most` labelled ticks: powers of two or of ten; on a linear axis 1, 2, 2.5 or 5 times a power
    // of ten.
    std::vector<Tick> ticks(int most) const;

private:
    double position(double value) const; // 0 at low, 1 at high
    Scale scale_;
    double low_, high_;
    float pixel_low_, pixel_high_;
};

// The smallest of 1, 2, 2.5, 5, 10 times a power of ten that is not below `value` (> 0).
double nice_above(double value);

// Where an axis from 0 that must hold `most` (> 0) ends: on a tick, with about so many steps.
double nice_top(double most, int steps);

// "0.25", "12.5", "4096", "1e-8": up to three significant digits below a thousand, no trailing zeros.
std::string short_number(double value);

} // namespace views
