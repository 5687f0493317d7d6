// Machine instructions of what is under way beside the warps: mbarriers, bulk copies, the barrier of the cluster; and of lanes that are to
// meet. What they mean is read from what ptxas makes of the PTX instructions (manual, sections 9.7.13.15 and 9.7.9.25.4).
#include "sim/lanes/warp.h"
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

using ptx::Modifier;
using ptx::Modifiers;
using ptx::Opcode;
using ptx::Type;

namespace {

// The uniform datapath executes an instruction once for the warp: in the name of the first lane that is here,
template <Handler handler>
void once(Warp& w, const Operation& op, uint32_t active) {
    handler(w, op, active & (~active + 1));
}
// or of the warp, whose first thread counts groups for all.
template <Handler handler>
void for_warp(Warp& w, const Operation& op, uint32_t) {
    handler(w, op, 1);
}

uint16_t next(uint16_t uniform_register, int n) { return static_cast<uint16_t>(uniform_register + n); }

} // namespace

// FENCE orders the asynchronous proxy, MEMBAR all else.
void Lowering::fence() {
    const bool proxy = i_->opcode == "FENCE";
    Operation& op = append(proxy ? What::fence_async_proxy : What::fence, 0);
    op.full = op.masked = proxy ? no_operation : fence_memory;
}

// In a cluster machine code has the block's rank above the offset, and the engine one more (rank_unit in warp.h).
int64_t Lowering::shared_shift() const {
    return (program_.cluster.count() > 1 ? static_cast<int64_t>(rank_unit) : 0) - shared_base(banks_.sm);
}

// A register pair whose upper half says whether it leads to shared memory, as SR_SWINHI has it.
RowAt Lowering::generic_address(const Operand& o) {
    if (o.registers != 2 || o.base == Operand::none) {
        cannot();
        return no_row;
    }
    const RowAt low = register_row(general, o.base), high = register_row(general, next(o.base, 1));
    const RowAt shared = new_register(0), shifted = new_register(4), chosen = new_register(4);
    Operation& op = append(What::compare, 1);
    op.row[0] = shared, op.row[2] = high, op.row[3] = constant(shared_window >> 32, 4);
    op.width[2] = op.width[3] = 4;
    choose(op, {.opcode = Opcode::setp,
                .modifiers = Modifiers{}.add(Modifier::eq),
                .type = Type::u32,
                .source_type = Type::u32});
    compute(What::add, Opcode::add, Type::u32, {}, {shifted, 4},
            {{low, 4}, {constant(static_cast<uint64_t>(shared_shift()), 4), 4}});
    compute(What::select, Opcode::selp, Type::b32, {}, {chosen, 4}, {{shifted, 4}, {low, 4}, {shared, 0}});
    return joined(chosen, high);
}

// SYNCS: an mbarrier's instructions.
void Lowering::mbarrier() {
    if (i_->has("PHASECHK")) poll();
    else if (i_->has("ARRIVE")) arrive();
    else if (i_->has("EXCH")) initialise_mbarrier();
    else if (i_->has("IV")) {
        const bool uniformly = at(0).base == Operand::none;
        use_of_mbarrier(at(0), {.what = MbarrierUse::invalidate}, no_row,
                        uniformly ? once<sim::use_mbarrier> : sim::use_mbarrier);
    } else cannot();
}

// Before sm_90 machine code counts in an mbarrier's words with the instructions that all words have.
void Lowering::no_mbarriers() { fail(base::say("the engine does not execute the mbarriers of sm_{}", banks_.sm)); }

void Lowering::use_of_mbarrier(const Operand& address, MbarrierUse use, RowAt count, Handler handler) {
    Operation where;
    where.space = Space::shared;
    const RowAt row = this->address(address, where);
    Operation& op = append(What::mbarrier, 0);
    op.address = row, op.offset = where.offset, op.address_bytes = 4;
    op.space = Space::shared;
    op.strength = Strength::atomic;
    op.row[1] = count, op.width[1] = 4;
    op.full = op.masked = handler;
    op.detail.number = static_cast<uint32_t>(program_.mbarrier_uses.size());
    program_.mbarrier_uses.push_back(use);
}

