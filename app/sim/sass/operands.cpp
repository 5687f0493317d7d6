// Operands of machine instructions as rows.
#include "sim/sass/lowering.h"

#include "sim/lanes/warp.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

namespace sim {

using ptx::Opcode;
using ptx::Type;

namespace {

std::string register_name(int file, uint16_t number) {
    static constexpr const char* prefix[] = {"R", "UR", "P", "UP"};
    return prefix[file] + std::to_string(number);
}

} // namespace

RowAt Lowering::register_row(File file, uint16_t number) {
    auto [it, fresh] = registers_.try_emplace({file, number}, no_row);
    if (fresh) {
        const uint8_t width = file == predicates || file == uniform_predicates ? 0 : 4;
        it->second = new_register(width);
        program_.names.push_back({register_name(file, number), it->second, width});
    }
    return it->second;
}

// The first half of a pointer says where an address comes from, and the second one nothing.
RowAt Lowering::parameter(uint32_t offset, uint8_t width, uint8_t bytes) {
    const bool begins = std::any_of(banks_.parameters.begin(), banks_.parameters.end(),
                                    [&](const Parameter& p) { return p.offset == offset && p.bytes == 8; });
    return draft_.constant({.width = width,
                            .parameter = true,
                            .offset = offset,
                            .bytes = bytes,
                            .origin = begins ? first_parameter_origin + offset : no_origin});
}

RowAt Lowering::special(std::string_view name) {
    using enum ptx::Special;
    static constexpr std::pair<std::string_view, ptx::Special> known[] = {
        {"SR_LANEID", laneid},      {"SR_TID.X", tid_x},           {"SR_TID.Y", tid_y},
        {"SR_TID.Z", tid_z},        {"SR_CTAID.X", ctaid_x},       {"SR_CTAID.Y", ctaid_y},
        {"SR_CTAID.Z", ctaid_z},    {"SR_EQMASK", lanemask_eq},    {"SR_LTMASK", lanemask_lt},
        {"SR_LEMASK", lanemask_le}, {"SR_GTMASK", lanemask_gt},    {"SR_GEMASK", lanemask_ge},
        {"SR_VIRTUALSMID", smid},   {"SR_SMEMSZ", total_smem_size}};
    if (name == "SRZ") return constant(0, 4);
    for (const auto& [text, s] : {std::pair{"SR_VIRTID", warpid}, std::pair{"SR_VIRTCFG", nwarpid}})
        if (name == text) { // among other facts
            const RowAt row = new_register(4);
            compute(What::shift_left, Opcode::shl, Type::b32, {}, {row, 4},
                    {{draft_.special(s, 4), 4}, {constant(8, 4), 4}});
            return row;
        }
    if (name == "SR_CgaCtaId") // the block's place in its cluster
        return program_.cluster.count() == 1 ? constant(0, 4) : draft_.special(cluster_ctarank, 4);
    if (name == "SR_SWINHI") return constant(shared_window >> 32, 4);
    for (const auto& [text, s] : known)
        if (text == name) return draft_.special(s, 4);
    fail(base::say("the engine does not know the special register {}", std::string(name)));
    return no_row;
}

namespace {

// What the driver writes at the start of bank 0, before the parameters.
struct Driver {
    int64_t at;
    ptx::Special special;
};
constexpr int64_t nowhere = -1;
struct DriverLayout {
    int64_t local_memory, constant_memory, // where they begin in generic addresses
        descriptor,                        // of all global memory
        stack_top;
    int64_t environment;                // %envreg of PTX
    int64_t shared_memory = nowhere;    // as local memory; later ones have SR_SWINHI
    int64_t parameters = nowhere;       // their address
    int64_t no_shared_memory = nowhere; // what of it the system keeps, were there none
    int64_t fences_of_gpu = nowhere;    // bit 0: a fence between proxies has to reach the GPU alone, not the system
    int64_t has_clusters = nowhere;
    int64_t shape_of_cluster = nowhere; // as reciprocals
    std::span<const Driver> specials;
};

constexpr Driver specials_to_89[] = {{0x00, ptx::Special::ntid_x},           {0x04, ptx::Special::ntid_y},
                                     {0x08, ptx::Special::ntid_z},           {0x0C, ptx::Special::nctaid_x},
                                     {0x10, ptx::Special::nctaid_y},         {0x14, ptx::Special::nctaid_z},
                                     {0x2C, ptx::Special::dynamic_smem_size}};
constexpr Driver specials_of_90[] = {{0x00, ptx::Special::ntid_x},
                                     {0x04, ptx::Special::ntid_y},
                                     {0x08, ptx::Special::ntid_z},
                                     {0x0C, ptx::Special::nctaid_x},
                                     {0x10, ptx::Special::nctaid_y},
                                     {0x14, ptx::Special::nctaid_z},
                                     {0x2C, ptx::Special::dynamic_smem_size},
                                     {0x144, ptx::Special::cluster_nctaid_x},
                                     {0x148, ptx::Special::cluster_nctaid_y},
                                     {0x14C, ptx::Special::cluster_nctaid_z},
                                     {0x15C, ptx::Special::nclusterid_x},
                                     {0x160, ptx::Special::nclusterid_y},
                                     {0x164, ptx::Special::nclusterid_z},
                                     {0x188, ptx::Special::cluster_nctarank}};
constexpr Driver specials_from_100[] = {{0x360, ptx::Special::ntid_x},   {0x364, ptx::Special::ntid_y},
                                        {0x368, ptx::Special::ntid_z},   {0x370, ptx::Special::nctaid_x},
                                        {0x374, ptx::Special::nctaid_y}, {0x378, ptx::Special::nctaid_z}};
constexpr DriverLayout to_89{.local_memory = 0x20,
                             .constant_memory = 0xD0,
                             .descriptor = 0x118,
                             .stack_top = 0x28,
                             .environment = 0x88,
                             .shared_memory = 0x18,
                             .specials = specials_to_89};
constexpr DriverLayout of_90{.local_memory = 0x20,
                             .constant_memory = 0xD0,
                             .descriptor = 0x208,
                             .stack_top = 0x28,
                             .environment = 0x40,
                             .parameters = 0x198,
                             .no_shared_memory = 0x114,
                             .fences_of_gpu = 0x18C, // zeros on an H100
                             .has_clusters = 0x140,
                             .shape_of_cluster = 0x150,
                             .specials = specials_of_90};
constexpr DriverLayout from_100{.local_memory = 0x2F8,
                                .constant_memory = 0x120,
                                .descriptor = 0x358,
                                .stack_top = 0x37C,
                                .environment = nowhere,
                                .parameters = 0x348,
                                .no_shared_memory = 0x16C,
                                .has_clusters = 0x36C,
                                .specials = specials_from_100};

} // namespace

// Of bank 0, before the parameters; no_row: what lies there is not known.
RowAt Lowering::driver_constant(int64_t at, uint8_t bytes) {
    constexpr int64_t environment_registers = 10;
    const DriverLayout& layout = banks_.sm >= 100 ? from_100 : banks_.sm >= 90 ? of_90 : to_89;
    if (at == layout.local_memory) return constant(local_window, bytes);
    if (at == layout.shared_memory) return constant(shared_window, bytes);
    if (at == layout.constant_memory || at == layout.descriptor) return constant(0, bytes);
    if (bytes == 8) {
        if (at == layout.parameters) return constant(parameter_window + banks_.parameters_at, 8);
        const RowAt low = driver_constant(at, 4), high = driver_constant(at + 4, 4);
        return low == no_row || high == no_row ? no_row : joined(low, high);
    }
    if (at == layout.local_memory + 4) return constant(local_window >> 32, 4);
    if (layout.shared_memory != nowhere && at == layout.shared_memory + 4) return constant(shared_window >> 32, 4);
    if (at == layout.descriptor + 4) return constant(0, 4);
    if (at == layout.stack_top) return constant(program_.local_bytes, 4);
    if (at == layout.no_shared_memory || at == layout.fences_of_gpu) return constant(0, 4);
    if (layout.environment != nowhere && at >= layout.environment &&
        at < layout.environment + 4 * environment_registers && at % 4 == 0)
        return draft_.special(ptx::Special::environment, 4);
    if (at == layout.has_clusters) return constant(program_.cluster.count() > 1, 4);
    for (const Driver& d : layout.specials)
        if (d.at == at) return draft_.special(d.special, 4);
    const uint32_t shape[] = {program_.cluster.x, program_.cluster.y, program_.cluster.z};
    const int64_t n = (at - layout.shape_of_cluster) / 4;
    if (layout.shape_of_cluster == nowhere || at % 4 != 0 || n < 0 || n > 2) return no_row;
    const double exact = 1.0 / shape[n];
    float above = static_cast<float>(exact); // so that a product that is whole stays so when it is cut off
    if (above < exact) above = std::nextafter(above, 2.0f);
    return constant(std::bit_cast<uint32_t>(above), 4);
}

RowAt Lowering::bank(const Operand& o, uint8_t bytes) {
    const auto none = [](uint16_t r) { return r == Operand::none || r == sass::zero_register; };
    const bool direct = none(o.base) && none(o.uniform) && o.descriptor == Operand::none;
    const int64_t from = o.value - banks_.parameters_at;
    if (direct && o.number == 0 && o.value >= 0) {
        if (from >= 0 && from < banks_.parameter_bytes) // of the last word, what there is
            return parameter(static_cast<uint32_t>(from), bytes,
                             static_cast<uint8_t>(std::min<int64_t>(bytes, banks_.parameter_bytes - from)));
        if (const RowAt row = driver_constant(o.value, bytes); row != no_row) return row;
    }
    const auto other = banks_.others.find(o.number);
    if (direct && other != banks_.others.end() && o.value >= 0 &&
        static_cast<uint64_t>(o.value) + bytes <= other->second.size()) {
        uint64_t bits = 0;
        std::memcpy(&bits, other->second.data() + o.value, bytes);
        const auto pointer = banks_.pointers.find({o.number, o.value}); // its first half, as of a parameter
        return draft_.constant(
            {.width = bytes, .bits = bits, .origin = pointer == banks_.pointers.end() ? no_origin : pointer->second});
    }
    cannot();
    return no_row;
}

std::optional<uint64_t> Lowering::bank_window(uint16_t number) const {
    if (number == 0) return parameter_window; // Program::parameters_at
    const auto bank = banks_.places.find(number);
    if (bank == banks_.places.end()) return std::nullopt;
    return module_window + bank->second;
}

bool Lowering::is_zero(const Operand& o) const {
    if (o.kind == Kind::register_ || o.kind == Kind::uniform_register)
        return o.number == sass::zero_register && !o.inverted;
    return o.kind == Kind::integer && o.value == 0 && !o.inverted;
}

RowAt Lowering::plain(const Operand& o) {
    switch (o.kind) {
    case Kind::register_:
    case Kind::uniform_register:
        if (o.number == sass::zero_register) return constant(0, 4);
        return register_row(o.kind == Kind::register_ ? general : uniform, o.number);
    case Kind::integer:
    case Kind::float32: return constant(static_cast<uint64_t>(o.value), 4);
    case Kind::constant: return bank(o, 4);
    default: cannot(); return no_row;
    }
}

RowAt Lowering::read(const Operand& o, Numbers numbers) {
    RowAt row = plain(o);
    const auto apply = [&](Opcode opcode, Type type, std::initializer_list<uint32_t> with) {
        const RowAt to = new_register(4);
        if (with.size() == 0) compute(What::compute, opcode, type, {}, {to, 4}, {{row, 4}});
        else compute(What::compute, opcode, type, {}, {to, 4}, {{row, 4}, {constant(*with.begin(), 4), 4}});
        row = to;
    };
    if (numbers == Numbers::floats) {
        if (o.absolute) apply(Opcode::and_, Type::b32, {0x7FFFFFFFu});
        if (o.negated) apply(Opcode::xor_, Type::b32, {0x80000000u});
    } else {
        if (o.absolute) cannot();
        if (o.inverted) apply(Opcode::not_, Type::b32, {});
        if (o.negated) apply(Opcode::neg, Type::s32, {});
    }
    return row;
}

RowAt Lowering::second_of(const Operand& o, uint32_t n) {
    Operand next = o;
    if (o.number != sass::zero_register) next.number = static_cast<uint16_t>(o.number + n);
    return plain(next);
}

RowAt Lowering::read_pair(const Operand& o) {
    if (o.negated || o.absolute || o.inverted) cannot();
    if (o.kind == Kind::constant) return bank(o, 8);
    if (o.kind == Kind::integer) return constant(static_cast<uint64_t>(o.value), 8);
    if (is_zero(o)) return constant(0, 8);
    return joined(plain(o), second_of(o, 1));
}

RowAt Lowering::written(const Operand& o, uint32_t n) {
    if (o.kind != Kind::register_ && o.kind != Kind::uniform_register) cannot();
    if (o.number == sass::zero_register) return new_register(4); // thrown away
    return register_row(o.kind == Kind::register_ ? general : uniform, static_cast<uint16_t>(o.number + n));
}

RowAt Lowering::predicate(const Operand& o) {
    if (o.kind != Kind::predicate && o.kind != Kind::uniform_predicate) cannot();
    if (o.number == sass::true_predicate) return constant(1, 0);
    return register_row(o.kind == Kind::predicate ? predicates : uniform_predicates, o.number);
}

RowAt Lowering::joined(RowAt low, RowAt high, uint8_t part) {
    const RowAt to = new_register(static_cast<uint8_t>(2 * part));
    join(to, low, high, part);
    return to;
}

namespace {

Type type_of_whole(uint8_t part) { return part == 2 ? Type::b32 : part == 4 ? Type::b64 : Type::b128; }

} // namespace

void Lowering::join(RowAt whole, RowAt low, RowAt high, uint8_t part) {
    Operation& op = append(What::move, 1);
    op.row[0] = whole, op.row[1] = low, op.row[2] = high;
    op.width[0] = static_cast<uint8_t>(2 * part), op.width[1] = op.width[2] = part;
    const Type type = type_of_whole(part);
    choose(op, {.opcode = Opcode::mov, .modifiers = {}, .type = type, .source_type = type, .read = 2});
}

void Lowering::split(RowAt whole, RowAt low, RowAt high, uint8_t part) {
    Operation& op = append(What::move, 3);
    op.row[0] = low, op.row[1] = high, op.row[2] = whole;
    op.width[0] = op.width[1] = part, op.width[2] = static_cast<uint8_t>(2 * part);
    const Type type = type_of_whole(part);
    choose(op, {.opcode = Opcode::mov, .modifiers = {}, .type = type, .source_type = type, .written = 2});
}

} // namespace sim
