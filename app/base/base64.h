// Bytes as text (RFC 4648, with padding).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace base {

std::string to_base64(std::span<const std::byte> bytes);
std::optional<std::vector<std::byte>> from_base64(std::string_view text); // nothing if it is not base64

} // namespace base
