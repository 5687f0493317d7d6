#include "base/version.h"

namespace base {

std::string_view version() { return GEMMSCOPE_VERSION; }

} // namespace base
