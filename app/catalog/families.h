// The families that the catalogue is divided into, as files named families.toml list them.
#pragma once

#include "base/result.h"
#include "catalog/kernel.h"

#include <filesystem>
#include <string>
#include <vector>

namespace catalog {

struct Family {
    std::string id; // what kernel files name: "ladder"
    Text title;     // the heading over its kernels
};

// Appends those of the file, in its order. Errors name the line; nothing is appended then.
base::Status read_families(const std::filesystem::path& file, std::vector<Family>& families);

} // namespace catalog
