// Text as other formats want it.
#pragma once

#include "lesson/prose.h"

#include <string>
#include <string_view>

namespace lesson {

std::string csv_cell(std::string_view);  // RFC 4180; one that a spreadsheet would take for a formula begins with '
std::string gift_text(std::string_view); // ~ = # { } : \ escaped, on one line

std::string html(const Prose&); // <p> each paragraph, with <b> and <code>

} // namespace lesson
