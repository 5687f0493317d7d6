// A solution is one file and the compiler's own headers: it is judged alike wherever it lies, and cannot be another's work.
#pragma once

#include "base/result.h"
#include "trace/listing.h"

#include <filesystem>
#include <string>

namespace exercise {

// Errors: it includes a file of the user's by its name.
base::Status includes_no_file(const std::string& source, const std::filesystem::path& file);

// Errors: code of another file is in the program, by whatever spelling it was included.
base::Status is_of_one_file(const trace::Listing&, const std::filesystem::path& file);

} // namespace exercise
