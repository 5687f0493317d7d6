// The en/zh table of everything the window says: assets/i18n/{en,zh}.toml, keys like "banks.title"; the sentences of
// errors and findings, which zh.toml has by their English pattern; the glossary; and the champion's log.
#pragma once

#include "base/result.h"
#include "session/view.h"
#include "views/champion_log.h"
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
    // Both languages, from `folder`, and the glossary and the log beside it.
    static base::Result<Strings> load(const std::filesystem::path& folder);

    void use(session::Language language) { language_ = language; }
    session::Language language() const { return language_; }

    // The text of `key` in the language in use; falls back to English, then to the key itself.
    const char* operator()(std::string_view key) const;
    // The kernel file's own texts.
    const char* operator()(const catalog::Text&) const;
    // What another part of the program says, by the table "sentences" of the language in use; English needs none. What others wrote,
    // such as a driver or a compiler, stays as it is.
    std::string operator()(const base::Sentence&) const;
    std::string operator()(const base::Error& error) const { return (*this)(error.said()); }
    const std::vector<Term>& glossary() const { return glossary_; }
    const ChampionLog& log() const { return log_; }
    // All characters of one language in the tables, the glossary and the log, for the font atlas.
    std::string text_in(session::Language) const;
    // The keys of one table, sorted, and those that were asked for and are in neither. For tests.
    std::vector<std::string> keys(session::Language) const;
    // The Chinese of each English pattern.
    const std::unordered_map<std::string, std::string>& sentences() const { return sentences_; }
    const std::set<std::string>& missing() const { return missing_; }

private:
    session::Language language_ = session::Language::en;
    std::unordered_map<std::string, std::string> en_, zh_;
    std::unordered_map<std::string, std::string> sentences_;
    std::vector<Term> glossary_;
    ChampionLog log_;
    mutable std::set<std::string> missing_; // owns what operator() returned for them
};

} // namespace views
