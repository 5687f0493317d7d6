// What the views of a traced block derive from it once and draw from in every frame. Panels keep nothing of their
// own; the window owns one of these and hands it to them in the Context.
#pragma once

#include "session/stages.h"

#include <memory>

namespace ui {

class Pictures {
public:
    Pictures();
    ~Pictures();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace ui
