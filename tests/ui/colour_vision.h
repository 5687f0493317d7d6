// How far apart two colours look, also to those who lack one kind of cone.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace colour_vision {

enum class Kind { normal, protanopia, deuteranopia, tritanopia };
constexpr Kind kinds[] = {Kind::normal, Kind::protanopia, Kind::deuteranopia, Kind::tritanopia};

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

inline Vector operator*(const Matrix& m, const Vector& v) {
    Vector product{};
    for (size_t row = 0; row < 3; ++row)
        for (size_t i = 0; i < 3; ++i) product[row] += m[row][i] * v[i];
    return product;
}

// What is seen of linear RGB. G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A Physiologically-based Model for Simulation of
// Color Vision Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (2009) 1291-1298: severity 1.0.
inline const Matrix& seen_by(Kind kind) {
    static constexpr Matrix of[] = {
        {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
        {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
        {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
        {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
    };
    return of[static_cast<size_t>(kind)];
}

// CIELAB, D65, of an opaque sRGB colour (IEC 61966-2-1) as it is seen.
inline Vector lab(ImU32 colour, Kind kind = Kind::normal) {
    const auto linear = [&](int shift) {
        const double value = static_cast<double>(colour >> shift & 255) / 255;
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    Vector rgb = seen_by(kind) * Vector{linear(IM_COL32_R_SHIFT), linear(IM_COL32_G_SHIFT), linear(IM_COL32_B_SHIFT)};
    for (double& channel : rgb) channel = std::clamp(channel, 0.0, 1.0);
    constexpr Matrix to_xyz{
        {{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}};
    const Vector xyz = to_xyz * rgb;
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

// CIEDE2000. G. Sharma, W. Wu, E. N. Dalal, "The CIEDE2000 Color-Difference Formula", Color Research and Application 30 (2005) 21-30;
// the numbers are those of its equations. About 1 is the least that anybody notices side by side.
inline double difference(const Vector& first, const Vector& second) {
    constexpr double degrees = 180 / 3.14159265358979323846;
    const auto seventh = [](double c) { return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7))); };
    const double g = 0.5 * (1 - seventh((std::hypot(first[1], first[2]) + std::hypot(second[1], second[2])) / 2)); // 4
    const double a1 = (1 + g) * first[1], a2 = (1 + g) * second[1];                                                // 5
    const double c1 = std::hypot(a1, first[2]), c2 = std::hypot(a2, second[2]);                                    // 6
    const auto hue = [&](double a, double b) {                                                                     // 7
        const double angle = a == 0 && b == 0 ? 0 : std::atan2(b, a) * degrees;
        return angle < 0 ? angle + 360 : angle;
    };
    const double h1 = hue(a1, first[2]), h2 = hue(a2, second[2]);
    const bool grey = c1 * c2 == 0;
    double turn = grey ? 0 : h2 - h1; // 10
    if (turn > 180) turn -= 360;
    if (turn < -180) turn += 360;
    const double dh = 2 * std::sqrt(c1 * c2) * std::sin(turn / 2 / degrees); // 11
    const double l = (first[0] + second[0]) / 2, c = (c1 + c2) / 2;          // 12, 13
    double h = grey ? h1 + h2 : (h1 + h2) / 2;                               // 14
    if (!grey && std::abs(h1 - h2) > 180) h += h < 180 ? 180 : -180;
    const auto cosine = [&](double angle) { return std::cos(angle / degrees); };
    const double t =
        1 - 0.17 * cosine(h - 30) + 0.24 * cosine(2 * h) + 0.32 * cosine(3 * h + 6) - 0.20 * cosine(4 * h - 63); // 15
    const double rotation = 30 * std::exp(-std::pow((h - 275) / 25, 2));                                         // 16
    const double sl = 1 + 0.015 * std::pow(l - 50, 2) / std::sqrt(20 + std::pow(l - 50, 2));                     // 18
    const double sc = 1 + 0.045 * c, sh = 1 + 0.015 * c * t;              // 19, 20
    const double rt = -std::sin(2 * rotation / degrees) * 2 * seventh(c); // 17, 21
    const double x = (second[0] - first[0]) / sl, y = (c2 - c1) / sc, z = dh / sh;
    return std::sqrt(x * x + y * y + z * z + rt * y * z); // 22
}

inline double difference(ImU32 first, ImU32 second, Kind kind) {
    return difference(lab(first, kind), lab(second, kind));
}

} // namespace colour_vision
