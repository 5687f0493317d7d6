// What is known of the values of one parameter of a kernel, the others as they are: how fast it is with each,
// and what the caches answered.
#pragma once

#include "session/speeds.h"
#include "views/plot_data.h"

namespace views {

struct ValueEffect {
    int value = 0;
    const catalog::Rule* broken = nullptr;     // that forbids it beside the other values
    std::optional<session::Speed> speed;       // at exactly this size
    const measure::Profile* profile = nullptr; // likewise
    bool measured() const { return speed && speed->gflops > 0; }
    bool known() const { return speed || profile; }
};

// What was measured of a kernel. Pointers into the session.
struct Measured {
    session::Speeds speeds;
    std::vector<const measure::Profile*> profiles; // on the speeds' device, else on another, all on one
};
Measured measured(session::Speeds, const std::vector<measure::Profile>&);

// Of every value that the kernel's file offers, and of the current one, ascending.
std::vector<ValueEffect> effect(const Measured&, const catalog::Values& now, const std::string& parameter,
                                const catalog::Problem&);

// The sizes at which two values or more are known, so that there is an effect to see; ascending.
std::vector<catalog::Problem> effect_sizes(const Measured&, const catalog::Values& now, const std::string& parameter);

// `chosen` if the kernel has it, else the parameter of which most is known, else its first; empty: it has
// none.
std::string compared_parameter(const Measured&, const catalog::Values& now, const std::string& chosen);

// Of one launch: what the kernel computes at that size, at that speed.
double milliseconds(const catalog::Kernel&, const catalog::Problem&, const session::Speed&);

} // namespace views
