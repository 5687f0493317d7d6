// A cubin's kernel to a Program: its code, its constant banks and what the listing says of it.
#include "sim/engine.h"
#include "sim/sass/lowering.h"

#include "sass/module.h"
#include "sass/reader.h"

#include <algorithm>

namespace sim {
namespace {

using base::Error;

constexpr int first_sm = 90, last_sm = 90; // whose machine code is executed

ConstantBanks constant_banks(const sass::Module& m) {
    ConstantBanks banks{.parameters_at = m.parameters_at, .parameter_bytes = m.parameter_bytes};
    for (const sass::Parameter& p : m.parameters) banks.parameters.push_back({p.offset, p.bytes});
    for (const sass::ConstantBank& bank : m.banks)
        if (bank.number != 0 && bank.addresses.empty()) banks.others[bank.number] = bank.contents;
    return banks;
}

bool makes_groups_of_bulk_copies(const sass::Module& m) {
    return std::any_of(m.instructions.begin(), m.instructions.end(),
                       [](const sass::Instruction& i) { return i.opcode == "UTMACMDFLUSH"; });
}

// Banks lie in memory, too, for who reads them by an index.
void lay_out_banks(ConstantBanks& banks, Program& p) {
    constexpr uint64_t apart = 256; // so that running off one is seen
    for (const auto& [number, contents] : banks.others) {
        const uint64_t at = p.variables.size();
        banks.places[number] = at;
        p.file_variables.push_back(
            {.name = "c" + std::to_string(number), .at = at, .bytes = contents.size(), .writable = false});
        p.variables.insert(p.variables.end(), contents.begin(), contents.end());
        p.variables.resize((p.variables.size() + apart) / 16 * 16 + 16);
    }
}

// Local memory of a thread: what the kernel and the functions that it calls take of it; of those that call themselves as much as PTX has for its stack.
uint32_t local_bytes(const sass::Module& m) {
    const bool calls = std::any_of(m.instructions.begin(), m.instructions.end(),
                                   [](const sass::Instruction& i) { return i.opcode == "CALL"; });
    const uint32_t known = std::max(m.frame_bytes, m.stack_bytes);
    return (m.stack_bytes == 0 && calls && m.frame_bytes > 0 ? std::max(known, stack_bytes) : known) / 16 * 16 + 16;
}

// Registers by their names, in Listing::names.
class Facts {
    using Kind = sass::OperandKind;

public:
    Facts(trace::Listing& listing, const trace::Listing* ptx) : listing_(listing) {
        if (!ptx) return;
        listing_.source_files = ptx->source_files;
        for (const trace::Instruction& i : ptx->instructions) origins_[i.text_line] = &i;
    }

    trace::Instruction of(const sass::Instruction& i, const trace::MachineInstruction& known) {
        trace::Instruction out;
        out.text = known.text;
        out.mnemonic = mnemonic(i);
        out.kind = i.kind;
        out.space = i.space;
        out.bytes = out.register_bytes = i.bytes;
        out.source_line = out.own_line = out.kernel_line = known.source_line;
        if (const auto origin = origins_.find(known.ptx_line); origin != origins_.end()) {
            const trace::Instruction& from = *origin->second;
            out.source_line = from.source_line, out.own_line = from.own_line, out.kernel_line = from.kernel_line;
            out.source_file = from.source_file;
        }
        out.text_line = static_cast<int>(listing_.instructions.size()) + 1;
        out.target = known.target;
        if (i.opcode == "FFMA" || i.opcode == "DFMA") out.role = trace::Role::fma;
        if (i.opcode.starts_with("MOV") || i.has("MOV")) out.role = trace::Role::move;
        if (i.opcode == "LDGDEPBAR") out.role = trace::Role::commit;
        if (i.opcode.starts_with('F')) out.unit = trace::Unit::fp32;
        if (i.opcode.starts_with('D') && i.opcode != "DEPBAR") out.unit = trace::Unit::fp64;
        if (i.kind == trace::Kind::matrix) out.unit = trace::Unit::tensor_core;
        if (i.has("BYPASS")) out.cache = trace::Cache::past_l1;
        if (i.guarded()) out.guard = name(i.guard_uniform ? "UP" : "P", i.guard);
        for (const sass::Operand& o : i.operands) take(o, out);
        if (i.opcode == "DEPBAR" && i.has("LE") && i.operands.size() > 1) out.groups_left = i.operands[1].value;
        return out;
    }

private:
    trace::Listing& listing_;
    std::map<std::string, int32_t> numbers_;
    std::map<int, const trace::Instruction*> origins_; // by line of the PTX

