#include "catalog/families.h"

#include "base/file.h"
#include "catalog/toml_reader.h"

#include <algorithm>

namespace catalog {

base::Status read_families(const std::filesystem::path& file, std::vector<Family>& families) {
    auto text = base::read_file(file);
    if (!text) return text.error();
    TomlReader reader(file.string());
    const toml::table root = reader.parse(*text);
    reader.known_keys(root, {"family"});
    std::vector<Family> all = families;
    for (const toml::table* table : reader.tables(root, "family")) {
        reader.known_keys(*table, {"id", "title"});
        const toml::node* id = reader.need(*table, "id", "id = \"bits\"");
        const toml::node* title = reader.need(*table, "title", "title = \"...\"");
        if (!id || !title) continue;
        Family family{reader.text_of(*id, "id"), reader.both_languages(*title, "title")};
        const auto is_same = [&](const Family& other) { return other.id == family.id; };
        if (std::any_of(all.begin(), all.end(), is_same))
            reader.fail(id->source(), base::say("there is already a family \"{}\"", family.id),
                        base::say("give this one another id, or leave it out"));
        all.push_back(std::move(family));
    }
    if (reader.error()) return *reader.error();
    families = std::move(all);
    return base::Done{};
}

} // namespace catalog
