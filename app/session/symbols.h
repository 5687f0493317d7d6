// Variables of a file, __constant__ and __device__, that host code fills with cudaMemcpyToSymbol.
#pragma once

#include "ptx/module.h"
#include "session/stages.h"
#include "sim/engine.h"

namespace session {

// Gives the variables that the job names the values that it has for them, which it returns, too. Errors: there is no such variable,
// or it has another size.
base::Result<sim::VariableValues> set_symbols(ptx::Module&, const Job&);

// The names of the __constant__ variables that the entry or a function of the file uses and that start as
// zeros.
std::vector<std::string> unset_constants(const ptx::Module&, const std::string& entry);

} // namespace session
