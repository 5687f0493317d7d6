// Registers that may be read before they are written: where the paths through the program allow it, the lanes are watched.
#include "sim/program/passes.h"

#include <algorithm>
#include <map>

namespace sim {
namespace {

bool passes_on(const Operation& op) { return op.what == What::move || op.what == What::select; }
// Registers of machine code hold several values side by side, some of which may not be there yet; and what a lane gets from another one is
// there, whatever it has itself. Nor is a register used that is spilled.
bool merges(const Program& p, const Operation& op) {
    const bool spills = p.machine_listing && op.what == What::store && op.space == Space::local;
    return op.what == What::merge || op.what == What::broadcast || op.what == What::hand_on || spills;
}

struct Assigned {
    using Guard = std::pair<RowAt, bool>; // and whether it is negated
    Bits everywhere;                      // registers that are written on every path
    // Others, written under a guard that still is what it was: so are they where the same guard lets an operation read them. Kept within a
    // basic block, as predicated code is straight.
    std::map<uint32_t, Guard> under = {};

    bool holds(uint32_t r, const Operation& op) const {
        if (has(everywhere, r)) return true;
        const auto it = under.find(r);
        return it != under.end() && op.guard != no_row && it->second == Guard{op.guard, op.guard_negated};
    }
    void write(uint32_t r, const Operation& op, bool good) {
        std::erase_if(under, [&](const auto& u) { return u.second.first >> 1 == r || u.first == r; });
        if (op.guard == no_row) good ? set(everywhere, r) : clear(everywhere, r);
        else if (good && op.guard >> 1 != r) under[r] = {op.guard, op.guard_negated};
    }
};

// Takes operation `n`'s effect on what is assigned; visit(r): it reads r, which may be unwritten.
template <class F>
void assign(const Program& p, uint32_t n, Assigned& assigned, F visit) {
    const Operation& op = p.operations[n];
    bool whole = true;
    each_register(p, n, [&](uint32_t r, bool w) {
        if (w || merges(p, op) || assigned.holds(r, op)) return;
        whole = false;
        visit(r);
    });
    each_register(p, n, [&](uint32_t r, bool w) {
        if (w) assigned.write(r, op, whole || !passes_on(op));
    });
}

// Per operation the registers that it may read before they are written: on some path to it nothing has. A move or a choice is no use; what
// it writes is as good as what it reads.
std::map<uint32_t, std::vector<uint32_t>> unassigned_reads(const Assembly& a) {
    std::map<uint32_t, std::vector<uint32_t>> found;
    const Program& p = a.program;
    const Graph& g = a.graph;
    const std::vector<Register>& registers = a.draft.registers;
    const size_t words = (registers.size() + 63) / 64;
    if (p.operations.empty() || uint64_t{registers.size()} * g.next.size() >= most_bits) return found;
    std::vector<Bits> in(g.next.size(), Bits(words, ~uint64_t{0}));
    std::fill(in[0].begin(), in[0].end(), 0);
    for (uint32_t r = 0; r < registers.size(); ++r)
        if (registers[r].pinned) set(in[0], r);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b + 1 < g.next.size(); ++b) {
            Assigned assigned{in[b]};
            for (uint32_t n = g.first[b]; n < g.first[b + 1]; ++n) assign(p, n, assigned, [](uint32_t) {});
            for (uint32_t s : g.next[b])
                for (size_t i = 0; i < words; ++i) {
                    changed |= (in[s][i] & ~assigned.everywhere[i]) != 0;
                    in[s][i] &= assigned.everywhere[i];
                }
        }
    }
    for (uint32_t b = 0; b + 1 < g.next.size(); ++b) {
        Assigned assigned{in[b]};
        for (uint32_t n = g.first[b]; n < g.first[b + 1]; ++n)
            assign(p, n, assigned, [&](uint32_t r) { found[n].push_back(r); });
    }
    return found;
}

} // namespace

void track_unassigned(Assembly& a) {
    if (a.draft.all_assigned) return;
    Program& p = a.program;
    const auto suspects = unassigned_reads(a);
    if (suspects.empty()) return;
    std::map<uint32_t, uint32_t> number; // register -> tracked register
    for (const auto& [n, registers] : suspects)
        for (uint32_t r : registers) number.try_emplace(r, static_cast<uint32_t>(number.size()));
    p.tracked_registers.assign(number.size(), "a register");
    for (const NamedRow& named : p.names)
        if (const auto it = number.find(named.at >> 1); it != number.end())
            p.tracked_registers[it->second] = named.name;
    const auto tracked = [&](RowAt at) -> int64_t {
        if (!is_register(at)) return Tracked::none;
        const auto it = number.find(at >> 1);
        return it == number.end() ? Tracked::none : it->second;
    };
    for (uint32_t n = 0; n < p.operations.size(); ++n) {
        Operation& op = p.operations[n];
        Tracked t;
        for (int slot = 0; slot < 8; ++slot) t.row[slot] = tracked(op.row[slot]);
        t.address = tracked(op.address);
        t.source = tracked(op.source == no_row ? op.address_upper : op.source); // none has both
        t.guard = tracked(op.guard);
        for (RowAt at : p.wide[op.wide].written) t.wide_written.push_back(tracked(at));
        for (RowAt at : p.wide[op.wide].read) t.wide_read.push_back(tracked(at));
        const auto is_tracked = [](int64_t r) { return r != Tracked::none; };
        const bool any = std::any_of(std::begin(t.row), std::end(t.row), is_tracked) ||
                         std::any_of(t.wide_written.begin(), t.wide_written.end(), is_tracked) ||
                         std::any_of(t.wide_read.begin(), t.wide_read.end(), is_tracked);
        if (!any && t.address < 0 && t.source < 0 && t.guard < 0) continue;
        t.full = op.full;
        t.masked = op.masked;
        t.written = p.effects[n].written;
        t.kind = op.what == What::move     ? Tracked::moves
                 : op.what == What::select ? Tracked::selects
                 : merges(p, op)           ? Tracked::merges
                                           : Tracked::uses;
        op.tracked = static_cast<uint32_t>(p.tracked.size());
        op.full = op.masked = track_registers;
        p.tracked.push_back(t);
    }
}

} // namespace sim
