// Control flow of decoded operations: basic blocks, post-dominators, life ranges.
#include "sim/flow.h"

#include <algorithm>

namespace sim {

Graph graph_of(const std::vector<Operation>& operations, const std::vector<std::vector<uint32_t>>& tables) {
    const auto size = static_cast<uint32_t>(operations.size());
    std::vector<bool> leader(size + 1, false);
    std::vector<uint32_t> to;
    leader[0] = true;
    for (uint32_t n = 0; n < size; ++n) {
        if (operations[n].flow != Flow::branch && operations[n].flow != Flow::multiway &&
            operations[n].flow != Flow::exit)
            continue;
        leader[n + 1] = true;
        successors(operations, tables, n, to);
        for (uint32_t t : to) leader[t] = true;
    }
    Graph g;
    g.block_of.resize(size + 1);
    for (uint32_t n = 0; n < size; ++n) {
        if (leader[n]) g.first.push_back(n);
        g.block_of[n] = static_cast<uint32_t>(g.first.size() - 1);
    }
    g.block_of[size] = static_cast<uint32_t>(g.first.size());
    g.first.push_back(size);
    g.next.resize(g.first.size());
    g.previous.resize(g.first.size());
    for (uint32_t b = 0; b + 1 < g.first.size(); ++b) {
        successors(operations, tables, g.first[b + 1] - 1, to);
        for (uint32_t t : to) {
            if (std::find(g.next[b].begin(), g.next[b].end(), g.block_of[t]) != g.next[b].end()) continue;
            g.next[b].push_back(g.block_of[t]);
            g.previous[g.block_of[t]].push_back(b);
        }
    }
    return g;
}

void successors(const std::vector<Operation>& operations, const std::vector<std::vector<uint32_t>>& tables, uint32_t n,
                std::vector<uint32_t>& out) {
    const Operation& op = operations[n];
    out.clear();
    if (op.flow == Flow::branch) out.push_back(op.target);
    if (op.flow == Flow::multiway) out.insert(out.end(), tables[op.extra].begin(), tables[op.extra].end());
    if (op.flow == Flow::exit) out.push_back(static_cast<uint32_t>(operations.size()));
    const bool falls =
        op.guard != no_row || (op.flow != Flow::branch && op.flow != Flow::multiway && op.flow != Flow::exit);
    if (falls) out.push_back(op.flow == Flow::multiway ? op.target : n + 1);
}

void find_reconvergence(std::vector<Operation>& operations, const std::vector<std::vector<uint32_t>>& tables) {
    if (operations.empty()) return;
    const Graph g = graph_of(operations, tables);
    const base::Dominators after(g.previous, g.next, g.exit());
    for (uint32_t n = 0; n < operations.size(); ++n) {
        if (operations[n].flow != Flow::branch && operations[n].flow != Flow::multiway) continue;
        const uint32_t block = g.block_of[n]; // of an endless loop's there is no way to the exit: they meet there
        operations[n].reconverge = g.first[after.reached(block) ? after.parent(block) : g.exit()];
    }
}

void order_branches(std::vector<Operation>& operations, const std::vector<std::vector<uint32_t>>& tables,
                    const std::vector<bool>& waits) {
    if (operations.empty()) return;
    const Graph g = graph_of(operations, tables);
    std::vector<bool> block_waits(g.next.size(), false);
    for (uint32_t n = 0; n < operations.size(); ++n)
        if (waits[n]) block_waits[g.block_of[n]] = true;
    uint64_t patience = 1 << 22; // blocks to look at, whatever somebody generates
    const auto waits_before = [&](uint32_t from, uint32_t meet) {
        std::vector<bool> seen(g.next.size(), false);
        std::vector<uint32_t> open{from};
        seen[from] = seen[meet] = true;
        while (!open.empty()) {
            const uint32_t at = open.back();
            open.pop_back();
            if (block_waits[at] || patience == 0) return true;
            --patience;
            for (const uint32_t next : g.next[at]) {
                if (seen[next]) continue;
                seen[next] = true;
                open.push_back(next);
            }
        }
        return false;
    };
    for (uint32_t n = 0; n < operations.size(); ++n) {
        Operation& op = operations[n];
        if (op.flow != Flow::branch || op.guard == no_row || op.target == op.reconverge || n + 1 == op.reconverge)
            continue;
        const uint32_t meet = g.block_of[op.reconverge];
        op.falls_first = waits_before(g.block_of[op.target], meet) && !waits_before(g.block_of[n + 1], meet);
    }
}

namespace {

// From the first to the last operation at which a register's lanes are needed, in program order.
struct LifeRange {
    uint32_t from = ~0u, to = 0;
};

std::vector<LifeRange> life_ranges(const std::vector<Operation>& operations, const Graph& g, const Virtuals& v) {
    const size_t words = (v.width.size() + 63) / 64, blocks = g.next.size();
    std::vector<Bits> needed(blocks, Bits(words)), killed(blocks, Bits(words)), live(blocks, Bits(words));
    for (uint32_t b = 0; b + 1 < blocks; ++b)
        for (uint32_t n = g.first[b + 1]; n-- > g.first[b];) {
            // A guarded write leaves the other lanes' values: it kills nothing.
            const bool kills = operations[n].guard == no_row;
            each_virtual(operations[n], v, n, [&](uint32_t r, bool w) {
                if (w && kills) {
                    clear(needed[b], r);
                    set(killed[b], r);
                }
            });
            each_virtual(operations[n], v, n, [&](uint32_t r, bool w) {
                if (!w) set(needed[b], r);
            });
        }
    for (bool changed = true; changed;) { // live at the start of each block
        changed = false;
        for (size_t b = blocks; b-- > 0;)
            for (size_t i = 0; i < words; ++i) {
                uint64_t out = 0;
                for (uint32_t s : g.next[b]) out |= live[s][i];
                const uint64_t in = needed[b][i] | (out & ~killed[b][i]);
                changed |= in != live[b][i];
                live[b][i] = in;
            }
    }
    std::vector<LifeRange> life(v.width.size());
    auto extend = [&](uint32_t r, uint32_t at) {
        life[r].from = std::min(life[r].from, at);
        life[r].to = std::max(life[r].to, at);
    };
    for (uint32_t b = 0; b + 1 < blocks; ++b) {
        for (uint32_t n = g.first[b]; n < g.first[b + 1]; ++n)
            each_virtual(operations[n], v, n, [&](uint32_t r, bool) { extend(r, n); });
        Bits out(words);
        for (uint32_t s : g.next[b])
            for (size_t i = 0; i < words; ++i) out[i] |= live[s][i];
        for (uint32_t r = 0; r < v.width.size(); ++r) {
            if (has(live[b], r)) extend(r, g.first[b]);
            if (has(out, r)) extend(r, g.first[b + 1]);
        }
    }
    return life;
}

// Takes operation `n`'s effect on the registers that are written on every path; visit(r): it reads r, which may be unwritten.
template <class F>
void assign(const std::vector<Operation>& operations, const Virtuals& v, uint32_t n, Bits& assigned, F visit) {
    bool whole = true;
    each_virtual(operations[n], v, n, [&](uint32_t r, bool w) {
        if (w || has(assigned, r)) return;
        whole = false;
        visit(r);
    });
    if (operations[n].guard != no_row) return; // the other lanes keep what they had
    each_virtual(operations[n], v, n, [&](uint32_t r, bool w) {
        if (!w) return;
        if (whole || v.kind[n] == Tracked::uses) set(assigned, r);
        else clear(assigned, r);
    });
}

int size_class(uint8_t width) { return width == 0 ? 0 : width == 2 ? 1 : width == 4 ? 2 : width == 8 ? 3 : 4; }
constexpr uint32_t bytes_of_class[] = {4, 64, 128, 256, 512};
constexpr int size_classes = 5;

} // namespace

std::map<uint32_t, std::vector<uint32_t>> unassigned_reads(const std::vector<Operation>& operations,
                                                           const std::vector<std::vector<uint32_t>>& tables,
                                                           const Virtuals& v) {
    std::map<uint32_t, std::vector<uint32_t>> found;
    const Graph g = graph_of(operations, tables);
    const size_t words = (v.width.size() + 63) / 64;
    if (operations.empty() || uint64_t{v.width.size()} * g.next.size() >= most_bits) return found;
    std::vector<Bits> in(g.next.size(), Bits(words, ~uint64_t{0}));
    std::fill(in[0].begin(), in[0].end(), 0);
    for (uint32_t r = 0; r < v.width.size(); ++r)
        if (v.pinned[r]) set(in[0], r);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b + 1 < g.next.size(); ++b) {
            Bits assigned = in[b];
            for (uint32_t n = g.first[b]; n < g.first[b + 1]; ++n) assign(operations, v, n, assigned, [](uint32_t) {});
            for (uint32_t s : g.next[b])
                for (size_t i = 0; i < words; ++i) {
                    changed |= (in[s][i] & ~assigned[i]) != 0;
                    in[s][i] &= assigned[i];
                }
        }
    }
    for (uint32_t b = 0; b + 1 < g.next.size(); ++b) {
        Bits assigned = in[b];
        for (uint32_t n = g.first[b]; n < g.first[b + 1]; ++n)
            assign(operations, v, n, assigned, [&](uint32_t r) { found[n].push_back(r); });
    }
    return found;
}

