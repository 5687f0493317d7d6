// The en/zh table of everything the window says: assets/i18n/{en,zh}.toml, keys like "banks.title".
#pragma once

#include "base/result.h"
#include "session/view.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ui {

class Strings {
public:
    static base::Result<Strings> load(const std::filesystem::path& folder); // both languages

    void use(session::Language language) { language_ = language; }
    session::Language language() const { return language_; }

    // The text of `key` in the language in use; falls back to English, then to the key itself.
    const char* operator()(std::string_view key) const;
    // The kernel file's own texts.
    const char* operator()(const catalog::Text&) const;
    // Every character of both tables, for the font atlas.
    std::string all_text() const;

private:
    session::Language language_ = session::Language::en;
    std::unordered_map<std::string, std::string> en_, zh_;
};

} // namespace ui
