// Why a search means a kernel, in words: for the ladder and `gemmscope list`.
#pragma once

#include "session/search.h"
#include "views/strings.h"

#include <string>
#include <vector>

namespace views {

const char* match_key(session::Match::Where); // of the place where a word stands: "idea", "PTX"

// "PTX: cp.async.cg.shared.global"
std::string matches_text(const Strings&, const std::vector<session::Match>&);

} // namespace views
