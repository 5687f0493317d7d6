// An OpenGL 3.3 context and a colour buffer without any display: EGL on a device, or on Mesa's surfaceless platform.
#pragma once

#include "base/result.h"

#include <memory>

namespace ui {

class Offscreen {
public:
    // Makes the context current on this thread, its buffer bound. Errors: Failure::missing with EGL's reason and the
    // package to install; Failure::usage for a size that the buffer cannot have.
    static base::Result<Offscreen> create(int width, int height);
    Offscreen(Offscreen&&) noexcept;
    ~Offscreen();

private:
    struct Impl;
    explicit Offscreen(std::unique_ptr<Impl>);
    std::unique_ptr<Impl> impl_;
};

} // namespace ui
