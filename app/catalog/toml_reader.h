// What the kernel files and the list of families are read with: TOML, and the first mistake in it with its
// line.
#pragma once

#include "base/result.h"
#include "catalog/kernel.h"

#include <toml++/toml.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace catalog {

// After the first mistake the rest is read on as if it were empty; only that mistake is reported.
class TomlReader {
public:
    // `lines_before`: of the file, in front of the text that is parsed.
    explicit TomlReader(std::string path, uint32_t lines_before = 0)
        : path_(std::move(path)), lines_before_(lines_before) {}

    // The tables of `text`; empty after a mistake in its form.
    toml::table parse(const std::string& text);

    void fail(const toml::source_region& at, base::Sentence what, base::Sentence todo = {});
    void fail_at(uint32_t line, base::Sentence what, base::Sentence todo = {}); // 0: no line of the file
    void fail(base::Error error) {
        if (!error_) error_ = std::move(error);
    }

    void known_keys(const toml::table&, std::initializer_list<std::string_view> keys);
    // nullptr: it is missing, which is a mistake. `example`: what to add.
    const toml::node* need(const toml::table&, std::string_view key, std::string_view example);
    std::string text_of(const toml::node&, std::string_view key);
    void optional_text(const toml::table&, std::string_view key, std::string& into);
    Text both_languages(const toml::node&, std::string_view key);
    int whole_number(const toml::node&, std::string_view key);
    // The tables of [[key]], none if there is no such key.
    std::vector<const toml::table*> tables(const toml::table&, std::string_view key);
    // A list of texts, none if there is no such key. More than `most` are a mistake.
    std::vector<std::string> texts(const toml::table&, std::string_view key, size_t most);
    // Whether `count` of `what` are not too many; else that is a mistake.
    bool bounded(const toml::table& at, std::string_view what, size_t count, size_t most);

    uint32_t line_of(const toml::node& node) const { return node.source().begin.line + lines_before_; } // of the file
    const std::string& path() const { return path_; }
    const std::optional<base::Error>& error() const { return error_; }

private:
    std::string path_;
    uint32_t lines_before_;
    std::optional<base::Error> error_;
};

} // namespace catalog
