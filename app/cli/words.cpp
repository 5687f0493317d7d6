#include "cli/words.h"

#include "base/file.h"

#include <cctype>

namespace cli {

base::Result<views::Strings> english() {
    const auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    return views::Strings::load(*assets / "i18n");
}

std::string in_a_table(std::string label) {
    const auto is_lower = [](char c) { return std::islower(static_cast<unsigned char>(c)) != 0; };
    if (label.size() > 1 && is_lower(label[1]))
        label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
    return label;
}

} // namespace cli
