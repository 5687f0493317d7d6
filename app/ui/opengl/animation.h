// Pictures that follow each other as one file for slides: an animated PNG (APNG, PNG's third edition), or GIF where that is not shown.
#pragma once

#include "ui/opengl/picture.h"

#include <string>

namespace ui {

// A file that grows by frames; each holds only the rectangle in which it differs from the one before.
class Animation {
public:
    enum class Format { apng, gif };
    // `milliseconds`: how long a frame stays.
    Animation(Format format, int milliseconds) : format_(format), milliseconds_(milliseconds) {}

    // All are equally large. One that is the same as the one before lets that one stay longer. Errors: it cannot be encoded.
    base::Status add(const Picture&);

    size_t bytes() const { return frames_bytes_; }                  // so far, about
    double seconds() const { return milliseconds_ * shown_ / 1e3; } // of one turn
    // It begins again when it has ended.
    std::string done() const;

private:
    struct Frame {
        int x = 0, y = 0, width = 0, height = 0;
        int times = 1;    // as long as so many
        std::string data; // compressed rows; of GIF the picture with its control
    };
    std::string apng() const;
    std::string gif() const;

    Format format_;
    int milliseconds_;
    Picture last_;
    std::string header_; // of the first frame's file
    std::vector<Frame> frames_;
    size_t frames_bytes_ = 0;
    int shown_ = 0; // frames that were added
};

} // namespace ui
