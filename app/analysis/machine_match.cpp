#include "analysis/machine_match.h"

#include "base/text.h"

#include <algorithm>
#include <unordered_map>

namespace analysis {
namespace {

using base::trimmed;
using trace::Kind;
using trace::Role;
using trace::Space;

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines = base::lines(text);
    for (std::string_view& line : lines) line = trimmed(line);
    return lines;
}

bool is_conditional_branch(const trace::Instruction& i) {
    const bool leaves = i.kind == Kind::branch ? i.role == Role::other : i.kind == Kind::exit && i.role != Role::trap;
    return leaves && i.guarded();
}

} // namespace

std::optional<Counter> counter_of(Kind kind, Space space) {
    for (const CounterRow& row : counter_rows())
        if (row.program == Program::machine_code && row.which.kind == kind &&
            (row.which.space == Space::none || row.which.space == space))
            return row.counter;
    return {};
}

int32_t base_of(const trace::Instruction& i) {
    return i.address.empty() ? trace::Instruction::no_register : i.address.front();
}

ControlFlow control_flow(const trace::Listing& listing) {
    const auto count = static_cast<int64_t>(listing.instructions.size());
    std::vector<Step> steps;
    for (const trace::Instruction& i : listing.instructions) {
        Step step;
        const bool branches = i.kind == Kind::branch && i.role != Role::call;
        step.indirect = i.role == Role::indirect_branch;
        step.ends = branches || i.kind == Kind::exit;
        step.conditional = step.ends && i.guarded();
        if (branches && i.target >= 0 && i.target < count) step.target = i.target;
        steps.push_back(step);
    }
    return control_flow(steps);
}

MachineMatch::MachineMatch(const trace::Listing& listing, const trace::MachineListing& code)
    : listing_(listing), code_(code), ptx_flow_(control_flow(listing)), machine_flow_(control_flow(code)),
      pc_(code.instructions.size(), -1), copies_(listing.instructions.size()) {
    failed_ = match_lines();
    if (failed_ == Unknown::nothing && (!ptx_flow_.known || !machine_flow_.known)) failed_ = Unknown::indirect_branch;
    if (failed_ != Unknown::nothing) return;
    share_split_accesses();
    find_partners();
}

// By the line of the PTX that ptxas noted for each machine instruction.
Unknown MachineMatch::match_lines() {
    const std::vector<std::string_view> lines = lines_of(listing_.text);
    std::unordered_map<int, int64_t> pc_at; // line -> pc; -1: several instructions
    for (size_t pc = 0; pc < listing_.instructions.size(); ++pc) {
        const int line = listing_.instructions[pc].text_line;
        if (line < 1 || static_cast<size_t>(line) > lines.size()) return Unknown::no_lines;
        const auto index = static_cast<size_t>(line) - 1;
        if (index >= code_.ptx.size() || trimmed(code_.ptx[index]) != lines[index]) return Unknown::no_lines;
        if (!pc_at.try_emplace(line, static_cast<int64_t>(pc)).second) pc_at[line] = -1;
    }
    bool any = false;
    for (uint32_t m = 0; m < pc_.size(); ++m) {
        const trace::MachineInstruction& one = code_.instructions[m];
        any = any || one.ptx_line > 0;
        const auto found = pc_at.find(one.ptx_line);
        if (found == pc_at.end() || found->second < 0) continue;
        const auto pc = static_cast<size_t>(found->second);
        if (!same_kind(listing_.instructions[pc], one)) continue;
        pc_[m] = found->second;
        copies_[pc].push_back(m);
    }
    return any ? Unknown::nothing : Unknown::no_lines;
}

// Only instructions that are counted, or that tell how often a region is executed.
bool MachineMatch::same_kind(const trace::Instruction& ptx, const trace::MachineInstruction& machine) const {
    if (const auto counter = counter_of(machine.kind, machine.space)) return counter_of(ptx.kind, ptx.space) == counter;
    if (machine.ends && machine.conditional()) return is_conditional_branch(ptx);
    return machine.kind == Kind::barrier && ptx.kind == Kind::barrier;
}

