// What a file is that the user hands to the window, on the command line or by dropping it there.
#pragma once

#include "catalog/catalog.h"
#include "session/view.h"

#include <filesystem>
#include <variant>

namespace session {

// A kernel that describes itself, or a view that was kept, also in a picture. Errors: a file of another kind, or with a mistake in it.
using Opened = std::variant<catalog::Kernel, View>;
base::Result<Opened> open_file(const std::filesystem::path&);

// A view as text, such as Ctrl+C copies; bounded. Errors: it is none.
base::Result<View> pasted_view(std::string_view text);

// What a picture carries of the view that it shows: its JSON under this keyword.
inline constexpr std::string_view picture_keyword = "gemmscope";

} // namespace session
