#include "ptx/isa.h"

#include <array>

namespace ptx {
namespace {

// clang-format off
constexpr std::array type_names{"",    "b8",  "b16",  "b32",   "b64",    "b128", "u8",  "u16", "u32", "u64", "s8",
                                "s16", "s32", "s64",  "f16",   "f16x2",  "bf16", "bf16x2", "tf32", "f32", "f64", "pred",
                                "b1",  "s4",  "u4",   "e4m3",   "e5m2",  "e4m3x2", "e5m2x2", "u16x2", "s16x2", "f32x2"};
// clang-format on
constexpr std::array<uint8_t, type_names.size()> type_bytes{0, 1, 2, 4, 8, 16, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4,
                                                            2, 4, 4, 4, 8, 0,  0, 0, 0, 1, 1, 2, 2, 4, 4, 8};

constexpr uint64_t types_of(std::initializer_list<Type> types) {
    uint64_t bits = 0;
    for (Type t : types) bits |= uint64_t{1} << static_cast<unsigned>(t);
    return bits;
}
template <class... M>
constexpr Modifiers set(M... m) {
    Modifiers s;
    (s.add(m), ...);
    return s;
}

using enum Type;
constexpr uint64_t BYTES = types_of({u8, s8, b8});
constexpr uint64_t INTS = types_of({u16, u32, u64, s16, s32, s64});
constexpr uint64_t BITS = types_of({b16, b32, b64});
constexpr uint64_t B128 = types_of({b128});
constexpr uint64_t PRED = types_of({pred});
constexpr uint64_t FLOATS = types_of({f16, f16x2, bf16, bf16x2, f32, f64});
constexpr uint64_t PAIRS16 = types_of({u16x2, s16x2});
constexpr uint64_t PAIRS32 = types_of({f32x2});
constexpr uint64_t WORDS = types_of({u32, s32}); // of which video instructions take parts
constexpr uint64_t TF32 = types_of({tf32});
constexpr uint64_t PAIRS8 = types_of({e4m3x2, e5m2x2});
constexpr uint64_t FACTORS = types_of({f16, bf16, tf32, f64, e4m3, e5m2, s8, u8, s4, u4, b1}); // of a matrix product
constexpr uint64_t SUMS = types_of({f16, f32, f64, s32});
constexpr uint64_t MEMORY = BYTES | INTS | BITS | B128 | FLOATS;

using M = Modifier;
constexpr Modifiers NONE;
constexpr Modifiers ROUND = set(M::rn, M::rz, M::rm, M::rp, M::rna);
constexpr Modifiers INTEGER_ROUND = set(M::rni, M::rzi, M::rmi, M::rpi);
constexpr Modifiers FTZ = set(M::ftz, M::sat);
constexpr Modifiers PART = set(M::lo, M::hi, M::wide);
constexpr Modifiers CLASS = set(M::finite, M::infinite, M::number, M::notanumber, M::normal, M::subnormal);
constexpr Modifiers COMPARE = set(M::eq, M::ne, M::lt, M::le, M::gt, M::ge, M::lo, M::ls, M::hi, M::hs, M::equ, M::neu,
                                  M::ltu, M::leu, M::gtu, M::geu, M::num, M::nan);
constexpr Modifiers COMBINE = set(M::and_, M::or_, M::xor_);
constexpr Modifiers SECOND = set(M::add, M::min, M::max); // of a video instruction: with what it does next
constexpr Modifiers PERMUTE = set(M::f4e, M::b4e, M::rc8, M::ecl, M::ecr, M::rc16);
constexpr Modifiers SPACE = set(M::global, M::shared, M::shared_cta, M::shared_cluster, M::local, M::param,
                                M::param_entry, M::param_func, M::const_);
constexpr Modifiers CACHE = set(M::ca, M::cg, M::cs, M::lu, M::cv, M::wb, M::wt, M::cache_hint);
constexpr Modifiers VECTOR = set(M::v2, M::v4, M::v8);
constexpr Modifiers ORDER = set(M::volatile_, M::weak, M::relaxed, M::acquire, M::release, M::acq_rel, M::sc, M::mmio,
                                M::cta, M::cluster, M::gpu, M::sys);
constexpr Modifiers SHAPE =
    set(M::m8n8k4, M::m8n8k16, M::m8n8k32, M::m8n8k128, M::m16n8k4, M::m16n8k8, M::m16n8k16, M::m16n8k32, M::m16n8k64,
        M::m16n8k128, M::m16n8k256, M::m16n16k8, M::m16n16k16, M::m32n8k16, M::m8n32k16);
constexpr Modifiers LAYOUT = set(M::aligned, M::row, M::col);
constexpr Modifiers PROXY = set(M::alias, M::async, M::async_generic, M::tensormap_generic);
constexpr Modifiers RESTRICT = set(M::sync_restrict_cta, M::sync_restrict_cluster);
constexpr Modifiers TENSOR = set(M::d1, M::d2, M::d3, M::d4, M::d5, M::tile);
constexpr Modifiers BULK = set(M::complete_tx, M::bulk_group);
constexpr Modifiers ATOMIC = set(M::and_, M::or_, M::xor_, M::cas, M::exch, M::add, M::inc, M::dec, M::min, M::max);

constexpr Row table[] = {
#define OPCODE(id, mnemonic, section, operands, types, modifiers)                                                      \
    {Opcode::id, mnemonic, section, operands, types, modifiers},
#include "ptx/isa_table.inc"
#undef OPCODE
};

constexpr std::string_view modifier_names[] = {
#define MODIFIER(id, text) text,
#include "ptx/modifier_table.inc"
#undef MODIFIER
};

// clang-format off
constexpr std::string_view special_names[] = {
    "%tid.x",      "%tid.y",      "%tid.z",      "%ntid.x",     "%ntid.y",   "%ntid.z",     "%ctaid.x",
    "%ctaid.y",    "%ctaid.z",    "%nctaid.x",   "%nctaid.y",   "%nctaid.z", "%laneid",     "%warpid",
    "%nwarpid",    "%smid",       "%nsmid",      "%gridid",     "%lanemask_eq", "%lanemask_le", "%lanemask_lt",
    "%lanemask_ge", "%lanemask_gt", "%clock",    "%clock_hi",   "%clock64",  "%globaltimer", "%globaltimer_lo", "%globaltimer_hi",
    "%dynamic_smem_size", "%total_smem_size", "%aggr_smem_size", "WARP_SZ",
    "%clusterid.x", "%clusterid.y", "%clusterid.z", "%nclusterid.x", "%nclusterid.y", "%nclusterid.z",
    "%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z", "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z",
    "%cluster_ctarank", "%cluster_nctarank", "%is_explicit_cluster", "%current_graph_exec",
    "%reserved_smem_offset_begin", "%reserved_smem_offset_end", "%reserved_smem_offset_cap", "%envreg"};
// clang-format on
static_assert(std::size(special_names) == static_cast<size_t>(Special::count_));

} // namespace

std::string_view name(Type t) { return type_names[static_cast<size_t>(t)]; }
unsigned bytes(Type t) { return type_bytes[static_cast<size_t>(t)]; }
std::string_view name(Modifier m) { return modifier_names[static_cast<size_t>(m)]; }
std::string_view name(Special s) { return special_names[static_cast<size_t>(s)]; }
std::span<const Row> rows() { return table; }
const Row& row(Opcode o) { return table[static_cast<size_t>(o) - 1]; }

const Row* find_row(std::string_view dotted) {
    const Row* best = nullptr;
    for (const Row& r : table) {
        if (!dotted.starts_with(r.mnemonic)) continue;
        if (dotted.size() > r.mnemonic.size() && dotted[r.mnemonic.size()] != '.') continue;
        if (!best || r.mnemonic.size() > best->mnemonic.size()) best = &r;
    }
    return best;
}

bool find_type(std::string_view suffix, Type& out) {
    for (size_t i = 1; i < type_names.size(); ++i)
        if (suffix == type_names[i]) {
            out = static_cast<Type>(i);
            return true;
        }
    return false;
}

bool find_modifier(std::string_view suffix, Modifier& out) {
    if (suffix == "L1" || suffix == "L2" || suffix.starts_with("L1::") || suffix.starts_with("L2::")) {
        out = Modifier::cache_hint;
        return true;
    }
    if (suffix.starts_with("m64n")) { // of a warpgroup's products: 64 shapes, which the mnemonic tells apart
        out = Modifier::m64;
        return true;
    }
    for (size_t i = 0; i < std::size(modifier_names); ++i)
        if (suffix == modifier_names[i]) {
            out = static_cast<Modifier>(i);
            return true;
        }
    return false;
}

bool find_special(std::string_view text, Special& out) {
    if (text.starts_with("%envreg")) {
        out = Special::environment;
        return true;
    }
    for (size_t i = 0; i < std::size(special_names); ++i)
        if (text == special_names[i]) {
            out = static_cast<Special>(i);
            return true;
        }
    return false;
}

} // namespace ptx
