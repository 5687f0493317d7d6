// Integer arithmetic over named values, with C's operators, precedence and division.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace catalog {

// + - * / % == != < <= > >= && || ! ?: ( ), and the functions
// ceil_div(a, b) min(a, ...) max(a, ...) abs(a) pow(a, b) log2(a) (rounded down) is_power_of_two(a).
class Expression {
public:
    // `names` are what the text may use. Errors: Failure::usage; say what is wrong and where in the text.
    static base::Result<Expression> parse(const std::string& text, std::span<const std::string> names);

    // `values` in the order of the names. Nothing if the result is not a number: a division by zero, a logarithm of 0,
    // or a result of 2^53 or more. && and || look at their second side only when it matters, as in C. Thread-safe.
    std::optional<int64_t> evaluate(std::span<const int64_t> values) const;

    const std::vector<size_t>& uses() const; // indices into `names`, ascending

    Expression(Expression&&) noexcept;
    Expression& operator=(Expression&&) noexcept;
    ~Expression();

private:
    struct Impl;
    explicit Expression(std::unique_ptr<Impl>);
    std::unique_ptr<Impl> impl_;
};

} // namespace catalog
