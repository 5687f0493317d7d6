// The forms of all registers: found by what each operation makes of its operands' forms, again and again until nothing changes. PTX
// writes most registers once, so where a register is written does not matter: one that is written several times has all their forms, unless it is known which one an operation reads.
#pragma once

#include "sim/kinds/reaching_writers.h"

namespace sim {

class RegisterForms {
public:
    struct Value { // of a row
        enum State : uint8_t {
            unset,
            known,
            unclear,
            loaded
        } state = unset; // loaded: unclear, because it comes from memory
        Forms forms = no_form;
        bool is_unclear() const { return state >= unclear; }
        bool varies() const { return is_unclear() || !forms.none(); }
        bool operator==(const Value&) const = default;
    };
    enum Choice : uint8_t { first = 1, second = 2, both = 3 }; // which of two operands a choice took

    RegisterForms(const Code&, const UniformValues&, const Launch&, FormTable&);
    // Again, for a block that went these ways and made some choices.
    void find(const Edges&);
    void choose(uint32_t operation, Choice taken) { chosen_[operation] = taken; }

    Value in(uint32_t n, int slot) const; // that the operation reads
    Value written(uint32_t n) const { return written_[n]; }
    template <class F>
    void each_read(uint32_t n, F f) const {
        code_.each_read(n, [&](int slot) { f(in(n, slot)); });
    }
    // The number that the operation divides by: of shr and of an and with low bits, too.
    std::optional<uint64_t> divisor(uint32_t n) const;
    bool divides(uint32_t n) const; // its result is of this kind: not of what a multiple is shifted or masked to
    bool is_only_tested(
        uint32_t n) const; // of an or: it asks whether one of two numbers has more than 32 bits, and nothing else
    bool is_variable(
        RowAt) const; // the row's form is a variable that stands for the row itself, whatever it was made of
    Value sums(const Forms&, const Forms&, uint64_t times_b = 1) const;
    template <class F>
    static Value each(const Forms& forms, F f) { // f(form) of each
        Forms all;
        for (const Form one : forms)
            if (!all.add(f(one))) return undetermined();
        return of(all);
    }

private:
    static Value undetermined() { return {.state = Value::unclear}; }
    static Value of(const Forms& forms) { return {Value::known, forms}; }
    static Value either(const Forms&, const Forms&);
    Value& at(RowAt row) { return values_[row / Code::unit]; }
    const Value& at(RowAt row) const { return values_[row / Code::unit]; }

    void give_specials();
    void give_unassigned();
    bool take(uint32_t n);
    bool put(RowAt, const Value&);
    Value result(uint32_t n) const;
    Value linear(uint32_t n) const;
    Value any_but(uint32_t n, int slot) const;
    Value multiplied(uint32_t n) const;
    Value of_bits(uint32_t n) const;
    Value inserted(uint32_t n) const;
    Value divided(uint32_t n) const;
    std::optional<uint32_t> tested_or(uint32_t n) const;
    Value products(const Forms& forms, uint64_t factor) const;

    const Code& code_;
    const UniformValues& uniform_;
    const base::Dim3 clusters_;
    FormTable& table_;
    std::vector<Value> values_;  // by row
    std::vector<Value> written_; // by operation: what it writes
    std::vector<uint8_t> chosen_;
    ReachingWriters writers_;
};

} // namespace sim
