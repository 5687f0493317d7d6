// The memory of this machine.
#pragma once

#include "base/result.h"

#include <filesystem>

namespace base {

// Bytes that this process may still take: the least of what the machine has left, what each group of processes that it is in
// (control groups, versions 1 and 2) may still take, and what RLIMIT_AS leaves. `root` is where the system's files are.
double memory_available(const std::filesystem::path& root = "/");

// Errors: `for_what` needs more bytes than are left.
Status fits_memory(double bytes, const Sentence& for_what);

} // namespace base
