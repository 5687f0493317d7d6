#include "compile/declarations.h"

#include <algorithm>
#include <map>
#include <span>

namespace compile {
namespace {

using Kind = Token::Kind;
using Marks = std::set<std::string_view>;

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// Words with arguments in brackets that are no function's name.
bool is_attribute(std::string_view word) {
    return one_of(word, {"__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__align__", "__attribute__",
                         "__declspec", "alignas", "decltype", "noexcept", "requires", "explicit", "sizeof", "alignof",
                         "static_assert", "throw", "__typeof__", "typeof"});
}

// Before brackets they begin a pointer to a function: void (*f)(int).
bool is_type_word(std::string_view word) {
    return one_of(word, {"void", "bool", "char", "short", "int", "long", "float", "double", "unsigned", "signed",
                         "auto", "const", "size_t"});
}

// The tokens of one declaration, to be understood.
class Reader {
public:
    Reader(std::string_view source, std::span<const Token> tokens) : source_(source), tokens_(tokens) {}

    size_t size() const { return tokens_.size(); }
    const Token& token(size_t i) const { return tokens_[i]; }
    std::string_view at(size_t i) const {
        return i < tokens_.size() ? spelling(source_, tokens_[i]) : std::string_view();
    }
    bool is_word(size_t i) const { return i < tokens_.size() && tokens_[i].kind == Kind::word; }

    // Past the bracket that closes the one at `i`; the end if there is none.
    size_t past_bracket(size_t i) const {
        const std::string_view open = at(i), close = open == "(" ? ")" : open == "[" ? "]" : open == "{" ? "}" : ">";
        int depth = 0;
        for (; i < size(); ++i) {
            if (close == ">" && (at(i) == "(" || at(i) == "{")) {
                i = past_bracket(i) - 1;
                continue;
            }
            depth += (at(i) == open) - (at(i) == close);
            if (depth == 0) return i + 1;
        }
        return size();
    }
    // The '<' of the '>' at `i`; `i` if there is none.
    size_t matching_angle(size_t i) const {
        int depth = 0;
        for (size_t j = i + 1; j-- > 0;) {
            depth += (at(j) == ">") - (at(j) == "<");
            if (depth == 0) return j;
        }
        return i;
    }

