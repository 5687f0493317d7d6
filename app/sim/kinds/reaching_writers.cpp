#include "sim/kinds/reaching_writers.h"

#include "sim/program/flow.h"

#include <algorithm>
#include <bit>

namespace sim {
namespace {

bool leads_away(Flow flow) { return flow == Flow::branch || flow == Flow::multiway || flow == Flow::exit; }

} // namespace

ReachingWriters::ReachingWriters(const Code& code)
    : code_(code), leader_(code.size() + 1), only_(code.rows(), nobody), number_(code.rows(), single),
      writers_(code.size()) {
    std::vector<bool> written_by_several(code.rows());
    const auto write = [&](uint32_t n, RowAt row) {
        if (!Code::is_register(row)) return;
        uint32_t& only = only_[row / Code::unit];
        if ((only != nobody && only != n) || !is_known(n)) written_by_several[row / Code::unit] = true;
        only = n;
    };
    std::vector<uint32_t> next;
    for (uint32_t n = 0; n < code.size(); ++n) {
        const Operation& op = code.op(n);
        for (int slot = 0; slot < 8; ++slot) {
            if (code.writes(n, slot)) write(n, op.row[slot]);
            if (Code::is_register(op.row[slot]) && code.p.tracked[op.tracked].row[slot] != Tracked::none)
                written_by_several[op.row[slot] / Code::unit] = true;
        }
        for (const RowAt row : code.p.wide[op.wide].written) write(n, row);
        if (!leads_away(op.flow)) continue;
        successors(code.p.operations, code.p.tables, n, next);
        for (const uint32_t to : next) leader_[to] = true;
        leader_[n + 1] = true;
    }
    for (size_t row = 0; row < written_by_several.size(); ++row)
        if (written_by_several[row]) number_[row] = numbers_++;
}

Edges ReachingWriters::all_edges(const Code& code) {
    Edges all{std::vector<bool>(code.size()), std::vector<bool>(code.size())};
    for (uint32_t n = 0; n < code.size(); ++n) {
        const Operation& op = code.op(n);
        all.on[n] = op.guard != no_row || !leads_away(op.flow);
        all.away[n] = leads_away(op.flow);
    }
    return all;
}

uint32_t ReachingWriters::of(uint32_t n, int slot) const {
    const RowAt row = code_.row(n, slot);
    return number(row) == single ? only_[row / Code::unit] : writers_[n][static_cast<size_t>(slot)];
}

// What it writes: one register.
bool ReachingWriters::is_known(uint32_t n) const {
    return std::popcount(code_.effect(n).written) == 1 && code_.p.wide[code_.op(n).wide].written.empty();
}

template <class F>
void ReachingWriters::each_next(uint32_t n, const Edges& edges, F f) const {
    const Operation& op = code_.op(n);
    if (edges.on[n]) f(op.flow == Flow::multiway ? op.target : n + 1);
    if (edges.away[n] && op.flow == Flow::branch) f(op.target);
    if (edges.away[n] && op.flow == Flow::multiway)
        for (const uint32_t to : code_.p.tables[op.detail.number]) f(to);
}

void ReachingWriters::pass(uint32_t n, State& state) const {
    const Operation& op = code_.op(n);
    for (int slot = 0; slot < 8; ++slot)
        if (code_.writes(n, slot) && number(op.row[slot]) != single) {
            uint32_t& last = state[number(op.row[slot])];
            last = is_known(n) && (op.guard == no_row || last == n) ? n
                                                                    : nobody; // a guard leaves some lanes what they had
        }
    for (const RowAt row : code_.p.wide[op.wide].written)
        if (Code::is_register(row) && number(row) != single) state[number(row)] = nobody;
}

void ReachingWriters::find(const Edges& edges) {
    std::map<uint32_t, State> at; // before the first operations of straight code
    at[0].assign(numbers_, nobody);
    for (auto& of : writers_) of.fill(nobody);
    std::vector<uint32_t> open{0};
    while (!open.empty()) {
        uint32_t n = open.back();
        open.pop_back();
        State state = at[n];
        for (bool straight = true; straight && n < code_.size(); ++n) {
            for (int slot = 0; slot < Code::slots; ++slot)
                if (const RowAt row = code_.row(n, slot); Code::is_register(row) && number(row) != single)
                    writers_[n][static_cast<size_t>(slot)] = state[number(row)];
            pass(n, state);
            straight = !leader_[n + 1];
            if (straight) continue;
            each_next(n, edges, [&](uint32_t to) {
                if (to >= code_.size()) return;
                const auto [its, is_new] = at.try_emplace(to, state);
                bool changed = is_new;
                for (size_t r = 0; r < numbers_ && !is_new; ++r)
                    if (its->second[r] != state[r] && its->second[r] != nobody) its->second[r] = nobody, changed = true;
                if (changed) open.push_back(to);
            });
        }
    }
}

} // namespace sim
