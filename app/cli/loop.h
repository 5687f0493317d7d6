// compile --loop: what ptxas made of the loop in which a kernel spends its time.
#pragma once

#include "cli/json.h"
#include "session/inner_loop.h"

#include <string>

namespace cli {

Json to_json(const session::InnerLoop&);
std::string to_text(const session::InnerLoop&); // counts, then each instruction with its scheduling fields

} // namespace cli