// The value is a fresh mbarrier, as Mbarrier::token() has it: its low half tells how many arrivals it expects.
void Lowering::initialise_mbarrier() {
    if (!only({"EXCH", "64"}) || at(0).number != sass::zero_register || at(2).number == sass::zero_register)
        return cannot();
    constexpr uint64_t none_expected = uint64_t{1} << 20;
    const RowAt minus = new_register(4), count = new_register(4);
    compute(What::shift_right, Opcode::shr, Type::u32, {}, {minus, 4}, {{plain(at(2)), 4}, {constant(1, 4), 4}});
    compute(What::subtract, Opcode::sub, Type::u32, {}, {count, 4}, {{constant(none_expected, 4), 4}, {minus, 4}});
    use_of_mbarrier(at(1), {.what = MbarrierUse::initialise}, count, once<sim::use_mbarrier>);
}

// d:2, address, n. AxTy says what arrives: no thread, one or n (R); and what bytes: none, those expected that are n (R), or come (X).
void Lowering::arrive() {
    if (!only({"ARRIVE", "TRANS64", "RED", "OPTOUT", "TMASK", "A1T0", "ART0", "A0TR", "A0TX", "A0T1"})) return cannot();
    if (i_->has("A0T1")) return do_nothing(); // before ARRIVES.TRANSCNT, which counts the arrival that it announces
    MbarrierUse use;
    use.drops = i_->has("OPTOUT");
    use.stays_incomplete = i_->has("TMASK");
    use.what = i_->has("A0TR") ? MbarrierUse::expect : i_->has("A0TX") ? MbarrierUse::complete : MbarrierUse::arrive;
    const bool one = i_->has("A1T0");
    use.expects = use.what == MbarrierUse::arrive && !one && !i_->has("ART0");
    const RowAt number = one ? no_row : plain(at(2));
    use_of_mbarrier(at(1), use, number, sim::use_mbarrier);
    if (at(0).number == sass::zero_register) return;
    const RowAt state = new_register(8);
    program_.operations.back().row[0] = state, program_.operations.back().width[0] = 8;
    program_.effects.back().written = 1;
    split(state, written(at(0)), written(at(0), 1));
}

// p, address, a: the highest bit of a is the parity of the phase. TRYWAIT suspends the warp until the phase is over or a time has passed,
// which is long: the engine lets it wait.
void Lowering::poll() {
    if (!only({"PHASECHK", "TRANS64", "TRYWAIT"})) return cannot();
    const RowAt parity = new_register(4);
    compute(What::shift_right, Opcode::shr, Type::u32, {}, {parity, 4}, {{plain(at(2)), 4}, {constant(31, 4), 4}});
    Operation where;
    where.space = Space::shared;
    const RowAt row = address(at(1), where);
    Operation& op = append(What::poll_mbarrier, 0);
    write_predicate(op, 0, at(0));
    op.row[1] = parity, op.width[1] = 4;
    op.address = row, op.offset = where.offset, op.address_bytes = 4;
    op.space = Space::shared;
    op.detail.poll = {.parity = true, .suspends = i_->has("TRYWAIT")};
    op.flow = Flow::poll;
    op.full = op.masked = poll_mbarrier;
}

void Lowering::arrive_after_copies() {
    if (banks_.sm < 90) return no_mbarriers();
    Operation where;
    where.space = Space::shared;
    const RowAt row = address(at(0), where);
    Operation& op = append(What::arrive_after_copies, 0);
    op.address = row, op.offset = where.offset, op.address_bytes = 4;
    op.space = Space::shared;
    op.detail.counted = i_->has("ARVCNT");
    op.full = op.masked = sim::arrive_after_copies;
}

// `rows`: its addresses and rows. Of the copy that it starts.
void Lowering::append_copy(const Operation& rows, BulkUse use) {
    use.of_warp = !use.from_registers;
    Operation& op = append(What::bulk_copy, 0);
    std::copy(std::begin(rows.row), std::end(rows.row), std::begin(op.row));
    std::copy(std::begin(rows.width), std::end(rows.width), std::begin(op.width));
    op.space = rows.space;
    op.address = rows.address, op.offset = rows.offset, op.address_bytes = rows.address_bytes;
    op.source = rows.source, op.source_offset = rows.source_offset;
    op.elements = rows.elements;
    op.full = op.masked = use.from_registers ? start_bulk_copy : once<start_bulk_copy>;
    op.detail.number = static_cast<uint32_t>(program_.bulk_copies.size());
    program_.bulk_copies.push_back(use);
}

