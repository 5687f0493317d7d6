// What follows from what a block was seen to do: how blocks must be to do the same.
#pragma once

#include "sim/kinds/dependences.h"

namespace sim {

// How much a form may differ from its value in the block that was executed.
struct Bounds {
    int64_t low = INT64_MIN, high = INT64_MAX;
    uint64_t modulus = 1; // a power of two: by a multiple of it
    void within(Wide least, Wide most);
    void exact() { low = high = 0; }
    void multiple(uint64_t of) { modulus = of > modulus ? of : modulus; }
    bool hold(int64_t difference) const {
        return low <= difference && difference <= high && (static_cast<uint64_t>(difference) & (modulus - 1)) == 0;
    }
    bool always() const { return low == INT64_MIN && high == INT64_MAX && modulus == 1; }
};

class BlockBounds {
public:
    static constexpr uint64_t sector = 32; // bytes of global memory: what counts of an address

    BlockBounds(const Code& code, RegisterForms& forms, const Dependences& d, FormTable& table)
        : code_(code), forms_(forms), dependences_(d), table_(table) {}
    std::vector<Bounds> find(const PathCondition&); // by form

private:
    template <class F>
    void each_form(const Forms&, F f);
    RegisterForms::Choice choice(const Watch& w, const Noted& noted) const;
    void keep_in_type(const Watch& w, int which, const Noted& noted);
    void bound(const Watch& w, const Noted& noted);
    void bound_order(const Watch& w, const Noted& noted);
    void bound_tested(uint32_t n, const Noted& noted);
    void bound_bits(uint32_t n, const Noted& noted);
    void bound_division(const Watch& w, const Noted& noted);
    void bound_size(uint32_t n, const Noted& noted);
    void bound_box(uint32_t n, const Noted& noted);
    void bound(uint32_t n, const PathCondition::Reached& reached);

    const Code& code_;
    RegisterForms& forms_;
    const Dependences& dependences_;
    FormTable& table_;
    std::vector<Bounds> all_;
};

} // namespace sim
