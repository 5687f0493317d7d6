#include "compile/host_code.h"

#include "compile/declarations.h"
#include "compile/tokens.h"

#include <algorithm>
#include <map>

namespace compile {
namespace {

using Words = std::set<std::string, std::less<>>;

Words to_words(const std::set<std::string_view>& views) { return {views.begin(), views.end()}; }

// The line of each offset of a text, from 1.
class Lines {
public:
    explicit Lines(std::string_view text) {
        for (size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) ends_.push_back(at);
    }
    int operator()(size_t offset) const {
        return 1 + static_cast<int>(std::lower_bound(ends_.begin(), ends_.end(), offset) - ends_.begin());
    }

private:
    std::vector<size_t> ends_;
};

// Template parameters for a sentence: without comments, and whatever was between two of them is one space.
std::string on_one_line(std::string_view parameters) {
    std::string text;
    const std::vector<Token> tokens = tokenize(parameters);
    for (size_t n = 0; n < tokens.size(); ++n) {
        const std::string_view word = spelling(parameters, tokens[n]);
        const bool apart = n > 0 && tokens[n].begin > tokens[n - 1].end,
                   tight = word == ">" || word == "," || text.ends_with('<');
        if (apart && !tight) text += ' ';
        text += word;
    }
    return text;
}

// Lines stay lines.
void fill_with_spaces(std::string& text, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
        if (text[i] != '\n') text[i] = ' ';
    }
}

// `marks` and every macro that stands for one of them, directly or through another.
std::set<std::string_view> with_macros(std::set<std::string_view> marks, const std::vector<Macro>& macros) {
    for (bool grows = true; grows;) {
        grows = false;
        for (const Macro& macro : macros) {
            const auto is_mark = [&](std::string_view word) { return marks.contains(word); };
            if (!marks.contains(macro.name) && std::any_of(macro.words.begin(), macro.words.end(), is_mark))
                grows = marks.insert(macro.name).second;
        }
    }
    return marks;
}

} // namespace

HostCode::HostCode(std::string_view text, const std::string& name, std::string_view entry) {
    files_.push_back({name, std::string(text)});
    if (auto included = local_includes(text, name))
        for (IncludedFile& file : *included) files_.push_back(std::move(file));
    for (const Token& token : tokenize(entry)) entry_words_.emplace(spelling(entry, token));
    point_includes();
    find_entities();
}

// An included file stands in memory under its path, where no other spelling leads to it.
void HostCode::point_includes() {
    for (IncludedFile& file : files_) {
        const std::filesystem::path folder = std::filesystem::path(file.path).parent_path();
        std::vector<Token> tokens = tokenize(file.text);
        for (size_t i = tokens.size(); i-- > 0;) {
            if (tokens[i].kind != Token::Kind::directive) continue;
            const std::string_view name = included_name(spelling(file.text, tokens[i]));
            const std::string path = name.empty() ? std::string() : find_included(name, folder).string();
            const auto is_it = [&](const IncludedFile& other) {
                return &other != &files_.front() && other.path == path;
            };
            if (name.empty() || std::none_of(files_.begin(), files_.end(), is_it)) continue;
            const auto at = static_cast<size_t>(name.data() - file.text.data());
            file.text.replace(at - 1, name.size() + 2, '"' + path + '"');
        }
    }
}

void HostCode::find_entities() {
    std::vector<Macro> all_macros;
    for (const IncludedFile& file : files_) {
        for (Macro& macro : macros(file.text)) all_macros.push_back(std::move(macro));
    }
    for (const Macro& macro : all_macros) macros_.emplace_back(macro.name, to_words(macro.words));
    const auto marks = with_macros(device_marks(), all_macros), kernel_marks = with_macros({"__global__"}, all_macros);
    for (size_t number = 0; number < files_.size(); ++number) {
        const std::string& text = files_[number].text;
        const Lines line(text);
        const auto entity = [&](const Declaration& d, int owner) {
            entities_.push_back({number, d.begin, d.end, d.body_begin, d.body_end, line(d.begin), line(d.end),
                                 line(d.body_begin), to_words(d.names), to_words(d.words), d.is_device,
                                 d.kind == Declaration::Kind::function, d.is_kernel, false, owner});
            return static_cast<int>(entities_.size()) - 1;
        };
        for (const Declaration& d : declarations(text, marks, kernel_marks, all_macros)) {
            const int owner = entity(d, -1);
            for (const Declaration& member : d.members) entity(member, owner);
            if (!d.is_kernel || d.kind != Declaration::Kind::function || d.name.empty()) continue;
            const Kernel kernel{d.name, on_one_line(d.template_parameters), files_[number].path, line(d.begin),
                                d.body_begin < d.body_end};
            const auto known =
                std::find_if(kernels_.begin(), kernels_.end(), [&](const Kernel& k) { return k.name == d.name; });
            if (known == kernels_.end()) kernels_.push_back(kernel);
            else if (!known->is_defined) *known = kernel;
        }
    }
}

