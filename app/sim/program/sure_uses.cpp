// Which elements that machine code loads from shared memory surely are used. ptxas joins loads into wide ones and moves them ahead of the
// branches that ask for them: that it loads a byte does not say that the kernel reads it.
#include "sim/program/passes.h"

namespace sim {
namespace {

// Registers that every way to the exit reads before it writes them: very busy expressions (Aho, Lam, Sethi, Ullman, "Compilers", 9.5),
// which are registers here. What a guard lets some lanes do is neither sure to be a use nor sure to leave the value.
class SureUses {
public:
    explicit SureUses(const Assembly& a)
        : program_(a.program), graph_(a.graph), words_((a.draft.registers.size() + 63) / 64),
          begins_(graph_.next.size(), Bits(words_, ~uint64_t{0})) {
        begins_[graph_.exit()].assign(words_, 0);
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t b = graph_.exit(); b-- > 0;) {
                Bits used = at_end(b);
                for (uint32_t n = graph_.first[b + 1]; n-- > graph_.first[b];) step(n, used);
                changed |= used != begins_[b];
                begins_[b] = std::move(used);
            }
        }
    }
    Bits at_end(uint32_t b) const {
        Bits used(words_, ~uint64_t{0});
        for (const uint32_t next : graph_.next[b])
            for (size_t i = 0; i < words_; ++i) used[i] &= begins_[next][i];
        return used;
    }
    // From behind operation n to before it.
    void step(uint32_t n, Bits& used) const {
        each_register(program_, n, [&](uint32_t r, bool written) {
            if (written) clear(used, r);
        });
        if (program_.operations[n].guard == no_row)
            each_register(program_, n, [&](uint32_t r, bool written) {
                if (!written) set(used, r);
            });
    }

private:
    const Program& program_;
    const Graph& graph_;
    size_t words_;
    std::vector<Bits> begins_; // by block
};

} // namespace

void find_sure_uses(Assembly& a) {
    Program& p = a.program;
    if (!a.draft.loads_ahead || uint64_t{a.draft.registers.size()} * a.graph.next.size() >= most_bits) return;
    const SureUses uses(a);
    for (uint32_t b = 0; b < a.graph.exit(); ++b) {
        Bits used = uses.at_end(b);
        for (uint32_t n = a.graph.first[b + 1]; n-- > a.graph.first[b];) {
            const Operation& op = p.operations[n];
            if (op.what == What::load && op.space == Space::shared) {
                uint8_t unsure = 0;
                for (uint32_t e = 0; e < op.elements; ++e)
                    if (!is_register(op.row[e]) || !has(used, op.row[e] >> 1)) unsure |= static_cast<uint8_t>(1 << e);
                if (unsure) p.unsure_elements[n] = unsure;
            }
            uses.step(n, used);
        }
    }
}

} // namespace sim
