// One of a kernel's two programs, PTX or machine code, as lines: where each came from, and which the step is at.
#pragma once

#include "trace/machine.h"
#include "ui/code/code_links.h"

#include <optional>
#include <string_view>
#include <vector>

namespace ui {

class ProgramText {
public:
    // The program that `links` has a trace of, or the other one of the same kernel. Both must outlive this.
    ProgramText(const CodeLinks& links, const session::Products&, trace::Engine);

    trace::Engine engine() const { return engine_; }
    bool executed() const { return executed_; }                           // its lines have a pc, counts, and steps
    const std::vector<std::string_view>& lines() const { return lines_; } // empty: there is none
    const trace::MachineInstruction* machine(size_t line) const;          // of machine code; lines here from 0
    std::string_view opcode(size_t line) const;                           // with modifiers where they are known
    std::optional<uint32_t> pc(size_t line) const;                        // of its instruction, in the program's order
    const std::vector<size_t>& instructions() const { return instructions_; } // their lines, by pc
    int source_line(size_t line) const { return source_[line]; } // from 1; 0: none in the source that is shown
    int ptx_line(size_t line) const;                             // from 1; that it was made from
    std::string_view ptx(int line) const;                        // that line of the PTX, without blanks before it

    // Whether the line is what the step executes, or what of this program became it or was made of it.
    enum class Step : uint8_t { none, of_its_source_line, counterpart, executed };
    Step step(size_t line) const;
    int line_of_step() const; // from 0, the first one that is the nearest to it; -1: none
    // Whether executing that pc is executing the line.
    bool executes(size_t line, uint32_t pc) const;

private:
    const trace::Instruction* ptx_at(int line) const;
    int ptx_line_of(uint32_t pc) const; // that the executed instruction is, or was made from; 0: unknown

    const CodeLinks& links_;
    trace::Engine engine_;
    bool executed_ = false;
    const trace::Listing* ptx_ = nullptr;
    const trace::MachineListing* machine_ = nullptr; // whichever is executed
    std::vector<std::string_view> lines_, ptx_lines_;
    std::vector<size_t> instructions_;
    std::vector<std::optional<uint32_t>> pcs_; // by line
    std::vector<int> source_;
    std::vector<const trace::Instruction*> ptx_at_; // by line of the PTX
};

} // namespace ui
