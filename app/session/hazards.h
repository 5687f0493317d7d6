// What is wrong with a kernel's machine code whatever it is executed with: instructions that are issued too early.
#pragma once

#include "sass/scoreboards.h"
#include "trace/trace.h"

#include <vector>

namespace session {

// As findings: their pc counts instructions.
std::vector<trace::Finding> findings_of(const std::vector<sass::Hazard>&, const trace::Listing&);

} // namespace session
