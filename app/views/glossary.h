// The words that the window explains: assets/glossary.toml.
#pragma once

#include "base/result.h"
#include "catalog/kernel.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace views {

struct Term {
    std::string id;
    catalog::Text term, text;         // the word, and one sentence
    std::string pmpp, nvidia, nsight; // other names of it; empty: none
    std::string see;                  // the view that shows it: "banks"
};

// In the file's order. At most 256 terms of at most 400 bytes a text, in a file of at most 256 KiB. Errors name the line.
base::Result<std::vector<Term>> read_glossary(const std::filesystem::path&);

// Those in which `words`, without regard to case, occur in a name or in the sentence, of either language; by name first. All of
// them if it is empty.
std::vector<const Term*> find_terms(const std::vector<Term>&, std::string_view words);

} // namespace views
