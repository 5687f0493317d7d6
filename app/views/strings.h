// The en/zh table of everything the window says: assets/i18n/{en,zh}.toml, keys like "banks.title"; and the glossary.
#pragma once

#include "base/result.h"
#include "session/view.h"
#include "views/glossary.h"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace views {

class Strings {
public:
    // Both languages, from `folder`, and the glossary beside it.
    static base::Result<Strings> load(const std::filesystem::path& folder);

    void use(session::Language language) { language_ = language; }
    session::Language language() const { return language_; }

    // The text of `key` in the language in use; falls back to English, then to the key itself.
    const char* operator()(std::string_view key) const;
    // The kernel file's own texts.
    const char* operator()(const catalog::Text&) const;
    // A sentence that another part of the program made, in English ("what; what to do"), in the language in use: each clause that the
    // table "reason" has, with {} for what was filled in. What it does not have, such as a driver's own words, stays as it is.
    std::string reason(std::string_view english) const;
    const std::vector<Term>& glossary() const { return glossary_; }
    // Every character of both tables and of the glossary, for the font atlas.
    std::string all_text() const;
    // The keys of one table, sorted, and those that were asked for and are in neither. For tests.
    std::vector<std::string> keys(session::Language) const;
    const std::set<std::string>& missing() const { return missing_; }

private:
    session::Language language_ = session::Language::en;
    std::unordered_map<std::string, std::string> en_, zh_;
    std::vector<Term> glossary_;
    mutable std::set<std::string> missing_; // owns what operator() returned for them
};

} // namespace views
