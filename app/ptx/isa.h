// The instruction set as data: one row per instruction (isa_table.inc), with the section of the PTX ISA manual
// (version 9.1) that defines it, the operands it takes, and the types and modifiers that it accepts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ptx {

// clang-format off
enum class Type : uint8_t {
    none, b8, b16, b32, b64, b128, u8, u16, u32, u64, s8, s16, s32, s64,
    f16, f16x2, bf16, bf16x2, tf32, f32, f64, pred,
    b1, s4, u4, e4m3, e5m2, e4m3x2, e5m2x2, // of matrices and conversions only
    u16x2, s16x2, f32x2, // of arithmetic only
};
// clang-format on
std::string_view name(Type); // "f32"
unsigned bytes(Type);        // size in memory; 0 for none, pred and less than a byte
inline bool is_signed(Type t) { return t >= Type::s8 && t <= Type::s64; }
inline bool is_float(Type t) { return (t >= Type::f16 && t <= Type::f64) || t == Type::f32x2; }

// Every suffix of a mnemonic that is not a type: ".rn", ".shared", ".v4", ".lt" ...
enum class Modifier : uint8_t {
#define MODIFIER(id, text) id,
#include "ptx/modifier_table.inc"
#undef MODIFIER
    count_,
};
std::string_view name(Modifier); // "rn"

// A set of modifiers.
struct Modifiers {
    uint64_t words[3] = {};

    constexpr bool has(Modifier m) const {
        return words[static_cast<unsigned>(m) / 64] >> (static_cast<unsigned>(m) % 64) & 1;
    }
    constexpr Modifiers& add(Modifier m) {
        words[static_cast<unsigned>(m) / 64] |= uint64_t{1} << (static_cast<unsigned>(m) % 64);
        return *this;
    }
    constexpr Modifiers operator|(const Modifiers& o) const {
        return {{words[0] | o.words[0], words[1] | o.words[1], words[2] | o.words[2]}};
    }
    constexpr bool operator==(const Modifiers&) const = default;
};
static_assert(static_cast<unsigned>(Modifier::count_) <= 192);

enum class Opcode : uint8_t {
    unknown, // a statement outside the table; executing it is a finding
#define OPCODE(id, mnemonic, section, operands, types, modifiers) id,
#include "ptx/isa_table.inc"
#undef OPCODE
    count_,
};

struct Row {
    Opcode opcode;
    std::string_view mnemonic; // with the dotted parts that belong to the instruction: "cp.async.wait_group"
    std::string_view section;  // of the manual
    // A pattern of one letter for each operand. A capital letter, and d, is written; the others are read.
    //   d register               D register, or pair a|p
    //   a register or immediate  p predicate
    //   v register or vector     V the same, written
    //   s register or immediate, of which a part may be selected     S register, of which a part may be written
    //   m memory address         t the same, or [tensor map, {indices}]
    //   l label                  x anything
    // '?' after a letter: this operand and all after it may be absent.
    std::string_view operands;
    uint64_t types;      // bit per Type that may be a suffix
    Modifiers modifiers; // that may be a suffix
};
std::span<const Row> rows();
const Row& row(Opcode); // not for Opcode::unknown

// The row whose mnemonic is the longest that `dotted` ("ld.global.v4.f32") begins with; nullptr: none.
const Row* find_row(std::string_view dotted);
bool find_type(std::string_view suffix, Type& out);
bool find_modifier(std::string_view suffix, Modifier& out);

// Special registers that the engine gives values to.
// clang-format off
enum class Special : uint8_t {
    tid_x, tid_y, tid_z, ntid_x, ntid_y, ntid_z, ctaid_x, ctaid_y, ctaid_z, nctaid_x, nctaid_y, nctaid_z,
    laneid, warpid, nwarpid, smid, nsmid, gridid, lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge, lanemask_gt,
    clock, clock_hi, clock64, globaltimer, globaltimer_lo, globaltimer_hi, dynamic_smem_size, total_smem_size, aggr_smem_size, warp_size,
    clusterid_x, clusterid_y, clusterid_z, nclusterid_x, nclusterid_y, nclusterid_z, cluster_ctaid_x, cluster_ctaid_y, cluster_ctaid_z,
    cluster_nctaid_x, cluster_nctaid_y, cluster_nctaid_z, cluster_ctarank, cluster_nctarank, is_explicit_cluster,
    current_graph_exec, reserved_smem_offset_begin, reserved_smem_offset_end, reserved_smem_offset_cap, environment,
    count_,
};
// clang-format on
bool find_special(std::string_view name, Special& out); // "%tid.x", "WARP_SZ"; every %envreg is `environment`
std::string_view name(Special);

} // namespace ptx
