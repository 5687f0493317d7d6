// Pictures that follow each other as one file for slides: an animated PNG (APNG, PNG's third edition).
#pragma once

#include "ui/opengl/picture.h"

#include <string>

namespace ui {

// A file that grows by frames; each holds only the rectangle in which it differs from the one before.
class Animation {
public:
    // `milliseconds`: how long a frame stays, at most 65535.
    explicit Animation(int milliseconds) : milliseconds_(milliseconds) {}

    // All are equally large. One that is the same as the one before lets that one stay longer. Errors: it cannot be encoded.
    base::Status add(const Picture&);

    size_t bytes() const { return frames_bytes_; }                 // so far, about
    double seconds() const { return milliseconds_ * shown_ / 1e3; } // of one turn
    // It begins again when it has ended.
    std::string done() const;

private:
    struct Frame {
        int x = 0, y = 0, width = 0, height = 0;
        int times = 1;    // as long as so many
        std::string data; // compressed rows
    };
    int milliseconds_;
    Picture last_;
    std::string header_; // of the first frame's file
    std::vector<Frame> frames_;
    size_t frames_bytes_ = 0;
    int shown_ = 0; // frames that were added
};

} // namespace ui
