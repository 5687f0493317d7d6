#include "analysis/main_loop.h"

#include "analysis/control_flow.h"

#include <map>

namespace analysis {
namespace {

bool is_larger(const MainLoop& a, const MainLoop& b) {
    return a.products != b.products ? a.products > b.products : a.instructions < b.instructions;
}

} // namespace

MainLoop main_loop(const trace::MachineListing& code) {
    const ControlFlow flow = control_flow(code);
    if (!flow.known) return {};
    std::map<uint32_t, MainLoop> loops; // by their first block
    for (size_t i = 0; i < code.instructions.size(); ++i) {
        const trace::MachineInstruction& instruction = code.instructions[i];
        for (uint32_t loop : flow.loops_of(i)) {
            MainLoop& found = loops[loop];
            ++found.instructions;
            found.products += instruction.kind == trace::Kind::fma || instruction.kind == trace::Kind::matrix;
            found.shared_loads += instruction.kind == trace::Kind::load && instruction.space == trace::Space::shared;
        }
    }
    MainLoop best;
    for (const auto& [block, loop] : loops)
        if (loop.products > 0 && (best.products == 0 || is_larger(loop, best))) best = loop;
    return best;
}

} // namespace analysis
