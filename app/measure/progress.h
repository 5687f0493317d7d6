// How far the measuring of a point has come.
#pragma once

namespace measure {

enum class Phase { inputs, verify, warm_up, samples, energy, back_to_back };

struct Progress {
    Phase phase = Phase::inputs;
    int done = 0, of = 0; // samples, where the phase is that
    bool operator==(const Progress&) const = default;
};

} // namespace measure
