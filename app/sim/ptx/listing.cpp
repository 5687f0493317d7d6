// What a listing says of a PTX instruction: all that the parser knew, as facts that no reader has to find in the text.
#include "sim/ptx/ptx_row.h"

#include <algorithm>

namespace sim {
namespace {

using ptx::Opcode;
using ptx::OperandKind;

trace::Kind kind_of(const ptx::Instruction& i, const PtxRow& row) {
    const bool other_fma = row.kind == trace::Kind::fma && (i.types.empty() || i.types[0] != ptx::Type::f32);
    return other_fma ? trace::Kind::arithmetic : row.kind;
}

trace::Space space_of(const ptx::Instruction& i, MemoryAccess access) {
    using M = ptx::Modifier;
    using S = trace::Space;
    const auto& m = i.modifiers;
    if (access == MemoryAccess::none) return S::none;
    if (access == MemoryAccess::copy) return S::shared;
    if (access == MemoryAccess::bulk) return m.has(M::complete_tx) ? S::shared : S::global;
    if (m.has(M::shared_cluster)) return S::cluster;
    if (m.has(M::shared) || m.has(M::shared_cta)) return S::shared;
    if (m.has(M::local)) return S::local;
    if (m.has(M::param) || m.has(M::param_entry) || m.has(M::param_func)) return S::parameter;
    return m.has(M::const_) ? S::constant : S::global;
}

// Whether a fragment's elements that share a register are neighbours in memory.
bool lies_along_registers(const ptx::Instruction& i) {
    return i.modifiers.has(ptx::Modifier::col) == (i.opcode == Opcode::wmma_load_b);
}

uint8_t bytes_of(const ptx::Instruction& i, MemoryAccess access) {
    if (access == MemoryAccess::copy) return i.operands.size() > 2 ? static_cast<uint8_t>(i.operands[2].bits) : 0;
    if (access == MemoryAccess::none || i.types.empty()) return 0;
    if (access == MemoryAccess::rows) return 16; // of the lanes that give addresses
    const unsigned each = ptx::bytes(i.types[0]);
    if (access == MemoryAccess::fragment && lies_along_registers(i))
        return static_cast<uint8_t>(std::max(4u, each)); // a register at a time
    return static_cast<uint8_t>(vector_elements(i.modifiers) * each);
}

trace::Unit unit_of(const ptx::Instruction& i, const PtxRow& row) {
    using U = trace::Unit;
    if (row.kind == trace::Kind::matrix) return U::tensor_core;
    const bool moves = row.what == What::move || row.what == What::select || row.what == What::convert;
    const bool computes = row.kind == trace::Kind::arithmetic || row.kind == trace::Kind::fma;
    if (moves || !computes || i.types.empty()) return U::other;
    return i.types.back() == ptx::Type::f64 ? U::fp64 : i.types.back() == ptx::Type::f32 ? U::fp32 : U::other;
}

// Of ldmatrix and stmatrix, where some lanes give the addresses of rows of 16 bytes, every lane has 4 bytes of each matrix.
uint8_t register_bytes(const ptx::Instruction& i, MemoryAccess access, uint8_t bytes) {
    using M = ptx::Modifier;
    if (access != MemoryAccess::rows) return bytes;
    return i.modifiers.has(M::x4) ? 16 : i.modifiers.has(M::x2) ? 8 : 4;
}

int64_t groups_left(const ptx::Instruction& i) {
    if (i.opcode == Opcode::cp_async_wait_all) return 0;
    const bool waits = i.opcode == Opcode::cp_async_wait_group && i.operands[0].kind == OperandKind::immediate;
    return waits ? static_cast<int64_t>(std::min<uint64_t>(i.operands[0].bits, INT64_MAX)) : -1;
}

// The registers that an instruction names, by what it does with them.
class Registers {
public:
    Registers(Decoder& d, const ptx::Function& f, const ptx::Instruction& i, trace::Instruction& out)
        : d_(d), function_(f), out_(out) {
        if (i.guard >= 0) out_.guard = number(i.guard);
        if (i.opcode == Opcode::unknown || i.opcode == Opcode::call) return;
        std::string_view pattern = ptx::row(i.opcode).operands;                 // as Row::operands says
        const bool accesses = i.opcode == Opcode::st || i.opcode == Opcode::ld; // then what the caches are told
        for (const ptx::Operand& o : i.operands) {
            const char letter = pattern.empty() ? 'x' : pattern[0];
            const bool written = letter == 'd' || (letter >= 'A' && letter <= 'Z') ||
                                 (i.opcode == Opcode::mov && &o == i.operands.data());
            pattern.remove_prefix(std::min(pattern.size(), size_t{pattern.substr(1).starts_with('?') ? 2u : 1u}));
            take(o, accesses && &o - i.operands.data() == 2 ? out_.address : written ? out_.written : out_.read);
            if (i.opcode == Opcode::wgmma_mma_async && written) take(o, out_.read); // adds to it
        }
    }

private:
    Decoder& d_;
    const ptx::Function& function_;
    trace::Instruction& out_;

