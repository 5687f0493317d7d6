// Where lanes meet again that a branch of the machine code has parted: behind the BSYNC of the innermost BSSY around it. Each part
// executes that BSYNC, as on the hardware; so its executions are counted as they are there.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

void Lowering::note_step() {
    Step& step = steps_.emplace_back();
    const std::string_view name = i_->opcode;
    step.conditional = i_->guarded();
    for (const Operand& o : i_->operands) {
        if (o.kind == Kind::predicate || o.kind == Kind::uniform_predicate) step.conditional |= !is_true(o);
        if (o.kind == Kind::barrier) step.barrier = o.number;
        if (o.kind == Kind::label) step.target = static_cast<uint32_t>(o.value / sass::instruction_bytes);
    }
    step.kind = name == "BSSY"    ? Step::begins
                : name == "BSYNC" ? Step::meets
                : name == "BREAK" ? Step::leaves
                : name == "BRA"   ? Step::branches
                : name == "EXIT"  ? Step::exits
                                  : Step::other;
}

// By operation of a branch: the operation where its lanes meet. Nothing where the regions are left by BREAK: then the immediate
// post-dominator has to do.
std::map<uint32_t, uint32_t> Lowering::meeting_points() const {
    std::map<uint32_t, uint32_t> meet;
    const auto size = static_cast<uint32_t>(steps_.size());
    if (std::any_of(steps_.begin(), steps_.end(), [](const Step& s) { return s.kind == Step::leaves; })) return meet;
    struct Region {
        uint16_t barrier = 0;
        uint32_t behind = 0; // pc
    };
    struct Place {
        uint32_t pc = 0;
        std::vector<Region> inside;
    };
    std::vector<bool> seen(size, false);
    std::vector<Place> open{{}};
    while (!open.empty()) {
        auto [pc, inside] = std::move(open.back());
        open.pop_back();
        for (; pc < size && !seen[pc]; ++pc) {
            seen[pc] = true;
            const Step& step = steps_[pc];
            if (step.kind == Step::begins && step.target < size) {
                const bool waits = steps_[step.target].kind == Step::meets;
                inside.push_back({step.barrier, step.target + (waits ? 1 : 0)});
            }
            if (step.kind == Step::meets)
                for (bool found = false; !found && !inside.empty(); inside.pop_back())
                    found = inside.back().barrier == step.barrier;
            if (step.kind == Step::branches) {
                if (!inside.empty()) meet[first_[pc + 1] - 1] = first_[inside.back().behind];
                open.push_back({step.target, inside});
            }
            if ((step.kind == Step::branches || step.kind == Step::exits) && !step.conditional) break;
        }
    }
    return meet;
}

} // namespace sim