Words HostCode::needed_words() const {
    std::multimap<std::string_view, const Words*> introduces;
    for (const Entity& e : entities_) {
        for (const std::string& name : e.names) introduces.emplace(name, &e.words);
    }
    for (const auto& [name, words] : macros_) introduces.emplace(name, &words);

    Words needed;
    std::vector<std::string_view> waiting;
    std::set<const Words*> seen;
    const auto need = [&](const Words& words) {
        if (!seen.insert(&words).second) return;
        for (const std::string& word : words) {
            if (needed.insert(word).second) waiting.push_back(word);
        }
    };
    need(entry_words_);
    for (const Entity& e : entities_) {
        if (e.is_device && e.owner < 0) need(e.words);
    }
    while (!waiting.empty()) {
        const std::string_view word = waiting.back();
        waiting.pop_back();
        const auto [first, last] = introduces.equal_range(word);
        for (auto it = first; it != last; ++it) need(*it->second);
    }
    return needed;
}

bool HostCode::remove_unused() {
    const Words needed = needed_words();
    bool found = false;
    for (Entity& e : entities_) {
        if (e.is_device || e.owner >= 0 || e.names.empty()) continue;
        const auto is_needed = [&](const std::string& name) { return needed.contains(name); };
        if (std::any_of(e.names.begin(), e.names.end(), is_needed)) continue;
        remove(e);
        found = true;
    }
    return found;
}

bool HostCode::is_other_kernel(const Entity& e) const {
    const auto is_named = [&](const std::string& name) { return entry_words_.contains(name); };
    return e.is_kernel && !entry_words_.empty() && std::none_of(e.names.begin(), e.names.end(), is_named);
}

bool HostCode::remove_at(const std::string& file, int line, const std::string& error) {
    std::set<int> blocked; // classes: the error is in a function of theirs that is the device's
    for (const bool members : {true, false}) {
        for (size_t i = 0; i < entities_.size(); ++i) {
            Entity& e = entities_[i];
            if (files_[e.file].path != file || line < e.first_line || line > e.last_line || (e.owner >= 0) != members)
                continue;
            if (e.is_removed && touched_.contains(i)) return true;
            if (e.is_removed || blocked.contains(static_cast<int>(i)) || (members && !e.is_function)) continue;
            if (e.is_device && !is_other_kernel(e)) {
                blocked.insert(e.owner);
                continue;
            }
            if (!touched_.insert(i).second) return true;
            removed_.push_back({e.names, file, line, error});
            if (members && e.body_begin < e.body_end && line >= e.body_line) {
                blank(e.file, e.body_begin, e.body_end);
                files_[e.file].text[e.body_begin] = ';';
                e.body_begin = e.body_end = 0;
            } else {
                remove(e);
            }
            return true;
        }
    }
    return false;
}

bool HostCode::remove_includes_of(std::string_view file) {
    bool found = false;
    for (IncludedFile& own : files_) {
        for (const Token& token : tokenize(own.text)) {
            if (token.kind != Token::Kind::directive) continue;
            const std::string name(included_name(spelling(own.text, token)));
            if (name.empty() || name.front() == '/') continue;
            const std::string folder = "/" + name.substr(0, name.find('/')) + "/";
            const bool leads =
                file.ends_with("/" + name) || (name.find('/') != name.npos && file.find(folder) != file.npos);
            if (!leads) continue;
            fill_with_spaces(own.text, token.begin, token.end);
            found = true;
        }
    }
    return found;
}

bool HostCode::remove_using_std() {
    constexpr std::string_view words[] = {"using", "namespace", "std", ";"};
    bool found = false;
    for (IncludedFile& own : files_) {
        const std::vector<Token> tokens = tokenize(own.text);
        const auto is_word = [&](const Token& token, std::string_view word) {
            return spelling(own.text, token) == word;
        };
        for (auto at = tokens.begin();; ++at) {
            at = std::search(at, tokens.end(), std::begin(words), std::end(words), is_word);
            if (at == tokens.end()) break;
            fill_with_spaces(own.text, at->begin, at[std::size(words) - 1].end);
            found = true;
        }
    }
    return found;
}

std::optional<HostCode::Removed> HostCode::removed(const std::vector<std::string>& names) const {
    for (const Removed& gone : removed_) {
        const auto is_its = [&](const std::string& name) { return gone.names.contains(name); };
        if (std::any_of(names.begin(), names.end(), is_its)) return gone;
    }
    return {};
}

void HostCode::remove(Entity& entity) {
    entity.is_removed = true;
    blank(entity.file, entity.begin, entity.end);
}

// Spaces, but for the ends of lines and the preprocessor's lines.
void HostCode::blank(size_t file, size_t begin, size_t end) {
    std::string& text = files_[file].text;
    const std::string inside = text.substr(begin, end - begin);
    fill_with_spaces(text, begin, end);
    for (const Token& token : tokenize(inside)) {
        if (token.kind == Token::Kind::directive)
            inside.copy(text.data() + begin + token.begin, token.end - token.begin, token.begin);
    }
}

} // namespace compile
