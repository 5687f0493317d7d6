#include "base/result.h"

namespace base {

std::string Error::sentence() const {
    std::string line = where.empty() ? what : where + ": " + what;
    if (!todo.empty()) line += "; " + todo;
    return line;
}

} // namespace base
