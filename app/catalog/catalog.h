// Every kernel file of one or more folders, and single ones.
#pragma once

#include "catalog/families.h"
#include "catalog/kernel.h"

#include <filesystem>
#include <memory>
#include <span>

namespace catalog {

struct Catalog {
    std::vector<Family> families;                       // in the order of their lists; each kernel's is among them
    std::vector<std::shared_ptr<const Kernel>> kernels; // by family, then rung
    std::vector<base::Error> problems;                  // files that could not be read; the rest is there

    std::shared_ptr<const Kernel> find(std::string_view id) const; // nullptr if there is none
    // The kernel before (-1) or after (1) that one in its family; nullptr: there is none.
    std::shared_ptr<const Kernel> beside(std::string_view id, int direction) const;
    std::vector<std::shared_ptr<const Kernel>> of_family(std::string_view family) const; // by rung
};

// Reads families.toml, where there is one, and *.cu of each folder, and each single file. Of two files of one
// id the later one counts. `before`: what was read earlier. A file that is as it was then gives the very same
// kernel, and one that can no longer be read leaves the kernel that it was.
Catalog load(const std::vector<std::filesystem::path>& places, const Catalog* before = nullptr);

// The catalogue with what one file holds now; no other is read.
Catalog with_file(const Catalog&, const std::filesystem::path& file);

// One file. Errors name the line of the front matter. `families`: those that it may name; none: any.
base::Result<Kernel> parse(const std::string& text, const std::filesystem::path& path,
                           std::span<const Family> families = {});

} // namespace catalog
