// What decides what is counted: whether all of it has forms (register_forms.h), and what is to be watched of it in a block.
#pragma once

#include "sim/kinds/register_forms.h"
#include "sim/kinds/slice.h"
#include "sim/run/path_condition.h"

#include <string>
#include <utility>

namespace sim {

class Dependences {
public:
    Dependences(const Code&, const RegisterForms&, const Slice&);
    const base::Sentence& why() const { return why_; } // no block can stand for another; empty: one can

    // The program without what decides nothing, and with the operations that are watched.
    std::shared_ptr<const Program> watch(const Program& executed);
    std::span<const Watch> watches() const { return watches_; }
    uint32_t watch_of(uint32_t operation) const { return watch_of_[operation]; } // of those that are watched
    std::span<const uint32_t> accesses() const {
        return accesses_;
    } // operations that reach global memory by an address with a form
    std::span<const std::pair<uint32_t, int>> exact() const {
        return exact_;
    } // operations and slots: what has to be the same in all blocks of a kind

private:
    void fail(base::Sentence why);
    void fail(uint32_t n, base::Phrase what, const RegisterForms::Value&);
    void must_be_same(uint32_t n, int slot, base::Phrase what);
    void must_be_clear(uint32_t n, base::Phrase what);
    void check(uint32_t n);
    void check_size(uint32_t n);
    void check_address(uint32_t n, int slot, Space);
    void check_bulk_copy(uint32_t n);
    std::optional<Watch> make_watch(uint32_t n) const;

    const Code& code_;
    const RegisterForms& forms_;
    const Slice& slice_;
    base::Sentence why_;
    std::vector<Watch> watches_;
    std::vector<uint32_t> watch_of_, accesses_;
    std::vector<std::pair<uint32_t, int>> exact_;
};

} // namespace sim