namespace {

// What is combined, and of which type; nothing: not executed.
Choice combination(const sass::Instruction& i) {
    static constexpr std::pair<std::string_view, Modifier> ways[] = {
        {"ADD", Modifier::add}, {"MIN", Modifier::min},  {"MAX", Modifier::max}, {"INC", Modifier::inc},
        {"DEC", Modifier::dec}, {"AND", Modifier::and_}, {"OR", Modifier::or_},  {"XOR", Modifier::xor_}};
    static constexpr std::pair<std::string_view, Type> types[] = {
        {"S32", Type::s32}, {"64", Type::u64},  {"U64", Type::u64},  {"S64", Type::s64},
        {"F32", Type::f32}, {"F16", Type::f16}, {"BF16", Type::bf16}};
    Choice c{.opcode = Opcode::cp_reduce_async_bulk, .modifiers = {}, .type = Type::u32, .source_type = Type::u32};
    for (const auto& [word, way] : ways)
        if (i.has(word)) c.modifiers.add(way);
    for (const auto& [word, type] : types)
        if (i.has(word)) c.type = c.source_type = type;
    return c;
}

} // namespace

// [to, and its mbarrier beside it], [from], 16ths of the size and, above, the mask of a multicast.
void Lowering::bulk_copy() {
    if (i_->modifiers.size() < 2) return cannot(); // to, from
    BulkUse use{.to_shared = i_->modifiers[0] == "S", .from_shared = i_->modifiers[1] == "S"};
    const uint16_t to = at(0).uniform, from = at(1).uniform;
    const RowAt size = plain(at(2)), pieces = new_register(4), bytes = new_register(4);
    compute(What::bit_and, Opcode::and_, Type::b32, {}, {pieces, 4}, {{size, 4}, {constant(0xFFFF, 4), 4}});
    compute(What::shift_left, Opcode::shl, Type::b32, {}, {bytes, 4}, {{pieces, 4}, {constant(4, 4), 4}});
    Operation op;
    op.row[0] = bytes, op.width[0] = 4;
    op.space = use.to_shared ? Space::shared : Space::global;
    const auto pair = [&](uint16_t first) {
        return joined(register_row(uniform, first), register_row(uniform, next(first, 1)));
    };
    if (use.to_shared) {
        op.address = register_row(uniform, to), op.offset = shared_shift(), op.address_bytes = 4;
        op.row[1] = register_row(uniform, next(to, 1)), op.width[1] = 4;
        use.barrier_offset = shared_shift();
    } else op.address = pair(to);
    if (use.from_shared) {
        op.source = register_row(uniform, from), op.source_offset = shared_shift();
        use.source_bytes = 4;
    } else op.source = pair(from);
    if (i_->has("MULTICAST")) {
        use.multicast = true;
        op.row[7] = upper_half(size), op.width[7] = 2;
    }
    if (i_->opcode == "UBLKRED") {
        const Choice c = combination(*i_);
        use.combine = select_combine(c);
        use.element_bytes = static_cast<uint8_t>(ptx::bytes(c.type));
        if (!use.combine || use.to_shared) return cannot();
    }
    append_copy(op, use);
}

// [the box, of a load its mbarrier, the indices], [map], and in the upper half of a word the mask of a multicast.
void Lowering::tensor_copy() {
    BulkUse use{.to_shared = i_->opcode == "UTMALDG", .from_shared = i_->opcode == "UTMASTG"};
    if (!only({"1D", "2D", "3D", "4D", "5D", "MULTICAST"})) return cannot();
    use.dimensions = static_cast<uint8_t>(i_->modifiers[0][0] - '0');
    const uint16_t box = at(0).uniform, map = at(1).uniform;
    Operation op;
    op.space = Space::shared;
    op.address = register_row(uniform, box), op.offset = shared_shift(), op.address_bytes = 4;
    op.source = joined(register_row(uniform, map), register_row(uniform, next(map, 1)));
    for (int d = 0; d < use.dimensions; ++d)
        op.row[d + 2] = register_row(uniform, next(box, d + (use.to_shared ? 2 : 1))), op.width[d + 2] = 4;
    if (use.to_shared) {
        op.row[1] = register_row(uniform, next(box, 1)), op.width[1] = 4;
        use.barrier_offset = shared_shift();
    } else program_.stores_anywhere = true; // which matrix the map is of is known at the launch
    if (i_->has("MULTICAST")) {
        if (use.dimensions == 5) return cannot(); // no row is left
        use.multicast = true;
        op.row[7] = upper_half(plain(at(2))), op.width[7] = 2;
    }
    append_copy(op, use);
}

