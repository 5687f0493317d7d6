// A second executor, for tests only: one thread after the other, one instruction after the other, each as the manual
// words it. It shares the parser with the engine and nothing else.
#pragma once

#include "ptx/module.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

struct ReferenceMemory { // one global array
    uint64_t address = 0;
    std::span<std::byte> bytes;
};

struct ReferenceLaunch {
    uint32_t blocks = 1, threads = 32;
    std::vector<std::byte> parameters;
    std::vector<ReferenceMemory> memory;
};

// Runs the module's first function. Empty, or what it cannot execute. Threads run to their next bar.sync.
std::string run_reference(const ptx::Module&, const ReferenceLaunch&);
