// Where lanes meet again that a branch of the machine code has parted: behind the BSYNC of the innermost BSSY around it; if there is none,
// behind the WARPSYNC of all lanes to which all its ways lead that do not exit, and else nowhere. Each part executes that instruction, as on the
// hardware; so its executions are counted as they are there. BREAK takes lanes out of a region: the branch that follows parts them from it,
// and they meet the others where the regions around it end. A CALL with a guard is a branch: before sm_90 ptxas leaves loops so.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

namespace {

bool by_register(const sass::Instruction& call) { return call.operands.back().base != sass::Operand::none; }

} // namespace

void Lowering::note_step() {
    Step& step = steps_.emplace_back();
    const std::string_view name = i_->opcode;
    step.conditional = i_->guarded() || i_->has("DIV") || i_->has("CONV");
    step.condition = static_cast<uint32_t>(i_->guard << 2 | i_->guard_negated << 1 | i_->guard_uniform);
    for (const Operand& o : i_->operands) {
        if (o.kind == Kind::predicate || o.kind == Kind::uniform_predicate) {
            step.conditional |= !is_true(o);
            step.condition = step.condition << 8 | o.number << 2 | o.negated << 1 | (o.kind == Kind::predicate);
        }
        if (o.kind == Kind::barrier) step.barrier = o.number;
        if (o.kind == Kind::label) step.target = static_cast<uint32_t>(o.value / sass::instruction_bytes);
    }
    step.kind = name == "BSSY"                                  ? Step::begins
                : name == "BSYNC"                               ? Step::meets
                : name == "BREAK"                               ? Step::leaves
                : name == "BRA"                                 ? Step::branches
                : name == "CALL" && i_->has("ABS")              ? Step::other
                : name == "CALL" && by_register(*i_)            ? Step::calls_any
                : name == "CALL"                                ? (step.conditional ? Step::branches : Step::calls)
                : name == "BRX" || name == "BRXU"               ? Step::jumps
                : name == "EXIT" || name == "RET"               ? Step::exits
                : gathers_all() && !i_->guarded()               ? Step::gathers
                : i_->has("COLLECTIVE") || i_->has("EXCLUSIVE") ? Step::separates
                                                                : Step::other;
}

namespace {

// Of ways: all exit; or they lead to different places.
enum : uint32_t { nowhere = ~0u, apart = nowhere - 1 };
uint32_t both(uint32_t a, uint32_t b) { return a == nowhere || a == b ? b : b == nowhere ? a : apart; }

} // namespace

// By pc: the first WARPSYNC of all lanes on all ways from there. The greatest solution, as of any such equations.
std::vector<uint32_t> Lowering::gathering_places() const {
    const auto size = static_cast<uint32_t>(steps_.size());
    std::vector<uint32_t> place(size + 1, nowhere);
    const auto behind = [&](uint32_t pc) {
        const Step& step = steps_[pc];
        if (step.kind == Step::gathers) return pc;
        const bool goes_on =
            step.conditional || (step.kind != Step::branches && step.kind != Step::jumps && step.kind != Step::exits);
        uint32_t to = goes_on ? place[pc + 1] : nowhere;
        if (step.kind == Step::branches) to = both(to, place[std::min(step.target, size)]);
        for (const sass::JumpTable& table : module_.jump_tables)
            if (step.kind == Step::jumps && table.address == uint64_t{pc} * sass::instruction_bytes)
                for (const uint64_t target : table.targets)
                    to = both(to, place[std::min<uint64_t>(target / sass::instruction_bytes, size)]);
        return to;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = size; pc-- > 0;) {
            const uint32_t before = std::exchange(place[pc], behind(pc));
            changed |= place[pc] != before;
        }
    }
    return place;
}

// Draft::meet and Program::leaving, of the branches that can be reached, each by the first way found: ptxas nests regions.
void Lowering::find_meeting_points() {
    gathering_ = gathering_places();
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
    case Step::calls_any:
        set_meeting_point(way.pc, way);
        for (const uint64_t function : module_.functions)
            open.push_back({.pc = static_cast<uint32_t>(function / sass::instruction_bytes), .called = true});
        return true;
    case Step::branches: open.push_back(branch_of(way, step)); return step.conditional;
    case Step::jumps:
        set_meeting_point(way.pc, way);
        for (const sass::JumpTable& table : module_.jump_tables)
            if (table.address == uint64_t{way.pc} * sass::instruction_bytes)
                for (const uint64_t target : table.targets)
                    open.push_back(way), open.back().pc = static_cast<uint32_t>(target / sass::instruction_bytes);
        return step.conditional;
    case Step::separates: set_meeting_point(way.pc, way); return true;
    case Step::exits: return step.conditional;
    default: return true;
    }
}

// A function is called in regions that it does not see: there its lanes meet at the immediate post-dominator.
void Lowering::set_meeting_point(uint32_t branch, const Way& way) {
    if (way.inside.empty() && way.called) return;
    uint32_t at = static_cast<uint32_t>(steps_.size());
    if (!way.inside.empty()) at = way.inside.back().behind;
    else if (gathering_[branch] < steps_.size()) at = gathering_[branch] + 1;
    const bool meets =
        way.inside.empty() && at < steps_.size() && program_.operations[first_[at] - 1].what == What::meet;
    draft_.meet[first_[branch + 1] - 1] = first_[at] - (meets ? 1 : 0);
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