    static std::string mnemonic(const sass::Instruction& i) {
        std::string text(i.opcode);
        for (const std::string_view m : i.modifiers) text.append(".").append(m);
        return text;
    }
    int32_t name(const char* prefix, uint16_t number) {
        const std::string text = prefix + std::to_string(number);
        const auto [it, fresh] = numbers_.try_emplace(text, static_cast<int32_t>(listing_.names.size()));
        if (fresh) listing_.names.push_back(text);
        return it->second;
    }
    void take(const sass::Operand& o, trace::Instruction& out) {
        std::vector<int32_t>& to = o.written ? out.written : out.read;
        const auto registers = [&](std::vector<int32_t>& list, const char* prefix, uint16_t first, uint32_t count) {
            for (uint32_t n = 0; n < count && first != sass::Operand::none && first != sass::zero_register; ++n)
                list.push_back(name(prefix, static_cast<uint16_t>(first + n)));
        };
        switch (o.kind) {
        case Kind::register_: registers(to, "R", o.number, o.registers); break;
        case Kind::uniform_register: registers(to, "UR", o.number, o.registers); break;
        case Kind::predicate:
        case Kind::uniform_predicate:
            if (o.number != sass::true_predicate) to.push_back(name(o.kind == Kind::predicate ? "P" : "UP", o.number));
            break;
        case Kind::memory:
            if (out.address.empty()) out.displacement = o.value;
            registers(out.address, "R", o.base, o.registers);
            registers(out.address, "UR", o.uniform, 1);
            break;
        default: break;
        }
    }
};

} // namespace

base::Result<std::shared_ptr<const Program>> prepare_machine_code(std::span<const std::byte> cubin,
                                                                  const std::string& entry, const trace::Listing* ptx) {
    const auto module = sass::read_module(cubin, entry);
    if (!module) return module.error();
    const auto known = sass::read(cubin, entry);
    if (!known) return known.error();
    if (module->sm < first_sm || module->sm > last_sm)
        return Error{
            base::Failure::missing, base::say("machine code of sm_{} is not executed yet", module->sm), {}, {}};
    const Lanes lanes = best_lanes();
    auto draft = std::make_shared<Draft>();
    auto listing = std::make_shared<trace::Listing>();
    listing->engine = trace::Engine::machine;
    ConstantBanks banks = constant_banks(*module);
    lay_out_banks(banks, draft->program);
    Program& p = draft->program;
    p.vectors = lanes.vectors;
    p.parameters = banks.parameters;
    p.parameter_bytes = banks.parameter_bytes;
    p.parameters_at = banks.parameters_at;
    p.joins_pending = true;
    p.local_bytes = local_bytes(*module);
    p.static_shared = static_cast<uint32_t>(std::max<uint64_t>(module->shared_bytes, shared_base) - shared_base);
    p.dynamic_shared_at = (p.static_shared + 15) / 16 * 16;
    p.cluster = {std::max(module->cluster[0], 1u), std::max(module->cluster[1], 1u), std::max(module->cluster[2], 1u)};
    Lowering lowering(*draft, lanes, std::move(banks), makes_groups_of_bulk_copies(*module), module->jump_tables);
    Facts facts(*listing, ptx);
    for (uint32_t n = 0; n < module->instructions.size(); ++n) {
        listing->instructions.push_back(facts.of(module->instructions[n], (*known)->instructions[n]));
        listing->text += (*known)->instructions[n].text + "\n";
        lowering.lower(module->instructions[n], n);
    }
    lowering.resolve();
    draft->listing = std::move(listing);
    return finish(std::move(draft), Rows::reused);
}

} // namespace sim
