// Where lanes meet again that a branch of the machine code has parted: behind the BSYNC of the innermost BSSY around it, and nowhere if
// there is none. Each part executes that BSYNC, as on the hardware; so its executions are counted as they are there. BREAK takes lanes
// out of a region: the branch that follows parts them from it, and they meet the others where the regions around it end. A CALL with a guard
// is a branch: before sm_90 ptxas leaves loops so.
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
                : name == "CALL"                  ? (step.conditional ? Step::branches : Step::calls)
                : name == "BRX" || name == "BRXU" ? Step::jumps
                : name == "EXIT" || name == "RET" ? Step::exits
                                                  : Step::other;
}

// Draft::meet and Program::leaving, of the branches that can be reached, each by the first way found: ptxas nests regions.
void Lowering::find_meeting_points() {
    std::vector<bool> seen(steps_.size(), false);
    std::vector<Way> open{{}};
    while (!open.empty()) {
        Way way = std::move(open.back());
        open.pop_back();
        for (bool goes_on = true; goes_on && way.pc < steps_.size() && !seen[way.pc]; ++way.pc) {
            seen[way.pc] = true;
            goes_on = go_on(way, open);
        }
    }
}

// Past the instruction at way.pc; false where no lanes go on behind it.
bool Lowering::go_on(Way& way, std::vector<Way>& open) {
    const Step& step = steps_[way.pc];
    const auto region = [&] {
        return std::find_if(way.inside.rbegin(), way.inside.rend(),
                            [&](const Region& r) { return r.barrier == step.barrier; });
    };
    switch (step.kind) {
    case Step::begins:
        if (step.target < steps_.size())
            way.inside.push_back({step.barrier, step.target + (steps_[step.target].kind == Step::meets)});
        return true;
    case Step::meets:
        if (const auto it = region(); it != way.inside.rend()) way.inside.erase(it.base() - 1, way.inside.end());
        return true;
    case Step::leaves:
        if (step.conditional) way.leaving = &step;
        else if (const auto it = region(); it != way.inside.rend()) way.inside.erase(it.base() - 1, way.inside.end());
        return true;
    case Step::calls: open.push_back({.pc = step.target, .called = true}); return true;
    case Step::branches: open.push_back(branch_of(way, step)); return step.conditional;
    case Step::jumps:
        set_meeting_point(way.pc, way);
        for (const sass::JumpTable& table : jump_tables_)
            if (table.address == uint64_t{way.pc} * sass::instruction_bytes)
                for (const uint64_t target : table.targets)
                    open.push_back(way), open.back().pc = static_cast<uint32_t>(target / sass::instruction_bytes);
        return step.conditional;
    case Step::exits: return step.conditional;
    default: return true;
    }
}

// A function is called in regions that it does not see: there its lanes meet at the immediate post-dominator.
void Lowering::set_meeting_point(uint32_t branch, const Way& way) {
    if (way.inside.empty() && way.called) return;
    draft_.meet[first_[branch + 1] - 1] = way.inside.empty() ? first_.back() : first_[way.inside.back().behind];
}

// The way that the branch at way.pc leads.
Lowering::Way Lowering::branch_of(Way& way, const Step& step) {
    Way taken = way;
    taken.pc = step.target;
    taken.leaving = nullptr;
    if (way.leaving && way.leaving->condition == step.condition) {
        const auto left = std::find_if(taken.inside.begin(), taken.inside.end(),
                                       [&](const Region& r) { return r.barrier == way.leaving->barrier; });
        for (auto r = left; r != taken.inside.end(); ++r)
            program_.leaving[first_[way.pc + 1] - 1].push_back(first_[r->behind]);
        taken.inside.erase(left, taken.inside.end());
        way.leaving = nullptr;
    }
    set_meeting_point(way.pc, taken);
    return taken;
}

} // namespace sim
