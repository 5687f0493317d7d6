#include "ui/code/program_text.h"

#include "views/lines.h"

#include <algorithm>

namespace ui {

using trace::Engine;

ProgramText::ProgramText(const CodeLinks& links, const session::Products& products, Engine engine)
    : links_(links), engine_(engine) {
    const session::Prepared* prepared = products.prepared.value.get();
    if (!prepared || !links.listing()) return;
    executed_ = links.listing()->engine == engine;
    ptx_ = prepared->ptx_listing.get();
    const bool is_made = products.machine.face == session::Slot<compile::MachineCode>::Face::ready;
    machine_ = prepared->machine_code ? prepared->machine_code.get() : is_made ? products.disassembly.get() : nullptr;
    ptx_lines_ = split_lines(ptx_->text);
    ptx_at_.resize(ptx_lines_.size() + 1);
    for (const trace::Instruction& i : ptx_->instructions)
        if (i.text_line > 0 && static_cast<size_t>(i.text_line) < ptx_at_.size())
            ptx_at_[static_cast<size_t>(i.text_line)] = &i;
    const auto source_of = [](const trace::Instruction* i) { return i && i->source_file == 0 ? i->source_line : 0; };
    if (engine == Engine::ptx) {
        lines_ = ptx_lines_;
        for (size_t line = 0; line < lines_.size(); ++line) source_.push_back(source_of(ptx_at_[line + 1]));
        for (const trace::Instruction& i : ptx_->instructions)
            instructions_.push_back(static_cast<size_t>(std::max(i.text_line, 1)) - 1);
    } else if (machine_) {
        for (const trace::MachineInstruction& i : machine_->instructions) {
            instructions_.push_back(lines_.size());
            lines_.push_back(i.text);
            const trace::Instruction* from = ptx_at(ptx_line(lines_.size() - 1));
            source_.push_back(from ? source_of(from) : i.source_line);
        }
    }
    pcs_.resize(lines_.size());
    for (uint32_t pc = 0; pc < instructions_.size(); ++pc)
        if (instructions_[pc] < pcs_.size() && !pcs_[instructions_[pc]]) pcs_[instructions_[pc]] = pc;
}

const trace::Instruction* ProgramText::ptx_at(int line) const {
    return line > 0 && static_cast<size_t>(line) < ptx_at_.size() ? ptx_at_[static_cast<size_t>(line)] : nullptr;
}

const trace::MachineInstruction* ProgramText::machine(size_t line) const {
    return engine_ == Engine::machine && machine_ && line < machine_->instructions.size()
               ? &machine_->instructions[line]
               : nullptr;
}

std::string_view ProgramText::opcode(size_t line) const {
    if (const trace::MachineInstruction* i = machine(line)) return i->opcode;
    const trace::Instruction* i = ptx_at(static_cast<int>(line) + 1);
    return i ? std::string_view(i->mnemonic) : std::string_view();
}

std::optional<uint32_t> ProgramText::pc(size_t line) const { return line < pcs_.size() ? pcs_[line] : std::nullopt; }

int ProgramText::ptx_line(size_t line) const {
    const trace::MachineInstruction* i = machine(line);
    if (!i) return 0;
    return static_cast<size_t>(i->ptx_line) <= ptx_lines_.size() ? i->ptx_line : 0;
}

std::string_view ProgramText::ptx(int line) const {
    std::string_view text = ptx_lines_[static_cast<size_t>(line) - 1];
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return text;
}

int ProgramText::ptx_line_of(uint32_t pc) const {
    const trace::Instruction& i = links_.listing()->instructions[pc];
    if (links_.listing()->engine == Engine::ptx) return i.text_line;
    return machine_ && pc < machine_->instructions.size() ? machine_->instructions[pc].ptx_line : 0;
}

bool ProgramText::executes(size_t line, uint32_t pc) const {
    if (executed_) return links_.listing()->instructions[pc].text_line == static_cast<int>(line) + 1;
    const int ptx = engine_ == Engine::ptx ? static_cast<int>(line) + 1 : ptx_line(line);
    return ptx > 0 && ptx_line_of(pc) == ptx;
}

ProgramText::Step ProgramText::step(size_t line) const {
    const int64_t pc = links_.current_pc();
    if (pc < 0) return Step::none;
    if (executes(line, static_cast<uint32_t>(pc))) return executed_ ? Step::executed : Step::counterpart;
    const int source = links_.source_line(pc);
    return source > 0 && source_[line] == source ? Step::of_its_source_line : Step::none;
}

int ProgramText::line_of_step() const {
    int found = -1;
    Step best = Step::none;
    for (size_t line = 0; line < lines_.size(); ++line)
        if (const Step one = step(line); one > best) best = one, found = static_cast<int>(line);
    return found;
}

} // namespace ui
