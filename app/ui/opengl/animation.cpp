#include "ui/opengl/animation.h"

#include "base/png.h"
#include "ui/opengl/gif.h"

#include <algorithm>

namespace ui {
namespace {

constexpr int longest = 65535; // a time, in two bytes

struct Box {
    int left = 0, top = 0, right = 0, bottom = 0;
    bool empty() const { return left >= right || top >= bottom; }
};

// Where two pictures of one size differ.
Box difference(const Picture& one, const Picture& other) {
    Box box{one.width, one.height, 0, 0};
    const auto row_bytes = static_cast<std::ptrdiff_t>(one.width) * 3;
    for (int y = 0; y < one.height; ++y) {
        const auto a = one.rgb.begin() + y * row_bytes, b = other.rgb.begin() + y * row_bytes;
        const auto first = std::mismatch(a, a + row_bytes, b).first;
        if (first == a + row_bytes) continue;
        auto last = row_bytes;
        while (a[last - 1] == b[last - 1]) --last;
        box.left = std::min(box.left, static_cast<int>((first - a) / 3));
        box.right = std::max(box.right, static_cast<int>((last + 2) / 3));
        box.top = std::min(box.top, y);
        box.bottom = y + 1;
    }
    return box;
}

// The box as four channels; what is as before is transparent: it costs next to nothing.
std::vector<uint8_t> part_of(const Picture& whole, const Box& box, const Picture* before) {
    std::vector<uint8_t> part;
    for (int y = box.top; y < box.bottom; ++y)
        for (int x = box.left; x < box.right; ++x) {
            const auto at = (static_cast<std::ptrdiff_t>(y) * whole.width + x) * 3;
            const auto pixel = whole.rgb.begin() + at;
            if (before && std::equal(pixel, pixel + 3, before->rgb.begin() + at)) part.insert(part.end(), 4, 0);
            else part.insert(part.end(), {pixel[0], pixel[1], pixel[2], 255});
        }
    return part;
}

std::string two_bytes(int value) { return {static_cast<char>(value >> 8 & 255), static_cast<char>(value & 255)}; }

} // namespace

base::Status Animation::add(const Picture& picture) {
    const bool first = frames_.empty();
    const Box box = first ? Box{0, 0, picture.width, picture.height} : difference(last_, picture);
    ++shown_;
    if (box.empty()) {
        ++frames_.back().times;
        return base::Done{};
    }
    Frame frame{box.left, box.top, box.right - box.left, box.bottom - box.top, 1, {}};
    const auto part = part_of(picture, box, first ? nullptr : &last_);
    if (format_ == Format::gif) {
        frame.data = gif_picture(frame.x, frame.y, frame.width, frame.height, part, 0);
    } else {
        const auto png = encode_png(frame.width, frame.height, 4, part);
        if (!png) return png.error();
        for (const base::PngChunk& chunk : base::png_chunks(*png)) {
            if (chunk.type == "IHDR" && first) header_ = chunk.data;
            if (chunk.type == "IDAT") frame.data += chunk.data;
        }
    }
    frames_bytes_ += frame.data.size();
    frames_.push_back(std::move(frame));
    last_ = picture;
    return base::Done{};
}

std::string Animation::done() const { return format_ == Format::gif ? gif() : apng(); }

std::string Animation::gif() const {
    std::string file = gif_header(frames_.front().width, frames_.front().height);
    for (const Frame& frame : frames_) {
        std::string data = frame.data;
        constexpr size_t time_at = 4; // in its control
        data.replace(time_at, 2, gif_number(std::min(milliseconds_ * frame.times / 10, longest)));
        file += data;
    }
    return file + ';';
}

std::string Animation::apng() const {
    uint32_t order = 0; // of fcTL and fdAT together
    std::string file = std::string(base::png_signature) + base::png_chunk("IHDR", header_) +
                       base::png_chunk("acTL", base::png_number(static_cast<uint32_t>(frames_.size())) +
                                                   base::png_number(0)); // for ever
    for (const Frame& frame : frames_) {
        const auto bytes = [](int value) { return base::png_number(static_cast<uint32_t>(value)); };
        const bool first = &frame == &frames_.front();
        file += base::png_chunk(
            "fcTL", base::png_number(order++) + bytes(frame.width) + bytes(frame.height) + bytes(frame.x) +
                        bytes(frame.y) + two_bytes(std::min(milliseconds_ * frame.times, longest)) + two_bytes(1000) +
                        std::string{'\0', first ? '\0' : '\1'}); // stays; over what was there
        file += first ? base::png_chunk("IDAT", frame.data)
                      : base::png_chunk("fdAT", base::png_number(order++) + frame.data);
    }
    return file + base::png_chunk("IEND", "");
}

} // namespace ui
