#include "sim/run/products.h"

#include "sim/lanes/vectors.h"
#include "sim/run/block.h"

#include <algorithm>
#include <cstring>

namespace sim {
namespace {

constexpr uint32_t chunk = MatrixDescriptor::chunk;

uint32_t bytes_of(ptx::Type t) { return t == ptx::Type::tf32 ? 4 : 2; }

// Calls f(place, element) for every 16 bytes of the operand in shared memory; element(n): the number of the
// n-th of them.
template <class F>
void each_piece(const MatrixPart& o, uint32_t bytes, F f) {
    const uint32_t depth = MatrixPart::depth(bytes);
    o.each_piece(bytes, [&](uint64_t place, uint32_t i, uint32_t k) {
        f(place, [&](uint32_t n) { return o.transposed ? (i + n) * depth + k : i * depth + k + n; });
    });
}

// The 16 bytes of a piece in shared memory, as elements that lie `apart` from each other, or compared with them.
template <class T>
void take(const std::byte* from, uint64_t* to, uint32_t apart) {
    T element[chunk / sizeof(T)];
    std::memcpy(element, from, chunk);
    for (size_t n = 0; n < chunk / sizeof(T); ++n) to[n * apart] = element[n];
}
template <class T>
bool same(const std::byte* as, const uint64_t* elements, uint32_t apart) {
    T element[chunk / sizeof(T)];
    std::memcpy(element, as, chunk);
    uint64_t differs = 0;
    for (size_t n = 0; n < chunk / sizeof(T); ++n) differs |= element[n] ^ elements[n * apart];
    return differs == 0;
}

} // namespace

MatrixDescriptor::MatrixDescriptor(uint64_t bits) {
    constexpr uint32_t modes[] = {0, 128, 64, 32};
    const auto field = [&](int at) { return (bits >> at & 0x3FFF) * chunk; };
    start = field(0);
    leading = field(16);
    stride = field(32);
    base_offset = bits >> 49 & 7;
    swizzle = modes[bits >> 62];
}

// A row of the pattern is as long as the swizzle, or 16 bytes. Along K: row after row for i, `stride` from 8
// to the next 8; where nothing is swizzled, `leading` to the second 16 bytes of K. Along M or N: row after
// row for k; `stride` from 8 of them to the next and `leading` to the next row's length of i, or, where
// nothing is swizzled, the two change places. The manual draws this in section 9.7.15.5.1.2, CUTLASS writes
// it down in mma_traits_sm90_gmma.hpp.
uint64_t MatrixDescriptor::place(uint32_t i, uint32_t k, uint32_t each, bool transposed) const {
    const uint32_t row = std::max(swizzle, chunk);
    uint64_t at = start;
    if (!transposed) {
        at += i % 8 * row + i / 8 * stride + k / each * (swizzle ? chunk : leading);
    } else {
        const uint32_t across = i / each, wide = row / chunk;
        at += across % wide * chunk + k % 8 * row + across / wide * (swizzle ? leading : stride) +
              k / 8 * (swizzle ? stride : leading);
    }
    return trace::swizzled(at, swizzle);
}

void multiply_in_warpgroup(Warp& w, const Operation& op, uint32_t active) { w.block->products.begin(w, op, active); }
void commit_products(Warp& w, const Operation&, uint32_t) { w.block->products.commit(w); }
void wait_products(Warp& w, const Operation& op, uint32_t) { w.block->products.wait(w, op.detail.groups_left); }
void guard_accumulators(Warp& w, const Operation& op, uint32_t active) {
    w.block->products.execute_other(w, op, active);
}

Products::Products(BlockContext& block, Report& report, SharedRaces& shared, ProductReads& reads)
    : block_(block), report_(report), shared_races_(shared), product_reads_(reads), products_(block.warps.size()) {}

void Products::reset() { products_.assign(products_.size(), {}); }

// rows: 0 A's descriptor, 1 B's, 2 whether it adds; wide: the accumulators, and A where it lies in registers.
void Products::begin(const Warp& w, const Operation& op, uint32_t active) {
    if (active != ~0u) return report_.not_together(w, op, active);
    if (w.index / 4 * 4 + 4 > block_.warps.size()) {
        if (!report_.known(trace::FindingKind::divergent_barrier, op))
            report_.finding(trace::FindingKind::divergent_barrier, w, op, active,
                            base::say("a warpgroup has four warps; the block has fewer here"));
        return;
    }
    if (!block_.run.options.matrix_products) return;
    const WarpgroupProduct& p = block_.program.warpgroup_products[op.detail.number];
    Pending pending;
    pending.by = &op;
    pending.group = of(w).committed;
    pending.adds = (*row<uint32_t>(w, op.row[2]) & 1) != (op.negated_predicate >> 2 & 1);
    pending.b.in_memory.matrix = {.memory = MatrixDescriptor(row<uint64_t>(w, op.row[1])[0]),
                                  .first = 0,
                                  .count = p.product.n,
                                  .transposed = p.b_transposed};
    if (p.a_in_registers) gather(w, p.product.a, wide_rows(w, op).read.data(), pending.a.elements);
    else
        pending.a.in_memory.matrix = {.memory = MatrixDescriptor(row<uint64_t>(w, op.row[0])[0]),
                                      .first = w.index % 4 * p.product.m,
                                      .count = p.product.m,
                                      .transposed = p.a_transposed};
    const uint32_t bytes = bytes_of(p.product.a.type);
    if (!read_operand(w, op, bytes, pending.a) || !read_operand(w, op, bytes, pending.b)) return;
    product_reads_.begin(w, op, bytes, pending.a.in_memory, pending.b.in_memory);
    of(w).pending.push_back(std::move(pending));
    constexpr size_t most_pending = 4096; // a kernel that never waits: they land
    if (of(w).pending.size() > most_pending) finish(w, most_pending);
}

void Products::wait(const Warp& w, uint32_t still_pending) {
    const OfWarp& products = of(w);
    size_t done = 0;
    while (done < products.pending.size() &&
           uint64_t{products.pending[done].group} + still_pending < products.committed)
        ++done;
    finish(w, done);
}

// The first ones of those pending.
void Products::finish(const Warp& w, size_t count) {
    auto& pending = of(w).pending;
    for (size_t n = 0; n < count; ++n) finish(w, pending[n]);
    pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(count));
}

