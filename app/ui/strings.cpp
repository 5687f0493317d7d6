#include "ui/strings.h"

#include "base/file.h"

#include <toml++/toml.h>

#include <algorithm>

namespace ui {

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

} // namespace

base::Result<Strings> Strings::load(const std::filesystem::path& folder) {
    auto english = read_table(folder / "en.toml");
    if (!english) return english.error();
    auto chinese = read_table(folder / "zh.toml");
    if (!chinese) return chinese.error();
    Strings strings;
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

std::string Strings::all_text() const {
    std::string all;
    for (const Map* table : {&en_, &zh_})
        for (const auto& [key, text] : *table) all += text;
    return all;
}

std::vector<std::string> Strings::keys(session::Language language) const {
    std::vector<std::string> names;
    for (const auto& [key, text] : language == session::Language::zh ? zh_ : en_) names.push_back(key);
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace ui
