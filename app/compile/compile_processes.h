// Where NVRTC and ptxas run: processes that a hostile source may hang, fill or crash without harm to this one. Each is
// this very program as `gemmscope compiler` (compile_service.h), stays loaded between compilations, and is ended and
// replaced where it does not answer.
#pragma once

#include "compile/compiler.h"
#include "compile/nvrtc_library.h"
#include "compile/ptxas.h"

#include <memory>

namespace compile {

// Thread-safe: as many processes as callers at a time. A stop token ends the process that its caller waits for, half a
// second after it was asked for: most compilations are done by then and leave their process loaded.
class CompileProcesses {
public:
    CompileProcesses();
    ~CompileProcesses();

    // Asked of a process once. Errors: it is missing; no process can be started; stopped.
    base::Result<NvrtcFacts> nvrtc(std::stop_token);
    base::Result<PtxasFacts> ptxas(std::stop_token);

    Outcome<Ptx> translate(const Source&, std::stop_token);
    Outcome<MachineCode> assemble(const Ptx&, const Source&, std::stop_token);

    void warm_up(std::stop_token); // lets NVRTC compile a kernel of one line

    void look_again(); // for NVRTC and ptxas, when they are next needed: they have come

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// The program to start: $GEMMSCOPE_PROGRAM, else this one if it is gemmscope, else the gemmscope that lies beside it, as
// tests and benchmarks have it. Errors: there is none.
base::Result<std::string> compiler_program();

} // namespace compile