    // Past "template <...> template <...>", and the bounds of the last parameter list.
    size_t past_template(std::string_view& parameters) const {
        size_t i = 0;
        if (at(i) == "extern" && at(i + 1) == "template") ++i;
        while (at(i) == "template") {
            if (at(i + 1) != "<") return i + 1; // an explicit instantiation
            const size_t end = past_bracket(i + 1);
            if (end > i + 3) parameters = source_.substr(token(i + 1).begin, token(end - 1).end - token(i + 1).begin);
            i = end;
        }
        return i;
    }

private:
    std::string_view source_;
    std::span<const Token> tokens_;
};

struct Parts {               // of a declaration: token numbers, size() where there is none
    size_t start = 0;        // past the template's parameters
    size_t name = 0;         // a function's: the word before its parameters
    size_t parameters = 0;   // '('
    size_t brace = 0;        // the first '{' outside brackets
    size_t equals = 0;       // the first '=' before that
    size_t initialisers = 0; // ':' of a constructor
};

// The word that a function's parameters at `open` follow: f of "f(", of "f<float>("; size() if it is no name.
size_t function_name(const Reader& r, size_t open, size_t start) {
    if (open <= start) return r.size();
    size_t before = open - 1;
    if (r.at(before) == ">") {
        const size_t angle = r.matching_angle(before);
        if (angle == before || angle <= start) return r.size();
        before = angle - 1;
    }
    if (!r.is_word(before) || is_attribute(r.at(before)) || is_type_word(r.at(before))) return r.size();
    return before;
}

Parts parts_of(const Reader& r, std::string_view& template_parameters) {
    const size_t none = r.size();
    Parts p{r.past_template(template_parameters), none, none, none, none, none};
    for (size_t i = p.start; i < r.size();) {
        const std::string_view at = r.at(i);
        if (at == "operator") { // its signs are no brackets and no '='
            p.name = i;
            while (i < r.size() && r.at(i) != "(") ++i;
            if (r.at(i + 1) == ")" && r.at(i + 2) == "(") i += 2;
            p.parameters = i;
            i = r.past_bracket(i);
            continue;
        }
        if (at == "{") {
            p.brace = i;
            return p;
        }
        if (at == "=" && p.equals == none) p.equals = i;
        if (at == ":" && p.parameters != none && p.initialisers == none) {
            if (r.at(i + 1) == ":") {
                i += 2;
                continue;
            }
            p.initialisers = i;
        }
        if (at == "(" && p.equals == none && p.parameters == none && r.at(p.start) != "typedef") {
            p.name = function_name(r, i, p.start);
            if (p.name != none) p.parameters = i;
        }
        i = at == "(" || at == "[" ? r.past_bracket(i) : i + 1;
    }
    return p;
}

bool is_type(const Reader& r, const Parts& p) {
    for (size_t i = p.start; i < std::min(p.brace, r.size()); ++i) {
        if (one_of(r.at(i), {"struct", "class", "union", "enum"})) return p.parameters == r.size();
        if (r.at(i) == "(" || r.at(i) == "=") return false;
    }
    return false;
}

// Words that a sign follows which ends a declarator: over-full, which only keeps a declaration that could go.
void name_others(const Reader& r, const Parts& p, std::set<std::string_view>& names) {
    if (r.at(p.start) == "using" && r.at(p.start + 1) == "namespace") return;
    if (r.at(p.start) == "static_assert") return;
    for (size_t i = p.start; i < r.size(); ++i) {
        if (r.is_word(i) && one_of(r.at(i + 1), {"=", ";", ",", "[", "(", "{", ")", ":"})) names.insert(r.at(i));
    }
}

void name_type(const Reader& r, const Parts& p, Declaration& d) {
    const size_t close = p.brace < r.size() ? r.past_bracket(p.brace) : p.brace;
    bool is_enum = false;
    size_t last = r.size();
    for (size_t i = p.start; i < p.brace; ++i) {
        is_enum |= r.at(i) == "enum";
        if (r.at(i) == ":" && r.at(i + 1) != ":" && r.at(i - 1) != ":") break; // bases follow
        if (r.at(i) == "<") break;                                             // of a specialisation
        if (r.is_word(i) && r.at(i) != "final") last = i;
    }
    if (last < r.size()) d.names.insert(r.at(last));
    for (size_t i = close; i < r.size(); ++i) {
        if (r.is_word(i)) d.names.insert(r.at(i)); // "} a, b;"
    }
    for (size_t i = p.brace; is_enum && i < close; ++i) {
        if (r.is_word(i)) d.names.insert(r.at(i));
    }
}

void mark(const Reader& r, size_t end, const Marks& marks, const Marks& kernel_marks, Declaration& d) {
    for (size_t i = 0; i < std::min(end, r.size()); ++i) {
        d.is_device |= marks.contains(r.at(i));
        d.is_kernel |= kernel_marks.contains(r.at(i));
    }
}

using ClosedMacros = std::map<std::string_view, const Macro*>; // by name

constexpr int deepest_class = 8; // what is declared further inside stays as it is

class Splitter {
public:
    Splitter(std::string_view source, std::span<const Token> tokens, const Marks& marks, const Marks& kernel_marks,
             const ClosedMacros& closed, int level = 0)
        : source_(source), tokens_(tokens), marks_(marks), kernel_marks_(kernel_marks), closed_(closed), level_(level) {
    }

    std::vector<Declaration> run() {
        for (at_ = 0; at_ < tokens_.size(); ++at_) step(tokens_[at_]);
        finish();
        return std::move(found_);
    }

private:
    struct State {     // at a conditional
        size_t length; // of the declaration that it cuts
        size_t ended;  // declarations before it
        size_t depth, scopes;
    };

    std::string_view text(size_t i) const {
        return i < tokens_.size() ? spelling(source_, tokens_[i]) : std::string_view();
    }
    std::string_view next() const {
        size_t i = at_ + 1;
        while (i < tokens_.size() && tokens_[i].kind == Kind::directive) ++i;
        return text(i);
    }

    void step(const Token& token) {
        const std::string_view t = spelling(source_, token);
        if (token.kind == Kind::directive) return branch(t);
        if (current_.empty()) {
            if (t == ";") return;
            if (t == "}") {
                if (!scopes_.empty()) scopes_.pop_back();
                return;
            }
            if (one_of(t, {"public", "private", "protected"}) && next() == ":") {
                ++at_;
                return;
            }
        }
        if (t == "{" && depth_ == 0 && open_scope()) return;
        current_.push_back(token);
        if (token.kind != Kind::sign) return;
        if (t == "(" || t == "[" || t == "{") ++depth_;
        if ((t == ")" || t == "]" || t == "}") && depth_ > 0) --depth_;
        if (depth_ == 0 && (t == ";" || (t == "}" && ends_here()) || (t == ")" && is_closed_macro()))) finish();
    }

