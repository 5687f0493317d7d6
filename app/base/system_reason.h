// Why the system refused.
#pragma once

#include "base/sentence.h"

namespace base {

Sentence system_reason(int number); // errno's: as strerror() says it, and what users meet in other languages, too

} // namespace base
