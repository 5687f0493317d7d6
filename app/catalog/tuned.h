// Kernel::tuned as a file: KERNEL.tuned.toml, beside KERNEL.cu, and this user's own. And which of them to take.
#pragma once

#include "catalog/kernel.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace catalog {

// Beside the kernel's file and, of a kernel that is installed with the program, in base::data_folder()/tuned. `gemmscope tune`
// writes into the last.
std::vector<std::filesystem::path> tuned_files(const std::filesystem::path& kernel_file);

// Adds one, in the place of that of the same size and device.
void put_tuned(std::vector<Tuned>&, const Tuned&);

// No file: none. Errors name the line; settings that the kernel's rules no longer allow are errors, too.
base::Result<std::vector<Tuned>> read_tuned(const std::filesystem::path&, const Kernel&);

// Puts one into the file, in place of that of the same size and device. The rest stays.
base::Status keep_tuned(const std::filesystem::path&, const Kernel&, const Tuned&);

// The nearest size (in the sum of the ratios of the edges, as powers of two) that was tuned on `device`; if
// none was, on any device of `arch`. nullptr: none was. An empty `device` is none's.
const Tuned* nearest_tuned(const Kernel&, std::string_view device, std::string_view arch, Problem);

// What a kernel starts with: the initial values, or, where it says `tuned = true`, the nearest tuned ones.
Values default_values(const Kernel&, std::string_view device, std::string_view arch, Problem);

// What it runs with where somebody named some values: with(). Where nobody named any: default_values().
base::Result<Values> values_for(const Kernel&, const Values& given, std::string_view device, std::string_view arch,
                                Problem);

} // namespace catalog
