// Where lanes meet again that a branch of the machine code has parted: behind the BSYNC of the innermost BSSY around it, and nowhere if
// there is none. Each part executes that BSYNC, as on the hardware; so its executions are counted as they are there.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

void Lowering::note_step() {
    Step& step = steps_.emplace_back();
    const std::string_view name = i_->opcode;
    step.conditional = i_->guarded() || i_->has("DIV");
    step.condition = static_cast<uint32_t>(i_->guard << 2 | i_->guard_negated << 1 | i_->guard_uniform);
    for (const Operand& o : i_->operands) {
        if (o.kind == Kind::predicate || o.kind == Kind::uniform_predicate) {
            step.conditional |= !is_true(o);
            step.condition = step.condition << 8 | o.number << 2 | o.negated << 1 | (o.kind == Kind::predicate);
        }
        if (o.kind == Kind::barrier) step.barrier = o.number;
        if (o.kind == Kind::label) step.target = static_cast<uint32_t>(o.value / sass::instruction_bytes);
    }
    step.kind = name == "BSSY"                    ? Step::begins
                : name == "BSYNC"                 ? Step::meets
                : name == "BREAK"                 ? Step::leaves
                : name == "BRA"                   ? Step::branches
                : name == "CALL"                  ? Step::calls
                : name == "BRX" || name == "BRXU" ? Step::jumps
                : name == "EXIT" || name == "RET" ? Step::exits
                                                  : Step::other;
}

// By operation of a branch: the operation where its lanes meet. Those who leave a region by BREAK, and then branch on the same condition,
// meet the others behind the region around it.
std::map<uint32_t, uint32_t> Lowering::meeting_points() const {
    std::map<uint32_t, uint32_t> meet;
    const auto size = static_cast<uint32_t>(steps_.size());
    struct Region {
        uint16_t barrier = 0;
        uint32_t behind = 0; // pc
    };
    struct Place {
        uint32_t pc = 0;
        std::vector<Region> inside;
    };
    const auto leave = [](std::vector<Region>& inside, uint16_t barrier) {
        std::erase_if(inside, [&](const Region& r) { return r.barrier == barrier; });
    };
    std::vector<bool> seen(size, false);
    std::vector<Place> open{{}};
    while (!open.empty()) {
        auto [pc, inside] = std::move(open.back());
        open.pop_back();
        const Step* left = nullptr; // the last BREAK
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
            if (step.kind == Step::leaves) {
                left = &step;
                if (!step.conditional) leave(inside, step.barrier);
            }
            if (step.kind == Step::calls) open.push_back({step.target, {}});
            if (step.kind == Step::branches) {
                meet[first_[pc + 1] - 1] = inside.empty() ? first_.back() : first_[inside.back().behind];
                open.push_back({step.target, inside});
            }
            if (step.kind == Step::jumps) {
                if (!inside.empty()) meet[first_[pc + 1] - 1] = first_[inside.back().behind];
                for (const sass::JumpTable& table : jump_tables_)
                    for (size_t n = 0;
                         table.address == uint64_t{pc} * sass::instruction_bytes && n < table.targets.size(); ++n)
                        open.push_back({static_cast<uint32_t>(table.targets[n] / sass::instruction_bytes), inside});
            }
            const bool goes_on = step.kind != Step::branches && step.kind != Step::jumps && step.kind != Step::exits;
            if (!goes_on && !step.conditional) break;
        }
    }
    return meet;
}

} // namespace sim
