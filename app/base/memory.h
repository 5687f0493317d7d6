// The memory of this machine.
#pragma once

#include "base/result.h"

namespace base {

// Errors: `for_what` needs more bytes than are left, of the machine or of what this process may have.
Status fits_memory(double bytes, const std::string& for_what);

} // namespace base
