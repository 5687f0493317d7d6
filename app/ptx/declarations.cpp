#include "ptx/declarations.h"

#include "ptx/statements.h"

#include <algorithm>

namespace ptx {
namespace {

constexpr int32_t most_registers = 1 << 20; // of a function; far beyond what ptxas accepts
constexpr int64_t most_bytes = int64_t{1} << 32;
constexpr int64_t most_align = 1 << 20;

Space space_of(std::string_view directive) {
    if (directive == ".reg") return Space::reg;
    if (directive == ".global") return Space::global;
    if (directive == ".shared") return Space::shared;
    if (directive == ".local") return Space::local;
    if (directive == ".param") return Space::param;
    if (directive == ".const") return Space::constant;
    return Space::none;
}

void declare_register(Parsing& p, std::string_view name, bool numbered, int32_t count, Type type) {
    Function& f = p.current();
    f.registers.push_back({std::string(name), numbered, type, f.register_count, count});
    f.register_count += count;
    if (numbered) p.scopes.back()[name] = {Parsing::Name::range, static_cast<int32_t>(f.registers.size() - 1)};
    else p.scopes.back()[name] = {Parsing::Name::reg, f.registers.back().first};
}

// registers := name [ "<" n ">" ] { "," ... } ";"
bool parse_registers(Parsing& p, Type type) {
    if (p.function < 0) return false;
    do {
        if (p.now().kind != TokenKind::word) return false;
        const std::string_view name = p.take().text;
        int64_t count = 1;
        const bool numbered = p.accept('<');
        if (numbered && (!p.integer(count) || !p.accept('>'))) return false;
        if (count < 0 || count > most_registers - p.current().register_count) return false;
        declare_register(p, name, numbered, static_cast<int32_t>(count), type);
    } while (p.accept(','));
    return true;
}

// Only as far as it is written: a variable of a gigabyte with the initial value {0} takes as much memory as its text says.
void store(Variable& v, uint64_t at, uint64_t value, unsigned size) {
    const uint64_t end = std::min(at + size, v.bytes);
    if (v.initial.size() < end) v.initial.resize(end);
    for (uint64_t i = at; i < end && i < at + sizeof value; ++i)
        v.initial[i] = static_cast<std::byte>(value >> (8 * (i - at)));
}

// value := [-] number | [ "generic" "(" ] name [ ")" ] [ ("+"|"-") number ]
bool parse_initial_value(Parsing& p, Variable& v, uint64_t at) {
    const unsigned size = bytes(v.type);
    if (p.now().kind == TokenKind::number || p.now().is('-')) {
        const bool negative = p.accept('-');
        Operand value;
        if (!literal(p.take().text, value)) return false;
        store(v, at, negative ? 0 - value.bits : value.bits, size);
        return true;
    }
    if (p.now().kind != TokenKind::word) return false;
    const bool generic = p.accept("generic") && p.accept('(');
    Variable::Pointer pointer{at, std::string(p.take().text), 0};
    if (generic && !p.accept(')')) return false;
    if (p.accept('+') && !p.integer(pointer.addend)) return false;
    store(v, at, 0, size);
    v.pointers.push_back(std::move(pointer));
    return true;
}

// initial := value | "{" [ initial { "," initial } ] "}"; nested braces run on, as rows of an array do
bool parse_initial(Parsing& p, Variable& v, uint64_t& at, int depth) {
    if (depth > 16) return false;
    if (p.accept('{')) {
        while (!p.now().is('}')) {
            if (!parse_initial(p, v, at, depth + 1)) return false;
            if (!p.accept(',')) break;
        }
        return p.accept('}');
    }
    if (!parse_initial_value(p, v, at)) return false;
    at += bytes(v.type);
    return true;
}

// sizes := { "[" [ n ] "]" }
bool parse_sizes(Parsing& p, Variable& v, bool& open) {
    int64_t count = 1;
    while (p.accept('[')) {
        int64_t n = 0;
        if (p.now().is(']')) open = true;
        else if (!p.integer(n) || n < 0 || n > most_bytes) return false;
        if (!open && n != 0 && count > most_bytes / n) return false;
        count *= open ? 0 : n;
        if (!p.accept(']')) return false;
    }
    v.bytes = static_cast<uint64_t>(count) * bytes(v.type);
    return v.bytes <= static_cast<uint64_t>(most_bytes);
}

// Reads ".param .u64 .ptr .global .align 4 name[n]" after the linking words. The name stays a view into the text.
bool parse_declarator(Parsing& p, Variable& v, std::string_view& name, bool& open) {
    v.line = p.now().line;
    v.space = space_of(p.take().text);
    while (p.now().kind == TokenKind::directive) {
        const std::string_view word = p.take().text;
        int64_t n = 0;
        Type type{};
        if (word == ".align") {
            if (!p.integer(n) || n < 1 || n > most_align || (n & (n - 1))) return false;
            v.align = static_cast<uint32_t>(n);
        } else if (word == ".v2" || word == ".v4") {
            return false;                  // vector variables: NVVM does not write them
        } else if (word == ".attribute") { // "(.managed)": where the host finds it; not needed
            if (!p.accept('(')) return false;
            while (!p.now().is(')'))
                if (p.now().kind == TokenKind::end) return false;
                else p.take();
            p.take();
        } else if (find_type(word.substr(1), type)) {
            v.type = type;
        } // ".ptr", ".global": say where a parameter points to; not needed
    }
    if (v.space == Space::reg) return parse_registers(p, v.type);
    v.align = std::max(v.align, std::max(1u, bytes(v.type)));
    if (p.now().kind != TokenKind::word) return false;
    name = p.take().text;
    v.name = name;
    return parse_sizes(p, v, open);
}

int32_t add_variable(Parsing& p, Variable v, std::string_view name) {
    p.module.variables.push_back(std::move(v));
    const auto index = static_cast<int32_t>(p.module.variables.size() - 1);
    p.scopes.back()[name] = {Parsing::Name::variable, index};
    return index;
}

// list := "(" [ declarator { "," declarator } ] ")"; `end` becomes the offset of its last character
bool parse_parameter_list(Parsing& p, std::vector<int32_t>& out, size_t* end = nullptr) {
    if (!p.accept('(')) return true;
    while (!p.now().is(')')) {
        Variable v;
        std::string_view name;
        bool open = false;
        if (p.now().kind != TokenKind::directive || !parse_declarator(p, v, name, open)) return false;
        if (v.space == Space::reg) return false; // register parameters: the old way of calling
        out.push_back(add_variable(p, std::move(v), name));
        if (!p.accept(',')) break;
    }
    if (end) *end = p.now().begin;
    return p.accept(')');
}

// Of several declarations of a function one entry is kept, the one with the body.
void place(Parsing& p, Function f, std::string_view name) {
    auto [it, fresh] = p.function_index.try_emplace(name, static_cast<int32_t>(p.module.functions.size()));
    if (fresh || p.module.functions[static_cast<size_t>(it->second)].defined) {
        it->second = static_cast<int32_t>(p.module.functions.size());
        p.module.functions.push_back(std::move(f));
    } else {
        p.module.functions[static_cast<size_t>(it->second)] = std::move(f);
    }
    p.function = it->second;
}

// cluster := n [ "," n [ "," n ] ]
base::Dim3 parse_cluster(Parsing& p) {
    base::Dim3 cluster;
    for (uint32_t* const side : {&cluster.x, &cluster.y, &cluster.z}) {
        int64_t n = 0;
        if (p.now().kind != TokenKind::number || !p.integer(n)) break;
        *side = static_cast<uint32_t>(std::clamp<int64_t>(n, 1, 1 << 16));
        if (!p.accept(',')) break;
    }
    return cluster;
}

// function := ( ".entry" | ".func" ) [ list ] name [ list ] { directive } ( ";" | block )
bool parse_function(Parsing& p) {
    Function f;
    f.line = p.now().line;
    f.entry = p.take().is(".entry");
    p.scopes.emplace_back(); // parameters and the body's outermost names
    bool good = parse_parameter_list(p, f.results) && p.now().kind == TokenKind::word;
    std::string_view name;
    if (good) {
        name = p.take().text;
        f.name = name;
        f.parameters_end = static_cast<size_t>(name.data() + name.size() - p.lexer.text().data());
        good = parse_parameter_list(p, f.parameters, &f.parameters_end);
    }
    while (good && p.now().kind != TokenKind::end && !p.now().is(';') && !p.now().is('{')) // .maxntid 256, 1, 1
        if (p.take().is(".reqnctapercluster")) f.cluster = parse_cluster(p);
    if (good && p.now().is('{')) {
        f.defined = true;
        f.body_begin = p.now().begin + 1;
        place(p, std::move(f), name);
        p.main_file = p.source_line = p.own_line = p.kernel_line = 0;
        p.call_lines.clear();
        parse_block(p);
        p.function = -1;
    } else if (good && p.accept(';')) {
        place(p, std::move(f), name);
        p.function = -1;
    } else {
        good = false;
    }
    p.scopes.resize(1);
    return good;
}

uint64_t place_key(int64_t file, int64_t line, int64_t column) {
    return static_cast<uint64_t>(file) << 48 ^ static_cast<uint64_t>(line) << 20 ^ static_cast<uint64_t>(column);
}

} // namespace

bool parse_variable(Parsing& p, bool external) {
    if (space_of(p.now().text) == Space::none) return false;
    Variable v;
    std::string_view name;
    bool open = false;
    v.external = external;
    if (!parse_declarator(p, v, name, open)) return false;
    if (v.space == Space::reg) return p.accept(';');
    if (p.accept('=')) {
        uint64_t at = 0;
        if (!parse_initial(p, v, at, 0)) return false;
        store(v, 0, v.initial.empty() ? 0 : static_cast<uint64_t>(v.initial[0]), 1); // "= {}" is an initial value, too
    }
    if (v.bytes == 0 && v.space == Space::shared) v.external = true; // "dyn[]"
    add_variable(p, std::move(v), name);
    return p.accept(';');
}

bool parse_definition(Parsing& p) {
    bool external = false;
    while (p.now().is(".visible") || p.now().is(".extern") || p.now().is(".weak") || p.now().is(".common"))
        external |= p.take().is(".extern");
    if (p.now().is(".entry") || p.now().is(".func")) return parse_function(p);
    return p.now().kind == TokenKind::directive && parse_variable(p, external);
}

void parse_file(Parsing& p) {
    p.take();
    int64_t number = 0, ignored = 0;
    if (!p.integer(number)) return;
    if (p.now().kind == TokenKind::string) {
        std::string_view quoted = p.take().text;
        quoted.remove_prefix(1);
        if (quoted.ends_with('"')) quoted.remove_suffix(1);
        p.module.files[static_cast<int>(number)] = quoted;
    }
    while (p.accept(',')) p.integer(ignored);
}

void parse_location(Parsing& p) {
    p.take();
    int64_t file = 0, line = 0, column = 0;
    if (!p.integer(file) || !p.integer(line) || !p.integer(column)) return;
    int source_line = 0, kernel_line = 0;
    bool inlined = false;
    while (p.accept(',')) {
        if (p.accept("inlined_at")) {
            int64_t f = 0, l = 0, c = 0;
            if (!p.integer(f) || !p.integer(l) || !p.integer(c)) return;
            inlined = true;
            auto call = p.call_lines.find(place_key(f, l, c));
            if (f == p.main_file) source_line = static_cast<int>(l);
            else if (call != p.call_lines.end()) source_line = call->second.first;
            kernel_line = call != p.call_lines.end() ? call->second.second : source_line;
        } else {
            p.take(); // function_name
            p.take(); // its label
            if (p.accept('+')) p.take();
        }
    }
    if (!inlined) {
        if (p.main_file == 0) p.main_file = static_cast<int>(file);
        if (file == p.main_file) source_line = kernel_line = static_cast<int>(line);
    } else {
        // A function that is inlined at two places has two callers at one place, and which of them is meant nobody says.
        const auto [known, first] = p.call_lines.try_emplace(place_key(file, line, column), source_line, kernel_line);
        known->second.first = source_line;
        if (!first && kernel_line > 0) known->second.second = std::min(known->second.second, kernel_line);
    }
    p.source_line = source_line;
    p.kernel_line = kernel_line;
    p.own_line = file == p.main_file ? static_cast<int>(line) : 0;
}

} // namespace ptx
