#include "views/glossary.h"

#include "base/file.h"
#include "base/text.h"
#include "catalog/toml_reader.h"

#include <algorithm>
#include <set>

namespace views {

namespace {

constexpr size_t most_glossary_bytes = 256 << 10, most_terms = 256, most_term_text = 400;

Term term_of(catalog::TomlReader& reader, const toml::table& table) {
    reader.known_keys(table, {"id", "term", "text", "pmpp", "nvidia", "nsight", "see"});
    Term term;
    const auto needed = [&](std::string_view key, std::string_view example) {
        return reader.need(table, key, example);
    };
    if (const toml::node* id = needed("id", "id = \"bank\"")) term.id = reader.text_of(*id, "id");
    if (const toml::node* name = needed("term", "term = { en = \"...\", zh = \"...\" }"))
        term.term = reader.both_languages(*name, "term");
    if (const toml::node* text = needed("text", "text = { en = \"...\", zh = \"...\" }"))
        term.text = reader.both_languages(*text, "text");
    if (const toml::node* see = needed("see", "see = \"banks\"")) term.see = reader.text_of(*see, "see");
    reader.optional_text(table, "pmpp", term.pmpp);
    reader.optional_text(table, "nvidia", term.nvidia);
    reader.optional_text(table, "nsight", term.nsight);
    for (const std::string* text : {&term.id, &term.term.en, &term.term.zh, &term.text.en, &term.text.zh, &term.pmpp,
                                    &term.nvidia, &term.nsight, &term.see})
        if (text->size() > most_term_text)
            reader.fail(table.source(), base::say("a text of a term has more than {} bytes", most_term_text),
                        base::say("say it in one sentence"));
    return term;
}

} // namespace

base::Result<std::vector<Term>> read_glossary(const std::filesystem::path& path) {
    const auto text = base::read_file(path);
    if (!text) return text.error();
    catalog::TomlReader reader(path.string());
    if (text->size() > most_glossary_bytes) {
        reader.fail_at(0, base::say("the glossary has more than {} bytes", most_glossary_bytes),
                       base::say("shorten it"));
        return *reader.error();
    }
    const toml::table root = reader.parse(*text);
    reader.known_keys(root, {"term"});
    const auto tables = reader.tables(root, "term");
    if (tables.size() > most_terms)
        reader.fail(tables[most_terms]->source(), base::say("the glossary has more than {} terms", most_terms),
                    base::say("shorten it"));
    std::vector<Term> terms;
    std::set<std::string> ids;
    for (const toml::table* table : tables) {
        if (reader.error()) break;
        terms.push_back(term_of(reader, *table));
        if (!ids.insert(terms.back().id).second)
            reader.fail(table->source(), base::say("there are two terms \"{}\"", terms.back().id),
                        base::say("rename one"));
    }
    if (reader.error()) return *reader.error();
    return terms;
}

std::vector<const Term*> find_terms(const std::vector<Term>& terms, std::string_view words) {
    const std::string wanted = base::lower(words);
    const auto has = [&](const std::string& text) { return base::lower(text).find(wanted) != std::string::npos; };
    const auto by_name = [&](const Term& term) {
        return has(term.id) || has(term.term.en) || has(term.term.zh) || has(term.pmpp) || has(term.nvidia) ||
               has(term.nsight);
    };
    std::vector<const Term*> found, in_text;
    for (const Term& term : terms) {
        if (by_name(term)) found.push_back(&term);
        else if (has(term.text.en) || has(term.text.zh)) in_text.push_back(&term);
    }
    found.insert(found.end(), in_text.begin(), in_text.end());
    return found;
}

} // namespace views
