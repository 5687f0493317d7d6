// CUDA source to PTX and PTX to machine code, without the cache, and what is said where that fails. In this process: a
// hostile source may take any time, any memory and the process with it.
#pragma once

#include "compile/compiler.h"
#include "compile/nvrtc_library.h"
#include "compile/ptxas.h"

namespace compile {

// As "sm_90", ascending.
std::vector<std::string> architecture_names(const NvrtcFacts&);

// What NVRTC is told. Errors: it does not compile for the source's architecture.
base::Result<std::vector<std::string>> options(const NvrtcFacts&, const Source&);

Outcome<Ptx> translate(const Nvrtc&, const Source&);
Outcome<MachineCode> assemble(const Ptxas&, const Ptx&, const Source&);

} // namespace compile
