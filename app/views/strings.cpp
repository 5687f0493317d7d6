#include "views/strings.h"

#include "base/file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <optional>

namespace views {

namespace {

using Map = std::unordered_map<std::string, std::string>;

void flatten(const toml::table& table, const std::string& prefix, Map& out) {
    for (const auto& [key, node] : table) {
        const std::string name = prefix + std::string(key.str());
        if (const toml::table* inner = node.as_table()) flatten(*inner, name + ".", out);
        if (const auto text = node.value<std::string>()) out[name] = *text;
    }
}

base::Result<Map> read_table(const std::filesystem::path& path) {
    const auto text = base::read_file(path);
    if (!text) return text.error();
    try {
        Map out;
        flatten(toml::parse(*text), "", out);
        return out;
    } catch (const toml::parse_error& error) {
        return base::Error{base::Failure::missing, std::string(error.description()),
                           path.string() + ":" + std::to_string(error.source().begin.line), "install gemmscope again"};
    }
}

// What the {} of `pattern` stand for in `clause`; nothing if it is no such clause.
std::optional<std::vector<std::string>> filled_in(std::string_view pattern, std::string_view clause) {
    std::vector<std::string> parts;
    constexpr std::string_view gap = "{}";
    size_t hole = pattern.find(gap);
    if (clause.substr(0, hole) != pattern.substr(0, hole)) return std::nullopt;
    while (hole != std::string_view::npos) {
        clause.remove_prefix(std::min(hole, clause.size()));
        pattern.remove_prefix(hole + gap.size());
        hole = pattern.find(gap);
        const std::string_view after = pattern.substr(0, hole);
        const size_t end = after.empty()                    ? clause.size()
                           : hole == std::string_view::npos ? clause.rfind(after)
                                                            : clause.find(after);
        if (end == std::string_view::npos) return std::nullopt;
        parts.emplace_back(clause.substr(0, end));
        clause.remove_prefix(end);
        if (hole == std::string_view::npos && clause != after) return std::nullopt;
    }
    return parts;
}

std::string fill_in(std::string text, const std::vector<std::string>& parts) {
    size_t at = 0;
    for (const std::string& part : parts) {
        at = text.find("{}", at);
        if (at == std::string::npos) break;
        text.replace(at, 2, part);
        at += part.size();
    }
    return text;
}

// The clause by the pattern that says the most of it, which is the longest.
std::string in_other_words(std::string_view clause, const Map& english, const Map& words) {
    const std::string* best = nullptr;
    std::string said(clause);
    for (const auto& [key, pattern] : english) {
        if (!key.starts_with("reason.") || (best && pattern.size() <= best->size())) continue;
        const auto parts = filled_in(pattern, clause);
        const auto other = words.find(key);
        if (!parts || other == words.end()) continue;
        best = &pattern;
        said = fill_in(other->second, *parts);
    }
    return said;
}

} // namespace

base::Result<Strings> Strings::load(const std::filesystem::path& folder) {
    auto english = read_table(folder / "en.toml");
    if (!english) return english.error();
    auto chinese = read_table(folder / "zh.toml");
    if (!chinese) return chinese.error();
    auto glossary = read_glossary(folder.parent_path() / "glossary.toml");
    if (!glossary) return glossary.error();
    Strings strings;
    strings.glossary_ = *std::move(glossary);
    strings.en_ = *std::move(english);
    strings.zh_ = *std::move(chinese);
    return strings;
}

const char* Strings::operator()(std::string_view key) const {
    const std::string name(key);
    const Map& chosen = language_ == session::Language::zh ? zh_ : en_;
    if (const auto found = chosen.find(name); found != chosen.end()) return found->second.c_str();
    if (const auto found = en_.find(name); found != en_.end()) return found->second.c_str();
    return missing_.insert(name).first->c_str();
}

const char* Strings::operator()(const catalog::Text& text) const {
    return language_ == session::Language::zh && !text.zh.empty() ? text.zh.c_str() : text.en.c_str();
}

std::string Strings::reason(std::string_view english) const {
    if (language_ == session::Language::en) return std::string(english);
    std::string said;
    for (constexpr std::string_view between = "; "; !english.empty();) {
        const size_t end = std::min(english.find(between), english.size());
        said += (said.empty() ? "" : "；") + in_other_words(english.substr(0, end), en_, zh_);
        english.remove_prefix(std::min(end + between.size(), english.size()));
    }
    return said;
}

std::string Strings::all_text() const {
    std::string all;
    for (const Map* table : {&en_, &zh_})
        for (const auto& [key, text] : *table) all += text;
    for (const Term& term : glossary_)
        all += term.term.en + term.term.zh + term.text.en + term.text.zh + term.pmpp + term.nvidia + term.nsight;
    return all;
}

std::vector<std::string> Strings::keys(session::Language language) const {
    std::vector<std::string> names;
    for (const auto& [key, text] : language == session::Language::zh ? zh_ : en_) names.push_back(key);
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace views
