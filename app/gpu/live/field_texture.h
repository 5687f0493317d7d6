// A matrix of floats in OpenGL's memory, and its picture through a colour map. Needs a current OpenGL 3.3 context
// with glad loaded, in every call and in the destructor. Restores the OpenGL state that it changes.
#pragma once

#include "base/result.h"

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace gpu {

using Rgb = std::array<float, 3>; // 0..1

// Which part of the matrix is shown, and how.
constexpr float least_averaged =
    1.5f; // elements of a pixel, along either axis, below which it shows the one in its middle

struct FieldStyle {
    float first_column = 0, first_row = 0; // at the top left of the picture; may be outside
    float columns = 0, rows = 0;           // what it shows; 0: all
    float largest = 0; // the value at the end of the ramp, its negative at the beginning; 0: see LivePicture, else 1
    bool take_largest = false; // a pixel of several elements shows the largest of them; else their mean
    std::array<Rgb, 9> ramp{};
    Rgb not_a_number{}, outside{};
    bool operator==(const FieldStyle&) const = default;
};

class FieldTexture {
public:
    // `shaders` is the folder with field.vert and field.frag. Errors: what the shader compiler says.
    static base::Result<std::unique_ptr<FieldTexture>> create(const std::filesystem::path& shaders);
    ~FieldTexture();
    FieldTexture(const FieldTexture&) = delete;
    FieldTexture& operator=(const FieldTexture&) = delete;

    // Makes room for m rows of n floats, contents undefined. Errors: larger than OpenGL's textures may be.
    base::Status resize(int m, int n);
    void upload(std::span<const float> values, int first_row = 0); // whole rows, row-major
    std::vector<float> download() const;                           // m x n, row-major
    int rows() const { return m_; }
    int columns() const { return n_; }
    unsigned floats() const { return floats_; } // the GL_R32F texture: column x, row y
    void touched() { drawn_ = false; }          // its contents have changed by other means

    // An RGBA texture of that many pixels for ImGui::Image, row 0 of the matrix at v = 0. Drawn again only after a change.
    unsigned picture(int width, int height, const FieldStyle&);

private:
    FieldTexture() = default;
    void draw(int width, int height, const FieldStyle&);

    unsigned program_ = 0, vertices_ = 0, framebuffer_ = 0;
    unsigned floats_ = 0, picture_ = 0;
    int m_ = 0, n_ = 0, width_ = 0, height_ = 0;
    FieldStyle style_;
    bool drawn_ = false;
};

} // namespace gpu