    int32_t number(int32_t reg) { return d_.listed_name(ptx::register_name(function_, reg)); }

    void take(const ptx::Operand& o, std::vector<int32_t>& to) {
        switch (o.kind) {
        case OperandKind::reg: to.push_back(number(o.index)); break;
        case OperandKind::address: take_address(o); break;
        case OperandKind::vector:
        case OperandKind::pair:
            for (const ptx::Operand& element : o.elements) take(element, to);
            break;
        case OperandKind::label:
        case OperandKind::list: break;
        default: to.push_back(trace::Instruction::no_register);
        }
    }

    void take_address(const ptx::Operand& o) {
        if (out_.address.empty()) out_.displacement = o.offset;
        for (const ptx::Operand& element : o.elements)
            if (element.kind == OperandKind::variable)
                out_.address.push_back(d_.listed_name(d_.variable(element.index).name));
            else take(element, out_.address);
    }
};

std::string_view first_word(std::string_view text) { // behind the guard
    if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
    return text.substr(0, text.find_first_of(" \t;"));
}

void describe(const ptx::Instruction& i, trace::Instruction& out) {
    const PtxRow& row = row_of(i.opcode);
    out.kind = kind_of(i, row);
    out.space = space_of(i, row.access);
    out.role = row.role;
    out.unit = unit_of(i, row);
    if (row.access == MemoryAccess::copy && i.modifiers.has(ptx::Modifier::cg)) out.cache = trace::Cache::past_l1;
    out.bytes = bytes_of(i, row.access);
    out.register_bytes = register_bytes(i, row.access, out.bytes);
    out.groups_left = groups_left(i);
}

} // namespace

int32_t Decoder::listed_name(const std::string& name) {
    const auto [it, fresh] = listed_names.try_emplace(name, static_cast<int32_t>(listing->names.size()));
    if (fresh) listing->names.push_back(name);
    return it->second;
}

void Decoder::list(int32_t number) {
    if (!listed.try_emplace(number, static_cast<uint32_t>(listing->instructions.size())).second) return;
    const ptx::Function& f = function(number);
    const uint32_t first = listed[number];
    for (const ptx::Instruction& i : f.instructions) {
        trace::Instruction& out = listing->instructions.emplace_back();
        out.text = ptx::print(*module, f, i);
        out.mnemonic = i.opcode == Opcode::unknown ? first_word(out.text) : std::string_view(i.mnemonic);
        if (i.opcode != Opcode::unknown) describe(i, out);
        Registers(*this, f, i, out);
        out.text_line = i.line;
        out.source_line = i.source_line;
        out.own_line = i.own_line;
        out.kernel_line = i.kernel_line;
        if (module->files.contains(i.source_file)) out.source_file = i.source_file;
        if (i.opcode == Opcode::bra && !i.operands.empty())
            if (const int32_t t = f.labels[static_cast<size_t>(i.operands[0].index)].target; t >= 0)
                out.target = first + t;
    }
}

} // namespace sim