RowAt Lowering::upper_half(RowAt word) {
    const RowAt of = new_register(4);
    compute(What::shift_right, Opcode::shr, Type::u32, {}, {of, 4}, {{word, 4}, {constant(16, 4), 4}});
    const RowAt to = new_register(2);
    Operation& op = append(What::convert, 1);
    op.row[0] = to, op.row[1] = of;
    op.width[0] = 2, op.width[1] = 4;
    choose(op, {.opcode = Opcode::cvt, .modifiers = {}, .type = Type::u16, .source_type = Type::u32});
    return to;
}

// STAS and REDAS [to, its mbarrier], value.
void Lowering::async_store() {
    BulkUse use{.to_shared = true, .from_registers = true, .element_bytes = 4};
    Operation op;
    op.space = Space::shared;
    op.address = register_row(general, at(0).base), op.offset = at(0).value + shared_shift(), op.address_bytes = 4;
    op.row[1] = register_row(general, next(at(0).base, 1)), op.width[1] = 4;
    use.barrier_offset = shared_shift();
    op.elements = at(1).registers;
    for (uint32_t n = 0; n < op.elements; ++n) op.row[2 + n] = second_of(at(1), n), op.width[2 + n] = 4;
    if (i_->opcode == "REDAS") {
        const Choice c = combination(*i_);
        use.combine = select_combine(c);
        if (!use.combine) return cannot();
        if (ptx::bytes(c.type) == 8) {
            use.element_bytes = 8;
            op.elements = 1;
            op.row[2] = joined(op.row[2], op.row[3]), op.row[3] = no_row, op.width[2] = 8, op.width[3] = 0;
        }
    }
    append_copy(op, use);
}

void Lowering::commit_bulk_copies() {
    Operation& op = append(What::commit_bulk_copies, 0);
    op.full = op.masked = for_warp<sim::commit_bulk_copies>;
}

void Lowering::wait_bulk_copies() {
    Operation& op = append(What::wait_bulk_copies, 0);
    op.full = op.masked = for_warp<sim::wait_bulk_copies>;
    op.detail.groups_left = static_cast<uint32_t>(at(1).value);
}

void Lowering::cluster_barrier() {
    Operation& op = append(What::cluster_barrier, 0);
    op.full = op.masked = no_operation;
    op.flow = Flow::cluster;
    op.detail.cluster = i_->opcode == "UCGABAR_ARV" ? ClusterUse::arrives : ClusterUse::waits;
    if (!after_cluster_fence_) op.strength = Strength::atomic; // .relaxed
}

// p, d, q: p in one of the lanes that are here, and q; d: its number.
void Lowering::elect() {
    if (!is_true(at(2))) return cannot();
    Operation& op = append(What::meet, 0);
    op.full = op.masked = elect_lane;
    if (at(1).number != sass::zero_register)
        op.row[0] = written(at(1)), op.width[0] = 4, program_.effects.back().written = 1;
    write_predicate(op, 1, at(0));
    op.row[2] = constant(~0u, 4), op.width[2] = 4;
}

// p, d, a of R2UR: the first lane that the guard lets execute it gives all its a: they have one d together. p: whose a that is not, who
// do it again; of .OR also who had p already.
void Lowering::broadcast() {
    if (!only({"OR"})) return cannot();
    const RowAt from = plain(at(2));
    const Guard guard = std::exchange(guard_, {});
    Operation& op = append(What::broadcast, 1);
    op.row[0] = written(at(1)), op.row[1] = from;
    op.width[0] = op.width[1] = 4;
    op.row[2] = guard.row;
    if (guard.negated) op.negated_predicate = 1 << 2;
    write_predicate(op, 3, at(0));
    op.row[4] = op.row[3]; // who does not take part keeps it
    op.detail.number = i_->has("OR");
    op.full = op.masked = broadcast_first;
    guard_ = guard;
    if (guard.row != no_row) do_nothing(); // which is counted for the lanes of the guard
}

