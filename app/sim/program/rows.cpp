// Where registers lie in the warp's file: linear-scan allocation (Poletto and Sarkar, "Linear scan register allocation", 1999) over life
// ranges. PTX writes most registers once; without reuse their rows would not stay in the processor's caches.
#include "sim/program/passes.h"

#include <algorithm>

namespace sim {
namespace {

// From the first to the last operation at which a register's lanes are needed, in program order.
struct LifeRange {
    uint32_t from = ~0u, to = 0;
};

std::vector<LifeRange> life_ranges(const Program& p, const Graph& g, size_t registers) {
    const size_t words = (registers + 63) / 64, blocks = g.next.size();
    std::vector<Bits> needed(blocks, Bits(words)), killed(blocks, Bits(words)), live(blocks, Bits(words));
    for (uint32_t b = 0; b + 1 < blocks; ++b)
        for (uint32_t n = g.first[b + 1]; n-- > g.first[b];) {
            // A guarded write leaves the other lanes' values: it kills nothing.
            const bool kills = p.operations[n].guard == no_row;
            each_register(p, n, [&](uint32_t r, bool w) {
                if (w && kills) {
                    clear(needed[b], r);
                    set(killed[b], r);
                }
            });
            each_register(p, n, [&](uint32_t r, bool w) {
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
    std::vector<LifeRange> life(registers);
    auto extend = [&](uint32_t r, uint32_t at) {
        life[r].from = std::min(life[r].from, at);
        life[r].to = std::max(life[r].to, at);
    };
    for (uint32_t b = 0; b + 1 < blocks; ++b) {
        for (uint32_t n = g.first[b]; n < g.first[b + 1]; ++n)
            each_register(p, n, [&](uint32_t r, bool) { extend(r, n); });
        Bits out(words);
        for (uint32_t s : g.next[b])
            for (size_t i = 0; i < words; ++i) out[i] |= live[s][i];
        for (uint32_t r = 0; r < registers; ++r) {
            if (has(live[b], r)) extend(r, g.first[b]);
            if (has(out, r)) extend(r, g.first[b + 1]);
        }
    }
    return life;
}

int size_class(uint8_t width) { return width == 0 ? 0 : width == 2 ? 1 : width == 4 ? 2 : width == 8 ? 3 : 4; }
constexpr uint32_t bytes_of_class[] = {4, 64, 128, 256, 512};
constexpr int size_classes = 5;

std::vector<RowAt> places(const Assembly& a, Rows rows, uint32_t& file_bytes) {
    const std::vector<Register>& registers = a.draft.registers;
    const auto count = static_cast<uint32_t>(registers.size());
    std::vector<uint32_t> slot(count), used(size_classes, 0); // slot within the size class
    if (rows == Rows::reused &&
        uint64_t{count} * a.graph.next.size() < most_bits) { // beyond that every register keeps its own row
        const std::vector<LifeRange> life = life_ranges(a.program, a.graph, count);
        std::vector<uint32_t> by_start;
        for (uint32_t r = 0; r < count; ++r) by_start.push_back(r);
        auto start = [&](uint32_t r) { return registers[r].kept ? 0 : life[r].from; };
        auto end = [&](uint32_t r) { return registers[r].kept ? ~0u : life[r].to; };
        std::sort(by_start.begin(), by_start.end(),
                  [&](uint32_t x, uint32_t y) { return std::pair(start(x), x) < std::pair(start(y), y); });
        std::vector<std::vector<std::pair<uint32_t, uint32_t>>> busy(size_classes); // heap of (end, slot)
        std::vector<std::vector<uint32_t>> free(size_classes);
        for (uint32_t r : by_start) {
            auto& heap = busy[static_cast<size_t>(size_class(registers[r].width))];
            auto& spare = free[static_cast<size_t>(size_class(registers[r].width))];
            auto later = [](const auto& x, const auto& y) { return x > y; };
            while (!heap.empty() && heap.front().first < start(r)) {
                spare.push_back(heap.front().second);
                std::pop_heap(heap.begin(), heap.end(), later);
                heap.pop_back();
            }
            if (spare.empty()) spare.push_back(used[static_cast<size_t>(size_class(registers[r].width))]++);
            slot[r] = spare.back();
            spare.pop_back();
            heap.push_back({end(r), slot[r]});
            std::push_heap(heap.begin(), heap.end(), later);
        }
    } else {
        for (uint32_t r = 0; r < count; ++r) slot[r] = used[static_cast<size_t>(size_class(registers[r].width))]++;
    }
    uint32_t base[size_classes] = {};
    uint32_t at = (used[0] * bytes_of_class[0] + 63) / 64 * 64;
    for (int c = 1; c < size_classes; ++c) {
        base[c] = at;
        at += used[static_cast<size_t>(c)] * bytes_of_class[c];
    }
    file_bytes = (at + 63) / 64 * 64;
    std::vector<RowAt> place(count);
    for (uint32_t r = 0; r < count; ++r) {
        const int c = size_class(registers[r].width);
        place[r] = base[c] + slot[r] * bytes_of_class[c];
    }
    return place;
}

void move_to(const std::vector<RowAt>& place, RowAt& at) {
    if (is_register(at)) at = place[at >> 1];
}

} // namespace

void place_rows(Assembly& a, Rows rows) {
    Program& p = a.program;
    a.place = places(a, rows, p.register_bytes);
    const std::vector<RowAt>& place = a.place;
    for (Operation& op : p.operations) {
        for (RowAt& at : op.row) move_to(place, at);
        for (RowAt* at : {&op.address, &op.address_upper, &op.source, &op.guard}) move_to(place, *at);
    }
    for (WideRows& wide : p.wide)
        for (auto* list : {&wide.written, &wide.read})
            for (RowAt& at : *list) move_to(place, at);
    for (auto& [operation, use] : p.accumulator_uses)
        for (AccumulatorUse::Register& r : use.registers) move_to(place, r.at);
    for (SpecialRow& s : p.specials) move_to(place, s.at);
    for (NamedRow& n : p.names) move_to(place, n.at);
}

} // namespace sim
