// A cubin to the facts of one kernel's machine code.
#pragma once

#include "base/result.h"
#include "sass/module.h"
#include "trace/machine.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace sass {

// Its lines are not known, and a branch's target is given as if the kernel had no end.
trace::MachineInstruction facts_of(const Instruction&);

// `entry` is the kernel's mangled name. Lines are known where the cubin was compiled with -lineinfo. Errors: damaged bytes, no
// such kernel, an architecture whose instructions are laid out differently.
base::Result<std::shared_ptr<const trace::MachineListing>> read(std::span<const std::byte> cubin,
                                                                const std::string& entry);
// The same of what read_module() has decoded.
base::Result<std::shared_ptr<const trace::MachineListing>> read(std::span<const std::byte> cubin, const Module&);

} // namespace sass