// p, d, [a]: of shared memory, of the own block (S) or of the cluster (D), or of local memory (L).
void Lowering::is_in_space() {
    if (!only({"E", "S", "D", "L", "G"}) || at(1).number != sass::zero_register) return cannot();
    const RowAt row = generic_address(at(2));
    Operation& op = append(What::compute_state, 0);
    write_predicate(op, 0, at(0));
    op.row[1] = row, op.width[1] = 8;
    op.space = i_->has("L") ? Space::local : i_->has("G") ? Space::global : Space::shared;
    op.reaches_cluster = i_->has("D");
    op.full = op.masked = sim::is_in_space;
}

bool Lowering::gathers_all() const {
    if (i_->opcode != "WARPSYNC" || i_->has("COLLECTIVE") || i_->has("EXCLUSIVE")) return false;
    constexpr int64_t all = 0xFFFFFFFF;
    return i_->has("ALL") ||
           (i_->operands.size() > 1 && i_->operands[1].kind == Kind::integer && (i_->operands[1].value & all) == all);
}

// Of a __syncwarp() that finds all lanes here NOP alone is left; WARPSYNC names them. One of all lanes, before sm_90 by their mask, also stands
// before what they have to execute together.
void Lowering::meet() {
    if (i_->has("COLLECTIVE") || i_->has("EXCLUSIVE")) return separate();
    if (gathers_all()) {
        count_here();                                        // by each part; where they are gathered they meet
        if (!made_of_.meets_lanes || i_->has("ALL")) return; // behind .ALL something else lets them meet
    }
    Operation& op = append(What::meet, 0);
    op.full = op.masked = meet_here;
    if (i_->opcode == "NOP" || gathers_all()) return;
    op.row[1] = plain(at(1)), op.width[1] = 4;
    choose(op, {.opcode = Opcode::bar_warp_sync, .modifiers = {}});
}

// WARPSYNC.COLLECTIVE and .EXCLUSIVE, mask: lanes with one mask go on; the others come back here when those are at the end of the region.
void Lowering::separate() {
    const RowAt mask = plain(at(1)), others = new_register(0);
    if (guard_.row != no_row) return cannot();
    Operation& first = append(What::broadcast, 1 << 0 | 1 << 3);
    first.row[0] = new_register(4), first.row[1] = mask, first.row[3] = others;
    first.width[0] = first.width[1] = 4;
    first.full = first.masked = broadcast_first;
    guard_ = {others, true};
    Operation& together = append(What::meet, 0);
    together.row[1] = mask, together.width[1] = 4;
    choose(together, {.opcode = Opcode::bar_warp_sync, .modifiers = {}});
    program_.effects.back().silent = false;
    guard_ = {others, false};
    Operation& again = append(What::nothing, 0);
    again.full = again.masked = no_operation;
    again.flow = Flow::branch;
    again.target = pc_; // until resolve()
}

// BRA.U.ANY: all lanes that are here go, if one of them is to.
void Lowering::branch_of_any() {
    const RowAt all = new_register(0);
    const Guard own = std::exchange(guard_, {});
    Operation& op = append(What::meet, 2);
    op.row[1] = all, op.row[2] = own.row == no_row ? constant(1, 0) : own.row;
    if (own.negated) op.negated_predicate = 1 << 2;
    op.detail.number = 1; // any
    op.full = op.masked = vote_of_lanes;
    guard_ = own;
    count_here();
    guard_ = {all, false};
}

// BRA.DIV: to where the lanes are gathered that the mask names, unless they are here and the guard lets them; BRA.CONV: if they are. All
// go that are here, whatever their guards say: those whose masks differ may not go on together. Of sm_75 it has no mask and means all.
void Lowering::branch_by_place() {
    const RowAt apart = new_register(0);
    const Guard own = std::exchange(guard_, {});
    const RowAt mask = i_->operands.size() > 2 ? read(at(1)) : constant(~0u, 4);
    Operation& op = append(What::meet, 1);
    op.row[0] = apart, op.row[1] = mask, op.row[2] = own.row, op.width[1] = 4;
    if (own.negated) op.negated_predicate = 1 << 2;
    op.full = op.masked = meet_unless_apart;
    guard_ = own;
    count_here();
    guard_ = {apart, i_->has("CONV")};
}

} // namespace sim
