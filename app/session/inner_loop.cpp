#include "session/inner_loop.h"

#include "sass/printer.h"
#include "sass/reader.h"

namespace session {
namespace {

// Elements of C of a thread that multiplies. Without thread tiles, of one in a grid of whole tiles.
double elements_of_a_thread(const Job& job) {
    if (!job.gemm || job.gemm->operation != catalog::Operation::product) return 0;
    const auto rows = job.parameters.find("TM"), columns = job.parameters.find("TN");
    if (rows != job.parameters.end() && columns != job.parameters.end())
        return static_cast<double>(rows->second) * columns->second;
    const double threads = static_cast<double>(job.shape.grid.count()) * static_cast<double>(job.shape.block.count());
    return static_cast<double>(job.gemm->problem.m) * job.gemm->problem.n / threads;
}

} // namespace

base::Result<InnerLoop> inner_loop(const Job& job, const compile::MachineCode& machine) {
    const auto code = sass::read(machine.cubin, machine.entry);
    if (!code) return code.error();
    InnerLoop inner;
    inner.loop = analysis::main_loop(**code);
    if (inner.loop.body.empty())
        return base::Error{base::Failure::check_failed,
                           base::say("the machine code of {} has no loop with multiply-adds", job.kernel),
                           {},
                           base::say("choose a kernel whose products stand in a loop")};
    inner.mix = analysis::loop_mix(**code, inner.loop);
    if (const double elements = elements_of_a_thread(job); elements > 0) inner.k_steps = inner.loop.products / elements;
    for (const uint32_t index : inner.loop.body) {
        const trace::MachineInstruction& i = (*code)->instructions[index];
        inner.lines.push_back({index * trace::instruction_bytes, i.source_line, i.text, sass::print(i.control)});
    }
    return inner;
}

} // namespace session
