#include "base/result.h"

namespace base {

Sentence Error::said() const {
    Sentence both = list({what, todo});
    return where.empty() ? both : say("{}: {}", where, both);
}

std::string Error::sentence() const { return said().english(); }

} // namespace base