void find_patterns(std::vector<Operation>& operations, const std::vector<std::vector<uint32_t>>& tables,
                   const Virtuals& v, uint32_t& patterns) {
    if (operations.empty()) return;
    const Graph g = graph_of(operations, tables);
    struct First {
        RowAt address;
        uint32_t bytes, operation;
    };
    std::vector<First> known; // whose register holds the same still
    for (uint32_t n = 0; n < operations.size(); ++n) {
        Operation& op = operations[n];
        if (n == g.first[g.block_of[n]]) known.clear();
        if (op.address != no_row) {
            using enum ptx::Opcode;
            const bool plain = op.guard == no_row && (v.opcode[n] == ld || v.opcode[n] == ldu || v.opcode[n] == st);
            const uint32_t bytes = uint32_t{op.bytes} * op.elements;
            const auto same = std::find_if(known.begin(), known.end(),
                                           [&](const First& f) { return f.address == op.address && f.bytes == bytes; });
            op.follows = plain && same != known.end();
            op.pattern = op.follows ? operations[same->operation].pattern : patterns++;
            if (op.follows) op.beyond = op.offset - operations[same->operation].offset;
            else if (plain) known.push_back({op.address, bytes, n});
            constexpr size_t most = 16;
            if (known.size() > most) known.erase(known.begin());
        }
        if (op.flow != Flow::next) known.clear(); // lanes or warps may take turns here
        each_virtual(op, v, n, [&](uint32_t r, bool written) {
            if (written) std::erase_if(known, [&](const First& f) { return f.address == r << 1; });
        });
    }
}

