// Every kernel file of one or more folders.
#pragma once

#include "catalog/kernel.h"

#include <filesystem>
#include <memory>

namespace catalog {

struct Catalog {
    std::vector<std::shared_ptr<const Kernel>> kernels; // by family, then rung
    std::vector<base::Error> problems;                  // files that could not be read; the rest is there

    std::shared_ptr<const Kernel> find(std::string_view id) const; // nullptr if there is none
};

// Reads *.cu of each folder. A later folder's kernel replaces an earlier one's of the same id.
Catalog load(const std::vector<std::filesystem::path>& folders);

// One file. Errors name the line of the front matter.
base::Result<Kernel> parse(const std::string& text, const std::filesystem::path& path);

} // namespace catalog
