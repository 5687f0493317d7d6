#include "views/strings.h"

#include "base/file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>

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

struct Table {
    Map texts, sentences;
};

base::Result<Table> read_table(const std::filesystem::path& path) {
    const auto text = base::read_file(path);
    if (!text) return text.error();
    try {
        Table out;
        toml::table root = toml::parse(*text);
        if (const toml::table* sentences = root["sentences"].as_table()) flatten(*sentences, "", out.sentences);
        root.erase("sentences");
        flatten(root, "", out.texts);
        return out;
    } catch (const toml::parse_error& error) {
        return base::Error{base::Failure::missing, base::verbatim(std::string(error.description())),
                           path.string() + ":" + std::to_string(error.source().begin.line),
                           base::say("install gemmscope again")};
    }
}

// The last or first character of a text, where three bytes of UTF-8 make one.
std::string_view last(std::string_view text) { return text.substr(text.size() - std::min<size_t>(text.size(), 3)); }
std::string_view first(std::string_view text) { return text.substr(0, 3); }

bool is_ideograph(std::string_view character) { // U+4E00 to U+9FFF
    return character >= "\xE4\xB8\x80" && character <= "\xE9\xBF\xBF" && character.size() == 3;
}
bool is_wide(std::string_view character) { // and full-width punctuation
    return is_ideograph(character) ||
           (character.size() == 3 && (character.starts_with("\xE3\x80") || character.starts_with("\xEF\xBC")));
}
bool is_latin(char c, std::string_view brackets) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '`' ||
           brackets.find(c) != brackets.npos;
}

// Between Chinese and Latin letters or digits stands a space, between two Chinese characters none: what fills a place may be either.
void append(std::string& text, std::string_view piece) {
    if (text.empty() || piece.empty()) {
        text += piece;
        return;
    }
    const std::string_view before = text;
    if (before.back() == ' ' && is_wide(last(before.substr(0, before.size() - 1))) && is_wide(first(piece)))
        text.pop_back();
    else if (piece.front() == ' ' && is_wide(last(before)) && is_wide(first(piece.substr(1)))) piece.remove_prefix(1);
    else if ((is_ideograph(last(before)) && is_latin(piece.front(), "([")) ||
             (is_latin(before.back(), ")]") && is_ideograph(first(piece))))
        text += ' ';
    text += piece;
}

struct Chinese {
    const Map& sentences;

    const std::string& word(const std::string& pattern) const {
        const auto found = sentences.find(pattern);
        return found == sentences.end() ? pattern : found->second;
    }
    std::string joined(const std::vector<std::string>& pieces) const {
        std::string text;
        for (const std::string& piece : pieces) append(text, piece);
        return text;
    }
};

} // namespace

base::Result<Strings> Strings::load(const std::filesystem::path& folder) {
    auto english = read_table(folder / "en.toml");
    if (!english) return english.error();
    auto chinese = read_table(folder / "zh.toml");
    if (!chinese) return chinese.error();
    auto glossary = read_glossary(folder.parent_path() / "glossary.toml");
    if (!glossary) return glossary.error();
    auto log = read_log(folder.parent_path() / "champion_log.toml");
    if (!log) return log.error();
    Strings strings;
    strings.log_ = *std::move(log);
    strings.glossary_ = *std::move(glossary);
    strings.en_ = std::move(english->texts);
    strings.zh_ = std::move(chinese->texts);
    strings.sentences_ = std::move(chinese->sentences);
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

std::string Strings::operator()(const base::Sentence& sentence) const {
    return language_ == session::Language::en ? sentence.english() : sentence.in(Chinese{sentences_});
}

std::string Strings::text_in(session::Language language) const {
    const bool chinese = language == session::Language::zh;
    const auto chosen = [chinese](const catalog::Text& text) { return chinese ? text.zh : text.en; };
    std::string all;
    for (const auto& [key, text] : chinese ? zh_ : en_) all += text;
    if (chinese)
        for (const auto& [english, text] : sentences_) all += text;
    for (const Term& term : glossary_)
        all += chosen(term.term) + chosen(term.text) + term.pmpp + term.nvidia + term.nsight;
    for (const LogEntry& entry : entries(log_)) all += chosen(text_of(entry));
    return all;
}

std::vector<std::string> Strings::keys(session::Language language) const {
    std::vector<std::string> names;
    for (const auto& [key, text] : language == session::Language::zh ? zh_ : en_) names.push_back(key);
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace views