void Products::finish(const Warp& w, Pending& pending) {
    const WarpgroupProduct& p = block_.program.warpgroup_products[pending.by->detail.number];
    const RowAt* accumulators = wide_rows(w, *pending.by).written.data();
    const uint32_t bytes = bytes_of(p.product.a.type);
    if (!product_reads_.end_oldest(w))
        for (const Operand* operand : {&pending.a, &pending.b}) check_unchanged(w, *pending.by, bytes, *operand);
    const auto negate = [&](std::vector<uint64_t>& elements) {
        for (uint64_t& element : elements) element ^= uint64_t{1} << (bytes * 8 - 1);
    };
    if (p.a_negated) negate(pending.a.elements);
    if (p.b_negated) negate(pending.b.elements);
    std::vector<uint64_t> addend, result(p.product.m * p.product.n);
    gather(w, p.product.c, accumulators, addend);
    if (!pending.adds) std::fill(addend.begin(), addend.end(), 0);
    multiply(*block_.program.vectors, p.product, pending.a.elements, pending.b.elements, addend, result);
    scatter(w, p.product.d, accumulators, result, ~0u);
}

// False, and a finding: not all of it is shared memory.
bool Products::read_operand(const Warp& w, const Operation& op, uint32_t bytes, Operand& operand) {
    const MatrixPart& matrix = operand.in_memory.matrix;
    SharedRange& within = operand.in_memory.within;
    if (matrix.count == 0) return true;
    if (matrix.memory.base_offset != 0) {
        if (!report_.known(trace::FindingKind::unsupported, op))
            report_.finding(trace::FindingKind::unsupported, w, op, ~0u,
                            base::say("a matrix descriptor with a base offset is not executed"));
        return false;
    }
    trace::Addresses at{};
    uint32_t filled = 0;
    bool inside = true;
    within = {block_.shared.data.size(), 0};
    const auto check = [&] { // the reads of up to 32 pieces, as of as many lanes
        if (filled == 0) return;
        const uint32_t lanes = filled == 32 ? ~0u : (1u << filled) - 1;
        std::fill(at.begin() + filled, at.end(), at[0]);
        const auto [low, high] = std::minmax_element(at.begin(), at.end());
        within = {std::min(within.first, *low), std::max(within.end, *high + chunk)};
        const Access a{at, *low, *high, lanes, chunk, Access::load};
        if (*high + chunk <= block_.shared.data.size()) shared_races_.check(w, op, a, lanes);
        else report_.out_of_bounds(w, op, a, lanes, Space::shared), inside = false;
        filled = 0;
    };
    each_piece(matrix, bytes, [&](uint64_t place, auto) {
        if (!inside) return;
        at[filled++] = place;
        if (filled == 32) check();
    });
    check();
    if (!inside) return false;
    operand.elements.assign(matrix.count * MatrixPart::depth(bytes), 0);
    each_piece(matrix, bytes, [&](uint64_t place, auto element) {
        const auto taken = bytes == 2 ? take<uint16_t> : take<uint32_t>;
        taken(block_.shared.data.data() + place, operand.elements.data() + element(0), element(1) - element(0));
    });
    return true;
}

