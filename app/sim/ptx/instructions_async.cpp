// Decoding of mbarriers and bulk copies (manual, sections 9.7.13.15, 9.7.9.25.4 and 9.7.9.25.5).
#include "sim/ptx/ptx_row.h"

namespace sim {
namespace {

using ptx::Modifier;
using ptx::Opcode;

bool on_shared(const ptx::Modifiers& m) { return space_of(m) == Space::shared || space_of(m) == Space::generic; }

} // namespace

base::Sentence decode_mbarrier(Operands& o) {
    const auto& i = o.instruction;
    const auto& m = i.modifiers;
    MbarrierUse u;
    const bool arrives = i.opcode == Opcode::mbarrier_arrive || i.opcode == Opcode::mbarrier_arrive_drop;
    switch (i.opcode) {
    case Opcode::mbarrier_init: u.what = MbarrierUse::initialise; break;
    case Opcode::mbarrier_inval: u.what = MbarrierUse::invalidate; break;
    case Opcode::mbarrier_expect_tx: u.what = MbarrierUse::expect; break;
    case Opcode::mbarrier_complete_tx: u.what = MbarrierUse::complete; break;
    default: u.what = MbarrierUse::arrive;
    }
    u.expects = m.has(Modifier::expect_tx);
    u.stays_incomplete = m.has(Modifier::no_complete);
    u.drops = i.opcode == Opcode::mbarrier_arrive_drop;
    const ptx::Operand *address = o.at(arrives ? 1 : 0), *count = o.at(arrives ? 2 : 1);
    if (!address || !on_shared(m)) return base::say("an mbarrier lies in shared memory");
    if (!count && (u.expects || u.stays_incomplete || (!arrives && i.opcode != Opcode::mbarrier_inval)))
        return base::say("the count is missing");
    if (arrives) o.write(0, *o.at(0), 8);
    if (count) o.read(1, *count, 4);
    o.op.space = space_of(m);
    o.op.address = o.address_row(*address, o.op.address_bytes, o.op.offset);
    o.op.strength = std::max(o.op.strength, Strength::atomic);
    o.op.detail.number = static_cast<uint32_t>(o.decoder.program->mbarrier_uses.size());
    o.decoder.program->mbarrier_uses.push_back(u);
    o.op.full = o.op.masked = use_mbarrier;
    return o.error;
}

base::Sentence decode_poll(Operands& o) {
    const auto& m = o.instruction.modifiers;
    const ptx::Operand *d = o.at(0), *address = o.at(1), *state = o.at(2);
    if (!d || !address || !state || !on_shared(m)) return base::say("an operand is missing");
    o.op.detail.poll = {.parity = m.has(Modifier::parity), .suspends = false};
    o.write(0, *d, 0);
    o.read(1, *state, o.op.detail.poll.parity ? 4 : 8);
    o.op.space = space_of(m);
    o.op.address = o.address_row(*address, o.op.address_bytes, o.op.offset);
    o.op.flow = Flow::poll;
    o.op.full = o.op.masked = poll_mbarrier;
    return o.error;
}

base::Sentence decode_pending_count(Operands& o) {
    const ptx::Operand *d = o.at(0), *a = o.at(1);
    if (!d || !a) return base::say("an operand is missing");
    o.write(0, *d, 4);
    o.read(1, *a, 8);
    o.op.full = o.op.masked = pending_count;
    return o.error;
}

base::Sentence decode_arrival_after_copies(Operands& o) {
    if (!on_shared(o.instruction.modifiers)) return base::say("an mbarrier lies in shared memory");
    o.op.detail.counted = o.instruction.modifiers.has(Modifier::noinc);
    o.op.space = space_of(o.instruction.modifiers);
    o.op.address = o.address_row(*o.at(0), o.op.address_bytes, o.op.offset);
    o.op.full = o.op.masked = arrive_after_copies;
    return o.error;
}

namespace {

// The state spaces as written, the destination's first.
std::pair<Space, Space> ends(const std::string& mnemonic) {
    const size_t global = mnemonic.find(".global"), shared = mnemonic.find(".shared::");
    if (global == std::string::npos) return {Space::shared, Space::shared};
    return shared < global ? std::pair{Space::shared, Space::global} : std::pair{Space::global, Space::shared};
}

// The mask of blocks, of 16 bits. False: it is missing.
bool read_multicast(Operands& o, const ptx::Operand* mask) {
    if (mask) o.read(7, *mask, 2);
    else o.fail(base::say("the mask of blocks is missing"));
    return o.error.empty();
}

} // namespace

base::Sentence decode_bulk_copy(Operands& o) {
    const auto& i = o.instruction;
    const auto& m = i.modifiers;
    const auto [to, from] = ends(i.mnemonic);
    const ptx::Operand *target = o.at(0), *source = o.at(1), *size = o.at(2), *barrier = o.at(3);
    if (!target || !source || !size) return base::say("an operand is missing");
    BulkUse u{.to_shared = to == Space::shared, .from_shared = from == Space::shared};
    u.multicast = m.has(Modifier::multicast_cluster);
    if (u.multicast && !read_multicast(o, i.operands.size() > 4 ? o.at(4) : nullptr)) return o.error;
    if (u.to_shared != m.has(Modifier::complete_tx)) return base::say("this way of completing is not executed");
    if (i.opcode == Opcode::cp_reduce_async_bulk) {
        if (i.types.size() != 1 || u.to_shared) return base::say("this reduction is not executed");
        u.element_bytes = static_cast<uint8_t>(ptx::bytes(i.types[0]));
        u.combine = select_combine(choice_of(o));
        if (!u.combine) return base::say("the engine does not execute {}", i.mnemonic);
    }
    o.op.space = to;
    o.op.address = o.address_row(*target, o.op.address_bytes, o.op.offset);
    o.op.source = o.address_row(*source, u.source_bytes, o.op.source_offset);
    if ((!u.to_shared && o.op.address_bytes != 8) || (!u.from_shared && u.source_bytes != 8))
        return base::say("an address in global memory has 64 bits");
    o.read(0, *size, 4);
    if (u.to_shared) {
        if (!barrier || barrier->kind != ptx::OperandKind::address) return base::say("the mbarrier is missing");
        o.op.row[1] = o.address_row(*barrier, u.barrier_bytes, u.barrier_offset);
        o.op.width[1] = u.barrier_bytes;
    }
    o.op.detail.number = static_cast<uint32_t>(o.decoder.program->bulk_copies.size());
    o.decoder.program->bulk_copies.push_back(u);
    o.op.full = o.op.masked = start_bulk_copy;
    return o.error;
}

// st.async and red.async: [a], b, [mbarrier].
base::Sentence decode_async_store(Operands& o) {
    const auto& i = o.instruction;
    const ptx::Operand *target = o.at(0), *value = o.at(1), *barrier = o.at(2);
    if (!target || !value || !barrier || barrier->kind != ptx::OperandKind::address || i.types.size() != 1 ||
        !i.modifiers.has(Modifier::complete_tx) || !on_shared(i.modifiers))
        return base::say("this way of storing is not executed");
    BulkUse u{.to_shared = true, .from_registers = true, .element_bytes = static_cast<uint8_t>(ptx::bytes(i.types[0]))};
    if (i.opcode == Opcode::red_async) {
        u.combine = select_combine(choice_of(o));
        if (!u.combine) return base::say("the engine does not execute {}", i.mnemonic);
    }
    o.op.elements = vector_elements(i.modifiers);
    const bool vector = value->kind == ptx::OperandKind::vector;
    if (vector ? value->elements.size() != o.op.elements : o.op.elements != 1)
        return base::say("the vector has the wrong length");
    if (u.element_bytes < 4 || u.element_bytes * o.op.elements > 16) return base::say("at most 16 bytes are stored");
    o.op.space = space_of(i.modifiers);
    o.op.address = o.address_row(*target, o.op.address_bytes, o.op.offset);
    o.op.row[1] = o.address_row(*barrier, u.barrier_bytes, u.barrier_offset);
    o.op.width[1] = u.barrier_bytes;
    for (int e = 0; e < o.op.elements; ++e)
        o.read(2 + e, vector ? value->elements[static_cast<size_t>(e)] : *value, u.element_bytes);
    o.op.detail.number = static_cast<uint32_t>(o.decoder.program->bulk_copies.size());
    o.decoder.program->bulk_copies.push_back(u);
    o.op.full = o.op.masked = start_bulk_copy;
    return o.error;
}

// [box], [map, {indices}], [mbarrier] or [map, {indices}], [box]; what the caches are told follows.
base::Sentence decode_tensor_copy(Operands& o) {
    const auto& m = o.instruction.modifiers;
    const auto [to, from] = ends(o.instruction.mnemonic);
    BulkUse u{.to_shared = to == Space::shared, .from_shared = from == Space::shared};
    if (u.to_shared == u.from_shared || m.has(u.to_shared ? Modifier::bulk_group : Modifier::complete_tx) ||
        !m.has(u.to_shared ? Modifier::complete_tx : Modifier::bulk_group))
        return base::say("this way of copying is not executed");
    u.multicast = m.has(Modifier::multicast_cluster);
    if (u.multicast && !read_multicast(o, o.at(3))) return o.error;
    const ptx::Operand &map = *o.at(u.to_shared ? 1 : 0), &box = *o.at(u.to_shared ? 0 : 1), *barrier = o.at(2);
    if (map.elements.size() != 2 || box.elements.size() != 1)
        return base::say("the tensor map or its indices are missing");
    const auto& indices = map.elements[1].elements;
    for (const auto& [dimension, count] :
         {std::pair{Modifier::d1, 1}, {Modifier::d2, 2}, {Modifier::d3, 3}, {Modifier::d4, 4}, {Modifier::d5, 5}})
        if (m.has(dimension)) u.dimensions = static_cast<uint8_t>(count);
    if (u.dimensions == 0 || indices.size() != u.dimensions)
        return base::say("there is not one index for each dimension");
    o.op.space = Space::shared;
    o.op.address = o.address_row(box, o.op.address_bytes, o.op.offset);
    o.op.source = o.address_row(map, u.source_bytes, o.op.source_offset);
    if (u.source_bytes != 8) return base::say("the address of a tensor map has 64 bits");
    for (size_t n = 0; n < indices.size(); ++n) o.read(static_cast<int>(n) + 2, indices[n], 4);
    if (u.to_shared) {
        if (!barrier || barrier->kind != ptx::OperandKind::address || barrier->elements.size() != 1)
            return base::say("the mbarrier is missing");
        o.op.row[1] = o.address_row(*barrier, u.barrier_bytes, u.barrier_offset);
        o.op.width[1] = u.barrier_bytes;
    } else {
        o.decoder.program->stores_anywhere = true; // which matrix the map is of is known at the launch
    }
    o.op.detail.number = static_cast<uint32_t>(o.decoder.program->bulk_copies.size());
    o.decoder.program->bulk_copies.push_back(u);
    o.op.full = o.op.masked = start_bulk_copy;
    return o.error;
}

base::Sentence decode_bulk_wait(Operands& o) {
    const auto* n = o.at(0);
    if (!n || n->kind != ptx::OperandKind::immediate) return base::say("the number of groups is not a constant");
    o.op.detail.groups_left = static_cast<uint32_t>(std::min<uint64_t>(n->bits, ~0u));
    o.op.full = o.op.masked = wait_bulk_copies;
    return {};
}

base::Sentence decode_bulk_commit(Operands& o) {
    o.op.full = o.op.masked = commit_bulk_copies;
    return {};
}

} // namespace sim