// ptxas fuses loads and may split them again: then the parts all carry the line of one PTX instruction, and its neighbours have
// no machine instruction. Each part goes to the neighbour that lies where the part does.
void MachineMatch::share_split_accesses() {
    for (size_t pc = 0; pc < copies_.size(); ++pc) {
        const trace::Instruction& i = listing_.instructions[pc];
        if (i.space != Space::shared || copies_[pc].size() < 2 || base_of(i) < 0) continue;
        std::map<std::pair<uint32_t, uint16_t>, std::vector<uint32_t>>
            together; // those in one block with the same registers
        for (uint32_t m : copies_[pc]) together[{machine_flow_.block[m], code_.instructions[m].base}].push_back(m);
        for (const auto& [place, parts] : together)
            if (parts.size() > 1) share(pc, parts);
    }
}

void MachineMatch::share(size_t pc, const std::vector<uint32_t>& together) {
    const auto place = [&](uint32_t m) { return int64_t{code_.instructions[m].displacement}; };
    const std::vector<trace::Instruction>& all = listing_.instructions;
    const auto neighbour = [&](int64_t displacement) -> std::optional<size_t> {
        for (size_t other = 0; other < copies_.size(); ++other)
            if (copies_[other].empty() && base_of(all[other]) == base_of(all[pc]) &&
                all[other].displacement == displacement && ptx_flow_.block[other] == ptx_flow_.block[pc] &&
                all[other].kind == all[pc].kind && all[other].space == Space::shared)
                return other;
        return {};
    };
    for (uint32_t own : together) { // which of them is the PTX instruction's own
        std::vector<std::pair<uint32_t, size_t>> moves;
        for (uint32_t m : together) {
            if (m == own) continue;
            if (const auto to = neighbour(all[pc].displacement + place(m) - place(own))) moves.push_back({m, *to});
        }
        if (moves.size() + 1 != together.size()) continue;
        for (const auto& [m, to] : moves) {
            copies_[to].push_back(m);
            pc_[m] = static_cast<int64_t>(to);
            std::erase(copies_[pc], m);
        }
        return;
    }
}

bool MachineMatch::guarded(size_t pc) const {
    return std::any_of(copies_[pc].begin(), copies_[pc].end(),
                       [&](uint32_t m) { return code_.instructions[m].guarded(); });
}

std::vector<uint32_t> MachineMatch::regions_of(const std::vector<uint32_t>& machine) const {
    std::vector<uint32_t> regions;
    for (uint32_t m : machine) regions.push_back(machine_flow_.region_of(m));
    std::sort(regions.begin(), regions.end());
    return regions;
}

void MachineMatch::find_partners() {
    std::vector<bool> unrolled(machine_flow_.block.size() +
                               1); // regions that hold the same PTX instruction more than once
    for (size_t pc = 0; pc < copies_.size(); ++pc) {
        const std::vector<uint32_t> regions = regions_of(copies_[pc]);
        for (size_t i = 1; i < regions.size(); ++i)
            if (regions[i] == regions[i - 1]) unrolled[regions[i]] = true;
    }
    for (uint32_t pc = 0; pc < copies_.size(); ++pc) {
        if (copies_[pc].empty()) continue;
        const trace::Instruction& i = listing_.instructions[pc];
        const bool branch = is_conditional_branch(i);
        if (i.kind == Kind::fma || (!branch && guarded(pc))) continue;
        const std::vector<uint32_t> regions = regions_of(copies_[pc]);
        if (regions.size() == 1 && unrolled[regions[0]])
            continue; // the end of an unrolled loop, passed less often than in the PTX
        const bool firm = i.kind == Kind::barrier || i.kind == Kind::store || i.kind == Kind::async_copy;
        Partners& partners = partners_[regions];
        (branch ? partners.branches : firm ? partners.firm : partners.loads).push_back(pc);
    }
}

const MachineMatch::Partners& MachineMatch::partners_in(const std::vector<uint32_t>& regions) const {
    static const Partners nobody;
    const auto found = partners_.find(regions);
    return found == partners_.end() ? nobody : found->second;
}

std::optional<uint32_t> MachineMatch::block_before_predicate(size_t pc) const {
    if (copies_[pc].size() != 1) return {};
    const auto survived = [&](uint32_t branch) { return !copies_[branch].empty(); };
    const auto all = [](uint32_t) { return true; };
    const Decision there = decision(machine_flow_, machine_flow_.block[copies_[pc].front()], all);
    const Decision here = decision(ptx_flow_, ptx_flow_.block[pc], survived);
    if (there.kind != here.kind || (here.kind == Decision::branch && pc_[there.instruction] != here.instruction))
        return {};
    const size_t loops_there = machine_flow_.loops[there.block].size(), loops_here = ptx_flow_.loops[here.block].size();
    return loops_there == loops_here ? std::optional(here.block) : std::nullopt;
}

} // namespace analysis
