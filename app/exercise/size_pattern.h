// A size of a product as an exercise writes it, "256x{33..300}x64": numbers, and ranges from which each student's number is drawn.
#pragma once

#include "base/result.h"
#include "catalog/kernel.h"

#include <array>
#include <string>
#include <string_view>

namespace exercise {

// What is drawn for one student. The same text draws the same on every machine.
class Draw {
public:
    explicit Draw(std::string seed) : seed_(std::move(seed)) {}
    // A whole number from `least` to `most`, both included; `name` tells one draw from another.
    int64_t between(std::string_view name, int64_t least, int64_t most) const;

private:
    std::string seed_;
};

struct SizePattern {
    struct Range {
        int least = 1, most = 1;
        bool operator==(const Range&) const = default;
    };
    std::string text;               // as written
    std::array<Range, 3> extents{}; // of M, N and K
    bool is_drawn() const;
    catalog::Problem largest() const;
    catalog::Problem draw(const Draw&, std::string_view name) const;
};

// Errors: another form, a size below 1, or a range that ends before it begins.
base::Result<SizePattern> parse_size(std::string_view);

std::string size_text(const catalog::Problem&); // "256 x 256 x 256"

} // namespace exercise
