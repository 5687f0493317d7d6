// What is wrong with a kernel's machine code whatever it is executed with: instructions that are issued too early.
#pragma once

#include "compile/compiler.h"
#include "trace/trace.h"

#include <vector>

namespace session {

// sass::find_hazards() as findings: their pc counts instructions. None of code that cannot be read.
std::vector<trace::Finding> hazards(const compile::MachineCode&, const trace::Listing&);

} // namespace session
