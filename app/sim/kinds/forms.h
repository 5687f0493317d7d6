// Linear forms of a block's index: what a number that a kernel computes changes by from block to block.
#pragma once

#include "base/dim3.h"
#include "sim/program/operation.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sim {

using Form = uint32_t;      // a number in a FormTable
constexpr Form no_form = 0; // of what is the same in every block
struct Term {
    uint32_t variable = 0;
    int64_t factor = 0; // modulo 2^64
    bool operator==(const Term&) const = default;
    auto operator<=>(const Term&) const = default;
};

// The forms that a register may have: one, or one of several, where what is chosen from had others.
class Forms {
public:
    Forms() = default;
    Forms(Form one) : count_(1) { of_[0] = one; }
    bool add(Form f) { // false: they are too many
        const auto end = of_.begin() + count_, place = std::lower_bound(of_.begin(), end, f);
        if (place != end && *place == f) return true;
        if (count_ == of_.size()) return false;
        std::copy_backward(place, end, end + 1);
        *place = f;
        ++count_;
        return true;
    }
    const Form* begin() const { return of_.data(); }
    const Form* end() const { return of_.data() + count_; }
    bool none() const { return count_ == 1 && of_[0] == no_form; }
    bool is_one() const { return count_ == 1; }
    bool operator==(const Forms&) const = default;

private:
    uint8_t count_ = 0;
    std::array<Form, 6> of_{};
};

class FormTable {
public:
    struct Variable { // of the index: a coordinate, or what the kernel computes of the index alone
        ptx::Special special = ptx::Special::count_; // count_: computed
        RowAt row = no_row;                          // then; no_row: `form` divided by `divisor`, rounded down
        uint8_t width = 4;
        Form form = no_form;
        uint64_t divisor = 1;
        std::vector<int64_t> values; // of the row, by block
        bool computed() const { return row != no_row && special == ptx::Special::count_; }
    };
    FormTable(base::Dim3 grid, base::Dim3 cluster) : grid_(grid), cluster_(cluster) {}

    Form sum(Form a, Form b, uint64_t times_b = 1);
    Form product(Form a, uint64_t factor) { return sum(no_form, a, factor); }
    Form shifted_down(Form, int bits);
    Form quotient(Form, uint64_t divisor); // rounded down
    Form variable(ptx::Special, RowAt, uint8_t width);

    Form size() const { return static_cast<Form>(forms_.size()); }
    std::span<const Term> terms(Form f) const { return forms_[f]; }
    std::vector<Variable>& variables() { return variables_; }
    int zeros_of(const Forms&) const; // the power of two that all factors are multiples of
    int axis_of(Form) const;          // the one coordinate that it is of; -1: of several
    bool is_linear(Form) const;       // in the coordinates
    int64_t value(Form, base::Dim3 block) const;

private:
    Form intern(std::vector<Term>);
    Form only(uint32_t variable) { return intern({{variable, 1}}); }
    int64_t value(const Variable&, base::Dim3 block) const;

    base::Dim3 grid_, cluster_;
    std::vector<Variable> variables_;
    std::vector<std::vector<Term>> forms_{{}};
};

} // namespace sim
