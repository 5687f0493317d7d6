// `gemmscope worker`: answers requests over its standard streams until it is told to quit or they close.
#pragma once

#include <functional>
#include <istream>
#include <string_view>

namespace gpu {

// Reads requests from `in`, writes lines (without their ends) by `write`, which says false when nobody listens any more.
// Returns the process's exit code: 0, or 3 without a driver or GPU, or 1 after a failure that no further request would survive.
int serve(std::istream& in, const std::function<bool(std::string_view line)>& write);

// The whole sub-command. What kernels and libraries print goes to standard error, so that it cannot garble the protocol.
int run_worker();

} // namespace gpu