void place_rows(const std::vector<Operation>& operations, const std::vector<std::vector<uint32_t>>& tables, bool reuse,
                Virtuals& v) {
    const auto count = static_cast<uint32_t>(v.width.size());
    std::vector<uint32_t> slot(count), used(size_classes, 0); // slot within the size class
    const Graph g = graph_of(operations, tables);
    if (reuse && uint64_t{count} * g.next.size() < most_bits) { // beyond that every register keeps its own row
        const std::vector<LifeRange> life = life_ranges(operations, g, v);
        std::vector<uint32_t> by_start;
        for (uint32_t r = 0; r < count; ++r) by_start.push_back(r);
        auto start = [&](uint32_t r) { return v.kept[r] ? 0 : life[r].from; };
        auto end = [&](uint32_t r) { return v.kept[r] ? ~0u : life[r].to; };
        std::sort(by_start.begin(), by_start.end(),
                  [&](uint32_t a, uint32_t b) { return std::pair(start(a), a) < std::pair(start(b), b); });
        std::vector<std::vector<std::pair<uint32_t, uint32_t>>> busy(size_classes); // heap of (end, slot)
        std::vector<std::vector<uint32_t>> free(size_classes);
        for (uint32_t r : by_start) {
            auto& heap = busy[static_cast<size_t>(size_class(v.width[r]))];
            auto& spare = free[static_cast<size_t>(size_class(v.width[r]))];
            auto later = [](const auto& a, const auto& b) { return a > b; };
            while (!heap.empty() && heap.front().first < start(r)) {
                spare.push_back(heap.front().second);
                std::pop_heap(heap.begin(), heap.end(), later);
                heap.pop_back();
            }
            if (spare.empty()) spare.push_back(used[static_cast<size_t>(size_class(v.width[r]))]++);
            slot[r] = spare.back();
            spare.pop_back();
            heap.push_back({end(r), slot[r]});
            std::push_heap(heap.begin(), heap.end(), later);
        }
    } else {
        for (uint32_t r = 0; r < count; ++r) slot[r] = used[static_cast<size_t>(size_class(v.width[r]))]++;
    }
    uint32_t base[size_classes] = {};
    uint32_t at = (used[0] * bytes_of_class[0] + 63) / 64 * 64;
    for (int c = 1; c < size_classes; ++c) {
        base[c] = at;
        at += used[static_cast<size_t>(c)] * bytes_of_class[c];
    }
    v.file_bytes = (at + 63) / 64 * 64;
    v.place.resize(count);
    for (uint32_t r = 0; r < count; ++r) {
        const int c = size_class(v.width[r]);
        v.place[r] = base[c] + slot[r] * bytes_of_class[c];
    }
}

std::vector<bool> find_blind(const std::vector<Operation>& operations, const Virtuals& v, size_t pcs) {
    Bits read((v.width.size() + 63) / 64);
    for (uint32_t n = 0; n < operations.size(); ++n)
        each_virtual(operations[n], v, n, [&](uint32_t reg, bool written) {
            if (!written) set(read, reg);
        });
    std::vector<bool> blind(pcs), seeing(pcs); // calls expand an instruction more than once
    for (uint32_t n = 0; n < operations.size(); ++n) {
        if (v.opcode[n] != ptx::Opcode::atom && v.opcode[n] != ptx::Opcode::red) continue;
        const uint32_t pc = operations[n].pc;
        each_virtual(operations[n], v, n, [&](uint32_t reg, bool written) {
            if (written && has(read, reg)) seeing[pc] = true;
        });
        blind[pc] = !seeing[pc];
    }
    return blind;
}

} // namespace sim