    // What follows #else is read as if it followed #if. A declaration that was ended in an earlier branch goes on in this one
    // without its start, which is taken already.
    void branch(std::string_view directive) {
        const std::string_view word = directive_word(directive);
        if (word.starts_with("if")) {
            conditionals_.push_back({current_.size(), ended_, depth_, scopes_.size()});
        } else if (word.starts_with("el") && !conditionals_.empty()) {
            const State& state = conditionals_.back();
            if (state.length == 0) finish();
            else current_.resize(state.ended == ended_ ? state.length : 0);
            depth_ = state.depth;
            if (scopes_.size() > state.scopes) scopes_.resize(state.scopes);
        } else if (word == "endif" && !conditionals_.empty()) {
            conditionals_.pop_back();
        }
    }
    static std::string_view directive_word(std::string_view directive) {
        const size_t begin = std::min(directive.find_first_not_of(" \t#"), directive.size());
        const size_t end = std::min(directive.find_first_of(" \t\r\n(/", begin), directive.size());
        return directive.substr(begin, end - begin);
    }

    // namespace a::b {, extern "C" {: what is in it stands at namespace scope, too.
    bool open_scope() {
        const Reader r(source_, current_);
        size_t i = r.at(0) == "inline" ? 1 : 0;
        std::string name;
        if (r.at(i) == "namespace") {
            for (++i; i < r.size(); ++i) {
                if (r.at(i) == "[" || r.at(i) == "(") i = r.past_bracket(i) - 1;
                else if (r.is_word(i) && !is_attribute(r.at(i)) && r.at(i) != "inline")
                    name += std::string(r.at(i)) + "::";
            }
        } else if (r.size() != 2 || r.at(0) != "extern" || r.token(1).kind != Kind::text) {
            return false;
        }
        scopes_.push_back(name);
        current_.clear(), ++ended_;
        return true;
    }

    // KERNEL(scale, float), whose semicolon may be missing; one that follows is an empty declaration.
    bool is_closed_macro() const {
        const Reader r(source_, current_);
        return r.at(1) == "(" && closed_.contains(r.at(0)) && r.past_bracket(1) == r.size();
    }

    // Whether the brace just closed ends the declaration.
    bool ends_here() const {
        const std::string_view follows = next();
        if (one_of(follows, {";", ",", "catch"})) return false;
        const Reader r(source_, current_);
        std::string_view unused;
        const Parts p = parts_of(r, unused);
        if (follows == "{" && p.initialisers < r.size()) return false; // : a{1} {
        if (p.equals < p.brace) return false;
        return !is_type(r, p) && r.at(p.start) != "typedef";
    }

    void finish() {
        if (!current_.empty()) found_.push_back(understand());
        current_.clear(), ++ended_;
        depth_ = 0;
    }

    Declaration understand() const {
        const Reader r(source_, current_);
        Declaration d;
        d.begin = current_.front().begin, d.end = current_.back().end;
        for (size_t i = 0; i < r.size(); ++i) {
            if (r.is_word(i)) d.words.insert(r.at(i));
        }
        const Parts p = parts_of(r, d.template_parameters);
        if (is_type(r, p)) {
            d.kind = Declaration::Kind::type;
            name_type(r, p, d);
            if (p.brace < r.size() && level_ < deepest_class)
                d.members = Splitter(source_, inside(p.brace), marks_, kernel_marks_, closed_, level_ + 1).run();
            mark(r, p.brace, marks_, kernel_marks_, d);
            d.is_device = false; // a type is needed where it is used
            return d;
        }
        mark(r, p.brace, marks_, kernel_marks_, d);
        if (p.parameters == r.size()) {
            name_others(r, p, d.names);
            return d;
        }
        d.kind = Declaration::Kind::function;
        if (is_closed_macro()) {
            name_by_macro(r, *closed_.at(r.at(0)), d);
            return d;
        }
        if (r.at(p.name) != "operator") d.names.insert(r.at(p.name));
        for (const std::string& scope : scopes_) d.name += scope;
        d.name += r.at(p.name);
        if (p.brace < r.size()) {
            const size_t body = p.initialisers < p.brace ? p.initialisers : p.brace;
            d.body_begin = r.token(body).begin, d.body_end = d.end;
        }
        return d;
    }