// Hardware reads at any time until the wait: what is written or copied there meanwhile may be part of the
// product. Who was let to do so is told by ProductReads; this finds the others, in the order that is executed.
void Products::check_unchanged(const Warp& w, const Operation& op, uint32_t bytes, const Operand& operand) {
    const MatrixPart& matrix = operand.in_memory.matrix;
    if (!block_.run.options.checks || matrix.count == 0) return;
    each_piece(matrix, bytes, [&](uint64_t place, auto element) {
        const auto is_same = bytes == 2 ? same<uint16_t> : same<uint32_t>;
        const bool changed =
            block_.shared.state[place] == SharedMemory::pending ||
            !is_same(block_.shared.data.data() + place, operand.elements.data() + element(0), element(1) - element(0));
        if (!changed || report_.known(trace::FindingKind::unwaited_async_copy, op)) return;
        report_.finding(trace::FindingKind::unwaited_async_copy, w, op, ~0u,
                        base::say("{} is written {} before the wait for this product, which reads it",
                                  report_.names.shared(op, place),
                                  report_.place_text(pc_of(block_.shared.writer[place / 4]))));
    });
}

// Accumulators belong to the products until these are waited for; so do the registers of A, which may be
// read.
void Products::execute_other(Warp& w, const Operation& op, uint32_t active) {
    const AccumulatorUse& use = block_.program.accumulator_uses.at(block_.number_of(op));
    for (const Pending& pending : of(w).pending) {
        const WideRows& rows = wide_rows(w, *pending.by);
        const auto among = [](const std::vector<RowAt>& list, RowAt at) {
            return std::find(list.begin(), list.end(), at) != list.end();
        };
        const auto taken =
            std::find_if(use.registers.begin(), use.registers.end(), [&](const AccumulatorUse::Register& r) {
                return among(rows.written, r.at) || (r.written && among(rows.read, r.at));
            });
        if (taken == use.registers.end()) continue;
        if (!report_.known(trace::FindingKind::unwaited_async_copy, op))
            report_.finding(trace::FindingKind::unwaited_async_copy, w, op, active,
                            base::say("{} {} before the wait for the product {} that has it",
                                      taken->written ? base::say("writes") : base::say("reads"), taken->name,
                                      report_.place_text(pending.by->pc)));
        break;
    }
    (active == ~0u ? use.full : use.masked)(w, op, active);
}

void Products::abandon(const Warp& w) {
    auto& pending = of(w).pending;
    if (pending.empty()) return;
    if (!report_.gave_up())
        report_.finding(trace::FindingKind::unwaited_async_copy, w, *pending[0].by, ~0u,
                        base::say("the warp exits without having waited for this product"), -1,
                        trace::Severity::warning);
    for (size_t n = 0; n < pending.size(); ++n) product_reads_.end_oldest(w);
    pending.clear();
}

} // namespace sim
