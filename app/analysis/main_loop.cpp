#include "analysis/main_loop.h"

#include "analysis/loops.h"

#include <algorithm>
#include <bit>
#include <map>

namespace analysis {
namespace {

bool is_larger(const MainLoop& a, const MainLoop& b) {
    return a.products != b.products ? a.products > b.products : a.instructions < b.instructions;
}

} // namespace

MainLoop main_loop(const trace::MachineListing& code) {
    const Loops around = loops(code);
    if (!around.known) return {};
    std::map<uint32_t, MainLoop> all; // by their first block
    for (size_t i = 0; i < code.instructions.size(); ++i) {
        const trace::MachineInstruction& instruction = code.instructions[i];
        for (uint32_t loop : around.of(i)) {
            MainLoop& found = all[loop];
            ++found.instructions;
            found.body.push_back(static_cast<uint32_t>(i));
            found.products += instruction.kind == trace::Kind::fma || instruction.kind == trace::Kind::matrix;
            found.shared_loads += instruction.kind == trace::Kind::load && instruction.space == trace::Space::shared;
        }
    }
    const auto largest = std::max_element(all.begin(), all.end(),
                                          [](const auto& a, const auto& b) { return is_larger(b.second, a.second); });
    if (largest == all.end() || largest->second.products == 0) return {};
    // A loop around it that has products of its own, before or behind, is not where the time goes.
    auto main = largest;
    for (auto inner = all.begin(); inner != all.end(); ++inner) {
        const std::vector<uint32_t>& its = around.around[inner->first];
        const bool inside = inner != main && std::find(its.begin(), its.end(), main->first) != its.end();
        if (inside && 2 * inner->second.products >= main->second.products) main = inner;
    }
    return main->second;
}

LoopMix loop_mix(const trace::MachineListing& code, const MainLoop& loop) {
    using trace::Kind;
    using trace::Space;
    LoopMix mix;
    for (const uint32_t index : loop.body) {
        const trace::MachineInstruction& i = code.instructions[index];
        mix.stall_cycles += i.control.stall;
        mix.waits += i.control.wait_mask != 0;
        mix.reused += std::popcount(i.control.reuse);
        if (i.kind == Kind::fma || i.kind == Kind::matrix) continue;
        if (i.kind == Kind::load && i.space == Space::shared) ++mix.shared_loads[i.bytes];
        else if (i.kind == Kind::store && i.space == Space::shared) ++mix.shared_stores;
        else if (i.kind == Kind::load && i.space == Space::global) ++mix.global_loads;
        else if (i.kind == Kind::async_copy) ++mix.async_copies;
        else if (i.kind == Kind::barrier) ++mix.barriers;
        else if (i.kind == Kind::branch) ++mix.branches;
        else ++mix.others;
    }
    return mix;
}

} // namespace analysis