    // Any of its arguments may be what the macro declares.
    void name_by_macro(const Reader& r, const Macro& macro, Declaration& d) const {
        size_t argument = 1;
        for (size_t i = 2; i + 1 < r.size();
             i = r.at(i) == "(" || r.at(i) == "[" || r.at(i) == "{" ? r.past_bracket(i) : i + 1) {
            if (r.at(i) == ",") ++argument;
            if (!r.is_word(i)) continue;
            d.names.insert(r.at(i));
            if (argument != macro.named_by) continue;
            for (const std::string& scope : scopes_) d.name += scope;
            d.name += r.at(i);
        }
        d.body_begin = r.token(1).begin, d.body_end = d.end;
    }

    // The tokens between the brace at `open` of the current declaration and the one that closes it; with the directives.
    std::span<const Token> inside(size_t open) const {
        const Reader r(source_, current_);
        const size_t close = r.past_bracket(open) - 1;
        const auto index = [&](size_t offset) {
            return std::lower_bound(tokens_.begin(), tokens_.end(), offset,
                                    [](const Token& t, size_t at) { return t.begin < at; }) -
                   tokens_.begin();
        };
        const auto first = static_cast<size_t>(index(r.token(open).begin)) + 1,
                   last = static_cast<size_t>(index(r.token(close).begin));
        return first < last ? tokens_.subspan(first, last - first) : std::span<const Token>();
    }

    std::string_view source_;
    std::span<const Token> tokens_;
    const Marks &marks_, &kernel_marks_;
    const ClosedMacros& closed_;
    const int level_; // of classes in classes
    size_t at_ = 0, depth_ = 0;
    std::vector<Token> current_;
    size_t ended_ = 0; // how often current_ was taken
    std::vector<std::string> scopes_;
    std::vector<State> conditionals_;
    std::vector<Declaration> found_;
};

// The tokens of a #define, but for the backslashes that continue its lines.
std::vector<Token> without_splices(std::string_view line) {
    std::vector<Token> tokens = tokenize(line);
    std::erase_if(tokens, [&](const Token& t) { return spelling(line, t) == "\\"; });
    return tokens;
}

// Whether a macro with parameters is closed, and which of them names what it defines.
void close(std::string_view line, std::span<const Token> tokens, Macro& macro) {
    const Reader r(line, tokens);
    if (r.at(0) != macro.name || r.at(1) != "(" || r.token(1).begin != r.token(0).end) return;
    const size_t end = r.past_bracket(1);
    macro.is_closed = end < r.size() && (r.at(r.size() - 1) == "}" || r.at(r.size() - 1) == ";");
    if (!macro.is_closed) return;
    const Reader body(line, tokens.subspan(end));
    std::string_view unused;
    const size_t name = parts_of(body, unused).name;
    if (!body.is_word(name) || body.at(name - 1) == "#") return;
    size_t number = 1;
    for (size_t i = 2; i + 1 < end; ++i) {
        if (r.at(i) == ",") ++number;
        if (r.at(i) == body.at(name)) macro.named_by = number;
    }
}

} // namespace

const std::set<std::string_view>& device_marks() {
    static const std::set<std::string_view> marks{"__global__", "__device__", "__constant__", "__shared__",
                                                  "__managed__"};
    return marks;
}

std::vector<Declaration> declarations(std::string_view source, const Marks& marks, const Marks& kernel_marks,
                                      const std::vector<Macro>& all) {
    ClosedMacros closed;
    for (const Macro& macro : all)
        if (macro.is_closed) closed.emplace(macro.name, &macro);
    const std::vector<Token> tokens = tokenize(source);
    return Splitter(source, tokens, marks, kernel_marks, closed).run();
}

std::vector<Macro> macros(std::string_view source) {
    std::vector<Macro> found;
    for (const Token& token : tokenize(source)) {
        if (token.kind != Kind::directive) continue;
        std::string_view line = spelling(source, token);
        line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
        if (!line.starts_with("define")) continue;
        line.remove_prefix(6);
        const std::vector<Token> body = without_splices(line);
        Macro macro;
        for (const Token& t : body) {
            if (t.kind != Kind::word) continue;
            if (macro.name.empty()) macro.name = spelling(line, t);
            else macro.words.insert(spelling(line, t));
        }
        if (macro.name.empty()) continue;
        close(line, body, macro);
        found.push_back(std::move(macro));
    }
    return found;
}

} // namespace compile
