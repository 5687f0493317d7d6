// What a file is that the user hands to the window, on the command line or by dropping it there.
#pragma once

#include "catalog/catalog.h"
#include "session/view.h"

#include <filesystem>
#include <variant>

namespace session {

// A kernel that describes itself, or a view that was kept. Errors: a file of another kind, or with a mistake in it.
using Opened = std::variant<catalog::Kernel, View>;
base::Result<Opened> open_file(const std::filesystem::path&);

} // namespace session
