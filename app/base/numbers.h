// Numbers as an array's memory holds them, whatever their type: f32, f64, bf16, or u32 of words of bits.
#pragma once

#include "base/number_type.h"

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace base {

class NumbersView {
public:
    NumbersView() = default;
    NumbersView(NumberType element, std::span<const std::byte> bytes) : element_(element), bytes_(bytes) {}
    NumbersView(std::span<const float> values) : NumbersView(NumberType::f32, std::as_bytes(values)) {}
    NumbersView(std::span<const double> values) : NumbersView(NumberType::f64, std::as_bytes(values)) {}
    NumbersView(const std::vector<float>& values) : NumbersView(std::span(values)) {}
    NumbersView(const std::vector<double>& values) : NumbersView(std::span(values)) {}

    NumberType element() const { return element_; }
    std::span<const std::byte> bytes() const { return bytes_; }
    size_t size() const { return bytes_.size() / bytes_of(element_); }
    bool empty() const { return bytes_.empty(); }

    double operator[](size_t i) const { // exact
        switch (element_) {
        case NumberType::f64: return stored<double>(i);
        case NumberType::bf16: return static_cast<double>(from_bf16(stored<uint16_t>(i)));
        case NumberType::u32: return static_cast<double>(stored<uint32_t>(i));
        default: return static_cast<double>(stored<float>(i));
        }
    }

private:
    template <class T>
    T stored(size_t i) const {
        T value;
        std::memcpy(&value, bytes_.data() + i * sizeof(T), sizeof(T));
        return value;
    }

    NumberType element_ = NumberType::f32;
    std::span<const std::byte> bytes_;
};

class Numbers {
public:
    Numbers() = default;
    Numbers(NumberType element, size_t count) : element_(element), bytes_(count * bytes_of(element)) {} // zeros
    explicit Numbers(NumbersView values)
        : element_(values.element()), bytes_(values.bytes().begin(), values.bytes().end()) {}

    NumbersView view() const { return {element_, bytes_}; }
    operator NumbersView() const { return view(); }
    NumberType element() const { return element_; }
    std::span<std::byte> bytes() { return bytes_; }
    std::span<const std::byte> bytes() const { return bytes_; }
    size_t size() const { return view().size(); }
    bool empty() const { return bytes_.empty(); }
    double operator[](size_t i) const { return view()[i]; }
    bool operator==(const Numbers&) const = default; // to the bit

private:
    NumberType element_ = NumberType::f32;
    std::vector<std::byte> bytes_;
};

} // namespace base
