// NVIDIA's assembler, a program: makes machine code of PTX.
#pragma once

#include "base/result.h"

#include <string>

namespace compile {

struct PtxasOutput {
    std::string cubin; // an ELF file; empty: it refused
    std::string log;
};

struct PtxasFacts {
    std::string path, version; // "13.0.88"
};

class Ptxas {
public:
    // $GEMMSCOPE_PTXAS if set, and nothing else; else bin/ptxas of the toolkit that NVRTC's file lies in, of
    // the other places where NVRTC is looked for, or on $PATH.
    static base::Result<Ptxas> find(const std::string& nvrtc);

    const PtxasFacts& facts() const { return facts_; }

    // With lines, and the resources of each kernel in the log. Thread-safe. Errors: it cannot be started.
    base::Result<PtxasOutput> assemble(const std::string& ptx, const std::string& arch) const;

private:
    PtxasFacts facts_;
};

} // namespace compile
