// What a slider can do to a kernel.
#pragma once

#include "catalog/catalog.h"
#include "session/view.h"

#include <algorithm>
#include <vector>

namespace bench {

// The views to which one slider leads from the kernel's initial values, each once.
inline std::vector<session::View> moves(const catalog::Kernel& kernel) {
    std::vector<session::View> views;
    const auto initial = catalog::initial_values(kernel);
    for (const auto& parameter : kernel.parameters) {
        for (int value : parameter.values) {
            auto moved = catalog::nearest_legal(kernel, initial, parameter.name, value);
            if (!moved || *moved == initial) continue;
            session::View view;
            view.subject.kernel = kernel.id;
            view.subject.parameters = *moved;
            if (std::find(views.begin(), views.end(), view) == views.end()) views.push_back(view);
        }
    }
    return views;
}

} // namespace bench
