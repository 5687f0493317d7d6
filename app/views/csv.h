// Comma-separated values, as RFC 4180 has them.
#pragma once

#include <string>
#include <string_view>

namespace views {

std::string csv_cell(std::string_view); // in quotation marks where they are wanted

} // namespace views
