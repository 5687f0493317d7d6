// What is known of the values of one parameter of a kernel, the others as they are: how fast it is with each,
// and what the caches answered.
#pragma once

#include "ui/plot_data.h"

namespace ui {

struct ValueEffect {
    int value = 0;
    const catalog::Rule* broken = nullptr; // that forbids it beside the other values
    std::optional<Figure>
        figure; // at exactly this size; what was measured here goes before what was recorded
    const gpu::Profile* profile = nullptr; // likewise
    bool known() const { return figure || profile; }
};

// What was measured of a kernel. Pointers into the session.
struct Measured {
    SeriesGroup group;                         // its series among others; may be none
    std::vector<const gpu::Profile*> profiles; // on the group's device, else on another, all on one
};
Measured measured(const SeriesGroup&, const std::vector<gpu::Profile>&, const std::string& kernel);

// Of every value that the kernel's file offers, and of the current one, ascending.
std::vector<ValueEffect> effect(const Measured&, const catalog::Kernel&, const catalog::Values& now,
                                const std::string& parameter, const catalog::Problem&);

// The sizes at which two values or more are known, so that there is an effect to see; ascending.
std::vector<catalog::Problem> effect_sizes(const Measured&, const catalog::Kernel&,
                                           const catalog::Values& now, const std::string& parameter);

// `chosen` if the kernel has it, else the parameter of which most is known, else its first; empty: it has
// none.
std::string compared_parameter(const Measured&, const catalog::Kernel&, const catalog::Values& now,
                               const std::string& chosen);

// Of one launch: what the kernel computes there, at the figure's speed.
double milliseconds(const Figure&);

} // namespace ui
