#include "sass/reader.h"

#include "sass/line_table.h"
#include "sass/printer.h"

#include <algorithm>

namespace sass {
namespace {

using base::Error;
using base::Failure;
using trace::Kind;
using trace::Space;

uint64_t fnv1a(Bytes bytes) {
    uint64_t state = 0xCBF29CE484222325;
    for (const std::byte byte : bytes) state = (state ^ std::to_integer<uint64_t>(byte)) * 0x100000001B3;
    return state;
}

// The PTX that ptxas was given: lines end in zeros, blanks at both ends are gone, comments are empty lines.
std::vector<std::string> ptx_lines(const Elf& elf) {
    std::vector<std::string> lines;
    const auto section = elf.find(".nv_debug_ptx_txt");
    if (!section) return lines;
    std::string line;
    for (const std::byte byte : elf.sections()[*section].contents) {
        const char c = std::to_integer<char>(byte);
        if (c != '\0') line += c;
        else lines.push_back(std::exchange(line, {}));
    }
    return lines;
}

// Writes the line of each instruction to `member`.
void add_lines(const Elf& elf, std::string_view section, size_t text, int trace::MachineInstruction::*member,
               std::vector<trace::MachineInstruction>& instructions) {
    const std::vector<Row> rows = line_rows(elf, section, text);
    size_t row = 0;
    for (size_t i = 0; i < instructions.size(); ++i) {
        while (row < rows.size() && rows[row].address <= i * instruction_bytes) ++row;
        if (row > 0) instructions[i].*member = rows[row - 1].line;
    }
}

bool is_predicate(const Operand& o) {
    return o.kind == OperandKind::predicate || o.kind == OperandKind::uniform_predicate;
}

void add_branch(const Instruction& i, trace::MachineInstruction& facts) {
    facts.ends = (i.traits & ends) != 0;
    facts.indirect = (i.traits & indirect) != 0;
    for (const Operand& o : i.operands) {
        if (is_predicate(o) && o.shown) facts.second_predicate = true;
        if (o.kind == OperandKind::label && !facts.indirect && o.base == Operand::none &&
            o.value % instruction_bytes == 0)
            facts.target = o.value / instruction_bytes;
    }
}

} // namespace

trace::MachineInstruction facts_of(const Instruction& i) {
    trace::MachineInstruction facts;
    facts.opcode = i.opcode;
    facts.code = static_cast<uint16_t>(bits(i.word, 0, 12));
    facts.kind = i.kind;
    facts.space = i.space;
    if (i.kind == Kind::load || i.kind == Kind::store || i.kind == Kind::async_copy) facts.bytes = i.bytes;
    facts.guard = i.guard;
    facts.guard_negated = i.guard_negated;
    if (i.kind == Kind::branch || i.kind == Kind::exit) add_branch(i, facts);
    facts.text = print(i);
    facts.control = i.control;
    return facts;
}

base::Result<std::shared_ptr<const trace::MachineListing>> read(std::span<const std::byte> cubin,
                                                                const std::string& entry) {
    const auto module = read_module(cubin, entry);
    if (!module) return module.error();
    return read(cubin, *module);
}

base::Result<std::shared_ptr<const trace::MachineListing>> read(std::span<const std::byte> cubin,
                                                                const Module& module) {
    auto elf = Elf::open(cubin);
    if (!elf) return elf.error();
    auto text = find_kernel(*elf, module.entry);
    if (!text) return text.error();

    auto listing = std::make_shared<trace::MachineListing>();
    listing->sm = module.sm;
    listing->code_hash = fnv1a(elf->sections()[*text].contents);
    listing->ptx = ptx_lines(*elf);
    const auto count = static_cast<int64_t>(module.instructions.size());
    for (const Instruction& i : module.instructions) {
        trace::MachineInstruction one = facts_of(i);
        if (one.target < 0 || one.target >= count) one.target = -1;
        listing->instructions.push_back(std::move(one));
    }
    add_lines(*elf, ".debug_line", *text, &trace::MachineInstruction::source_line, listing->instructions);
    add_lines(*elf, ".nv_debug_line_sass", *text, &trace::MachineInstruction::ptx_line, listing->instructions);
    return std::shared_ptr<const trace::MachineListing>(std::move(listing));
}

} // namespace sass
