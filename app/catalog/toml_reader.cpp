#include "catalog/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace catalog {

toml::table TomlReader::parse(const std::string& text) {
    try {
        return toml::parse(text, path_);
    } catch (const toml::parse_error& problem) {
        fail(problem.source(), base::verbatim(std::string(problem.description())),
             base::say("write key = value, with texts in quotation marks; [table] and [[list]] on lines of their own"));
        return {};
    }
}

void TomlReader::fail(const toml::source_region& at, base::Sentence what, base::Sentence todo) {
    fail_at(at.begin.line > 0 ? at.begin.line + lines_before_ : 0, std::move(what), std::move(todo));
}

void TomlReader::fail_at(uint32_t line, base::Sentence what, base::Sentence todo) {
    std::string where = line > 0 ? fmt::format("{}:{}", path_, line) : path_;
    fail(base::Error{base::Failure::usage, std::move(what), std::move(where), std::move(todo)});
}

void TomlReader::known_keys(const toml::table& table, std::initializer_list<std::string_view> keys) {
    for (auto&& [key, node] : table)
        if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
            fail(key.source(), base::say("unknown key \"{}\"", key.str()),
                 base::say("known here: {}", base::names(keys)));
}

const toml::node* TomlReader::need(const toml::table& table, std::string_view key, std::string_view example) {
    const toml::node* node = table.get(key);
    if (!node) fail(table.source(), base::say("\"{}\" is missing", key), base::say("add {}", example));
    return node;
}

std::string TomlReader::text_of(const toml::node& node, std::string_view key) {
    if (auto text = node.value_exact<std::string>()) return *text;
    fail(node.source(), base::say("\"{}\" should be a text in quotation marks", key),
         base::say("write {} = \"...\"", key));
    return {};
}

void TomlReader::optional_text(const toml::table& table, std::string_view key, std::string& into) {
    if (const toml::node* node = table.get(key)) into = text_of(*node, key);
}

Text TomlReader::both_languages(const toml::node& node, std::string_view key) {
    if (node.is_string()) {
        std::string text = text_of(node, key);
        return {text, text};
    }
    const toml::table* table = node.as_table();
    if (!table) {
        fail(node.source(), base::say("\"{}\" should be a text, or one in each language", key),
             base::say("write {0} = \"...\" or {0} = {{ en = \"...\", zh = \"...\" }}", key));
        return {};
    }
    known_keys(*table, {"en", "zh"});
    Text text;
    if (const toml::node* en = need(*table, "en", "en = \"...\"")) text.en = text_of(*en, "en");
    text.zh = text.en;
    optional_text(*table, "zh", text.zh);
    return text;
}

int TomlReader::whole_number(const toml::node& node, std::string_view key) {
    auto value = node.value_exact<int64_t>();
    if (value && *value >= std::numeric_limits<int>::min() && *value <= std::numeric_limits<int>::max())
        return static_cast<int>(*value);
    fail(node.source(), base::say("\"{}\" should be a whole number of at most 31 bits", key),
         base::say("write it without a point and without quotation marks"));
    return 0;
}

std::vector<const toml::table*> TomlReader::tables(const toml::table& root, std::string_view key) {
    std::vector<const toml::table*> found;
    const toml::node* node = root.get(key);
    if (!node) return found;
    if (!node->is_array_of_tables() && !(node->is_array() && node->as_array()->empty())) {
        fail(node->source(), base::say("\"{0}\" should be tables, each under [[{0}]]", key),
             base::say("write [[{}]] with two brackets", key));
        return found;
    }
    for (const toml::node& element : *node->as_array()) found.push_back(element.as_table());
    return found;
}

std::vector<std::string> TomlReader::texts(const toml::table& table, std::string_view key, size_t most) {
    std::vector<std::string> found;
    const toml::node* node = table.get(key);
    if (!node) return found;
    const toml::array* array = node->as_array();
    if (!array) {
        fail(node->source(), base::say("\"{}\" should be a list of texts", key),
             base::say("write {} = [\"...\", \"...\"]", key));
        return found;
    }
    if (!bounded(table, key, array->size(), most)) return found;
    for (const toml::node& element : *array) found.push_back(text_of(element, key));
    return found;
}

bool TomlReader::bounded(const toml::table& at, std::string_view what, size_t count, size_t most) {
    if (count <= most) return true;
    fail(at.source(), base::say("{} of \"{}\"", count, what), base::say("write at most {}", most));
    return false;
}

} // namespace catalog
