#include "timing/memory.h"

#include "analysis/sectors.h"

#include <algorithm>
#include <bit>

namespace timing {
namespace {

uint64_t hashed(uint64_t line) { // Fibonacci hashing (Knuth, vol. 3, 6.4)
    return line * 0x9E3779B97F4A7C15u;
}

} // namespace

FirstLevel::FirstLevel(double bytes)
    : sets_(std::max<size_t>(1, static_cast<size_t>(bytes) / analysis::line_bytes / ways)) {
    entries_.resize(sets_ * ways);
}

FirstLevel::Entry& FirstLevel::entry(uint64_t line) {
    Entry* const set = entries_.data() + (hashed(line) >> 32) % sets_ * ways;
    Entry* oldest = set;
    for (size_t n = 0; n < ways; ++n) {
        if (set[n].line == line) return set[n];
        if (set[n].used < oldest->used) oldest = set + n;
    }
    *oldest = {.line = line};
    return *oldest;
}

FirstLevel::Found FirstLevel::find(uint64_t line, uint8_t sectors, Cycle now) {
    Entry& e = entry(line);
    e.used = now + 1; // 0: it was never used
    Found found{now, static_cast<uint8_t>(sectors & ~e.sectors)};
    for (unsigned s = 0; s < e.ready.size(); ++s)
        if (sectors & e.sectors & 1u << s) found.ready = std::max(found.ready, e.ready[s]);
    return found;
}

void FirstLevel::fill(uint64_t line, uint8_t sectors, Cycle ready) {
    Entry& e = entry(line);
    e.sectors |= sectors;
    for (unsigned s = 0; s < e.ready.size(); ++s)
        if (sectors & 1u << s) e.ready[s] = ready;
}

Memory::Memory(const Machine& m, const Behind& behind, const WhatIf& what_if)
    : machine_(m), behind_(behind), what_if_(what_if), first_level_(behind.l1_bytes) {}

Memory::Served Memory::shared(Cycle now, uint32_t wavefronts, uint32_t registers) {
    const Cycle begun = std::max(now, unit_free_);
    unit_free_ = begun + std::max<Cycle>(wavefronts + lost_to_products(begun, wavefronts),
                                         registers / 2); // two registers a cycle leave it
    const double latency = machine_.shared_latency + machine_.wavefront_latency * (wavefronts - 1) + (registers - 1);
    return {begun, begun + lost_to_products(begun, wavefronts - 1) + static_cast<Cycle>(latency)};
}

// While a product reads, a wavefront takes more cycles than one: how many more, of all.
Cycle Memory::lost_to_products(Cycle begun, uint32_t wavefronts) const {
    const auto interval = static_cast<Cycle>(machine_.beside_product_interval);
    const Cycle left = fed_until_ > begun ? fed_until_ - begun : 0;
    return std::min<Cycle>(wavefronts, (left + interval - 1) / interval) * (interval - 1);
}

// One line's sectors, from L2 or the memory behind it.
Cycle Memory::fetch(Cycle now, uint64_t line, int sectors) {
    const double bytes = sectors * analysis::sector_bytes;
    l2_free_ = std::max(static_cast<double>(now), l2_free_) + bytes / (machine_.l2_bytes_per_cycle * behind_.l2_times);
    double done = l2_free_ + machine_.l2_latency * what_if_.memory_latency;
    if (static_cast<double>(hashed(line) >> 11) < behind_.from_memory * 0x1p53) {
        memory_free_ = std::max(static_cast<double>(now), memory_free_) + bytes / machine_.memory_bytes_per_cycle;
        done = std::max(done, memory_free_ + machine_.memory_latency * what_if_.memory_latency);
    }
    return static_cast<Cycle>(done);
}

Memory::Served Memory::load(Cycle now, const Moved& a, const Line* lines, uint32_t registers, bool past_l1) {
    const Cycle begun = std::max(now, unit_free_);
    const auto hit = static_cast<Cycle>(machine_.l1_latency);
    Cycle at = begun, done = begun + hit +
                             static_cast<Cycle>(machine_.wavefront_latency) * (std::max<Cycle>(a.lines, 1) - 1) +
                             registers - 1;
    for (const Line* l = lines; l < lines + a.lines; ++l, ++at) {
        const FirstLevel::Found found =
            past_l1 ? FirstLevel::Found{at, l->sectors} : first_level_.find(l->number, l->sectors, at);
        done = std::max(done, found.ready + hit);
        if (found.missing == 0) continue;
        const Cycle ready = fetch(at, l->number, std::popcount(found.missing));
        done = std::max(done, ready);
        if (!past_l1) first_level_.fill(l->number, found.missing, ready - hit);
    }
    unit_free_ = std::max(begun + registers, at); // a register a cycle leaves it
    return {begun, done};
}

Memory::Served Memory::load_in_order(Cycle now, const Moved& a, const Line* lines, uint32_t registers, bool past_l1) {
    Served served = load(now, a, lines, registers, past_l1);
    served.done = returned_ = std::max(returned_, served.done);
    return served;
}

Memory::Served Memory::store(Cycle now, const Moved& a, const Line* lines) {
    const Cycle begun = std::max(now, unit_free_);
    unit_free_ = begun + std::max<Cycle>(1, a.lines);
    store_free_ = std::max(static_cast<double>(begun), store_free_);
    for (const Line* l = lines; l < lines + a.lines; ++l) {
        const int packets = std::popcount(l->sectors) + (l->partial != 0 ? 1 : 0); // with a mask of bytes
        store_free_ += std::max(packets * machine_.store_packet_alone,
                                behind_.storing * (machine_.store_request + packets * machine_.store_packet));
    }
    return {begun,
            std::max(unit_free_ + static_cast<Cycle>(machine_.operand_latency), static_cast<Cycle>(store_free_))};
}

Memory::Served Memory::copy(Cycle now, const Moved& a, const Line* lines) {
    Cycle done = now;
    for (const Line* l = lines; l < lines + a.lines; ++l)
        done = std::max(done, fetch(now, l->number, std::popcount(l->sectors)));
    unit_free_ =
        std::max(now, unit_free_) + a.lines / 2; // what arrives is written between accesses, two lines a cycle at most
    return {now, done + static_cast<Cycle>(machine_.copy_latency)};
}

Memory::Served Memory::other(Cycle now, double latency) {
    const Cycle begun = std::max(now, unit_free_);
    unit_free_ = begun + 1;
    return {begun, begun + static_cast<Cycle>(latency)};
}

} // namespace timing
