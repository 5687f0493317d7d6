#include "ptx/statements.h"

#include "ptx/declarations.h"

namespace ptx {
namespace {

constexpr int deepest = 64; // of nested operands

bool parse_operand(Parsing& p, Operand& out, int depth);

// part := "." ("b" | "h") digit { digit }
bool parse_part(std::string_view text, Part& out) {
    if (text.size() < 2 || text.size() > 5 || (text[0] != 'b' && text[0] != 'h')) return false;
    out.bits = text[0] == 'b' ? 8 : 16;
    text.remove_prefix(1);
    out.count = static_cast<uint8_t>(text.size());
    for (size_t n = 0; n < text.size(); ++n) {
        const char digit = text[text.size() - 1 - n];
        if (digit < '0' || digit >= (out.bits == 8 ? '8' : '4')) return false;
        out.number[n] = static_cast<uint8_t>(digit - '0');
    }
    return true;
}

// "%r1.h0", where the instruction takes such
bool parse_register_part(Parsing& p, std::string_view name, Operand& out) {
    const size_t dot = name.rfind('.');
    return p.takes_parts && dot != std::string_view::npos && p.find_register(name.substr(0, dot), out.index) &&
           parse_part(name.substr(dot + 1), out.part);
}

// name := register [ part ] | special | variable | function; false where `p` knows none of these
bool parse_name(Parsing& p, Operand& out) {
    const std::string_view name = p.now().text;
    Special special{};
    if (p.find_register(name, out.index) || parse_register_part(p, name, out)) {
        out.kind = OperandKind::reg;
    } else if (find_special(name, special)) {
        out.kind = OperandKind::special;
        out.index = static_cast<int32_t>(special);
    } else if (name == "_") {
        out.kind = OperandKind::none; // the bit bucket
    } else if (const auto* n = p.find(name); n && n->kind == Parsing::Name::variable) {
        out.kind = OperandKind::variable;
        out.index = n->index;
    } else if (const auto it = p.function_index.find(name); it != p.function_index.end()) {
        out.kind = OperandKind::function;
        out.index = it->second;
    } else {
        return false;
    }
    p.take();
    return true;
}

bool parse_constant(Parsing& p, Operand& out, int weakest, int depth);

// term := number | "-" term | "~" term | "!" term | "(" constant ")"
bool parse_term(Parsing& p, Operand& out, int depth) {
    if (depth > deepest) return false;
    if (p.accept('(')) return parse_constant(p, out, 0, depth + 1) && p.accept(')');
    for (const char sign : {'-', '~', '!'}) {
        if (!p.accept(sign)) continue;
        if (!parse_term(p, out, depth + 1) || out.literal != Literal::integer) return false;
        out.bits = sign == '-' ? 0 - out.bits : sign == '~' ? ~out.bits : out.bits == 0;
        return true;
    }
    if (p.now().kind != TokenKind::number || !literal(p.now().text, out)) return false;
    p.take();
    return true;
}

// The operators between integers, those that bind least first; "<<" and ">>" come as two tokens. "%" begins a register.
int strength(char c) {
    constexpr std::string_view order[] = {"|", "^", "&", "<>", "+-", "*/"};
    for (size_t n = 0; n < std::size(order); ++n)
        if (order[n].find(c) != std::string_view::npos) return static_cast<int>(n);
    return -1;
}

bool combine(char op, Operand& a, uint64_t b) {
    switch (op) {
    case '|': a.bits |= b; return true;
    case '^': a.bits ^= b; return true;
    case '&': a.bits &= b; return true;
    case '<': a.bits = b > 63 ? 0 : a.bits << b; return true;
    case '>': a.bits = b > 63 ? 0 : a.bits >> b; return true;
    case '+': a.bits += b; return true;
    case '-': a.bits -= b; return true;
    case '*': a.bits *= b; return true;
    default:
        if (b == 0) return false;
        a.bits /= b;
        return true;
    }
}

// rest := { operator term }, as in C
bool parse_rest(Parsing& p, Operand& out, int weakest, int depth) {
    while (p.now().kind == TokenKind::mark && strength(p.now().text[0]) >= weakest) {
        const char op = p.take().text[0];
        if ((op == '<' || op == '>') && !p.accept(op)) return false;
        Operand right;
        if (out.literal != Literal::integer || !parse_constant(p, right, strength(op) + 1, depth + 1) ||
            right.literal != Literal::integer)
            return false;
        if (!combine(op, out, right.bits)) return false;
    }
    return true;
}

// constant := term rest
bool parse_constant(Parsing& p, Operand& out, int weakest, int depth) {
    return depth <= deepest && parse_term(p, out, depth) && parse_rest(p, out, weakest, depth);
}

// atom := ["!" | "-"] name | [-] constant
bool parse_atom(Parsing& p, Operand& out) {
    const bool minus = p.accept('-');
    if (!minus && p.accept('!')) out.negated = true;
    if (p.now().kind == TokenKind::number || p.now().is('(') || p.now().is('~')) {
        if (!parse_term(p, out, 0)) return false;
        if (minus && out.literal == Literal::integer) out.bits = 0 - out.bits;
        else if (minus) out.bits ^= uint64_t{1} << (out.literal == Literal::float32 ? 31 : 63);
        return parse_rest(p, out, 0, 0);
    }
    if (p.now().kind != TokenKind::word || !parse_name(p, out)) return false;
    out.negated |= minus;
    return true;
}

// list := open [ operand { "," operand } ] close
bool parse_list(Parsing& p, Operand& out, OperandKind kind, char close, int depth) {
    p.take();
    out.kind = kind;
    while (!p.now().is(close)) {
        if (!parse_operand(p, out.elements.emplace_back(), depth + 1)) return false;
        if (!p.accept(',')) break;
    }
    return p.accept(close);
}

// offset := [ ("+"|"-") constant ]
bool parse_offset(Parsing& p, int64_t& out) {
    if (p.now().is('+')) p.take();
    else if (!p.now().is('-')) return true;
    Operand value;
    if (!parse_constant(p, value, 0, 0) || value.literal != Literal::integer) return false;
    out = static_cast<int64_t>(value.bits);
    return true;
}

// operand := atom [ offset ] [ "|" atom ] | "[" atom offset [ "," "{" ... "}" ] "]" | "{" ... "}"
bool parse_operand(Parsing& p, Operand& out, int depth) {
    if (depth > deepest) return false;
    if (p.now().is('{')) return parse_list(p, out, OperandKind::vector, '}', depth);
    if (p.accept('[')) {
        out.kind = OperandKind::address;
        if (!parse_atom(p, out.elements.emplace_back()) || !parse_offset(p, out.offset)) return false;
        if (p.accept(',') && (!p.now().is('{') || !parse_operand(p, out.elements.emplace_back(), depth + 1)))
            return false;
        return p.accept(']');
    }
    if (!parse_atom(p, out)) return false;
    if (out.kind == OperandKind::variable) return parse_offset(p, out.offset);
    if (p.accept('|')) {
        Operand pair;
        pair.kind = OperandKind::pair;
        pair.elements.resize(2);
        pair.elements[0] = std::move(out);
        out = std::move(pair);
        return parse_atom(p, out.elements[1]);
    }
    return true;
}

bool parse_label(Parsing& p, Operand& out) {
    if (p.now().kind != TokenKind::word) return false;
    out.kind = OperandKind::label;
    out.index = p.label(p.now().text);
    p.take();
    return true;
}

bool matches(char pattern, const Operand& o) {
    using enum OperandKind;
    switch (pattern) {
    case 'd':
    case 'S': return o.kind == reg || o.kind == none;
    case 'D': return o.kind == reg || o.kind == pair || o.kind == none;
    case 'a': return o.kind == reg || o.kind == immediate || o.kind == special || o.kind == variable;
    case 'p':
    case 's': return o.kind == reg || o.kind == immediate;
    case 'm': return o.kind == address && o.elements.size() == 1;
    case 't': return o.kind == address;
    case 'v':
        return o.kind == reg || o.kind == immediate || o.kind == vector || o.kind == variable || o.kind == special;
    case 'V': return o.kind == reg || o.kind == vector || o.kind == none;
    case 'l': return o.kind == label;
    default: return true;
    }
}

// operands := [ operand { "," operand } ] ";", each as the row says
base::Sentence parse_operands(Parsing& p, const Row& row, Instruction& i) {
    std::string_view pattern = row.operands;
    bool optional = false;
    while (!p.now().is(';')) {
        if (pattern.empty()) return base::say("{} takes fewer operands", row.mnemonic);
        const char kind = pattern[0];
        pattern.remove_prefix(1);
        if (pattern.starts_with('?')) pattern.remove_prefix(1);
        Operand& o = i.operands.emplace_back();
        p.takes_parts = kind == 's' || kind == 'S';
        if (!(kind == 'l' ? parse_label(p, o) : parse_operand(p, o, 0)))
            return base::say("operand {} of {} cannot be read", i.operands.size(), row.mnemonic);
        if (!matches(kind, o))
            return base::say("operand {} of {} is of the wrong kind", i.operands.size(), row.mnemonic);
        if (!p.accept(',')) break;
    }
    optional = pattern.empty() || (pattern.size() > 1 && pattern[1] == '?');
    if (!optional) return base::say("{} takes more operands", row.mnemonic);
    if (!p.now().is(';')) return base::say("text after the operands of {}", row.mnemonic);
    return {};
}

// call := [ "(" results ")" "," ] ( name | register ) [ "," "(" arguments ")" ] [ "," prototype or list of targets ]
base::Sentence parse_call(Parsing& p, Instruction& i) {
    Operand results, function, arguments;
    results.kind = arguments.kind = OperandKind::list;
    if (p.now().is('(') && (!parse_list(p, results, OperandKind::list, ')', 0) || !p.accept(',')))
        return base::say("the results of the call cannot be read");
    if (p.now().kind != TokenKind::word) return base::say("the call names no function");
    const bool indirect = p.find_register(p.now().text, function.index);
    function.kind = indirect ? OperandKind::reg : OperandKind::function;
    if (!indirect) p.calls.push_back({p.function, p.current().instructions.size(), 1, p.now().text});
    p.take();
    if (p.accept(',') && p.now().is('(') && !parse_list(p, arguments, OperandKind::list, ')', 0))
        return base::say("the arguments of the call cannot be read");
    Operand targets;
    if (indirect && (p.now().kind == TokenKind::word || p.accept(',')) && !parse_label(p, targets))
        return base::say("the prototype of the call cannot be read");
    if (!p.now().is(';')) return base::say("text after the arguments of the call");
    i.operands = {std::move(results), std::move(function), std::move(arguments)};
    if (indirect) i.operands.push_back(std::move(targets));
    return {};
}

// mnemonic := row { "." ( type | modifier ) }, each as the row says
base::Sentence parse_suffixes(const Row& row, std::string_view rest, Instruction& i) {
    while (!rest.empty()) {
        rest.remove_prefix(1); // "."
        const std::string_view suffix = rest.substr(0, rest.find('.'));
        rest.remove_prefix(suffix.size());
        Type type{};
        Modifier modifier{};
        if (find_type(suffix, type) && row.types >> static_cast<unsigned>(type) & 1) i.types.push_back(type);
        else if (find_modifier(suffix, modifier) && row.modifiers.has(modifier)) i.modifiers.add(modifier);
        else return base::say("{} does not take .{}", row.mnemonic, suffix);
    }
    return {};
}

base::Sentence parse_guard(Parsing& p, Instruction& i) {
    if (!p.accept('@')) return {};
    i.guard_negated = p.accept('!');
    if (!p.find_register(p.now().text, i.guard)) return base::say("the guard is not a predicate register");
    if (register_type(p.current(), i.guard) != Type::pred) return base::say("the guard is not a predicate register");
    p.take();
    return {};
}

bool of_textures(std::string_view mnemonic) {
    for (const std::string_view family : {"tex.", "tld4.", "txq.", "suld.", "sust.", "sured.", "suq."})
        if (mnemonic.starts_with(family)) return true;
    return false;
}

base::Sentence parse_instruction(Parsing& p, Instruction& i) {
    p.takes_parts = false;
    if (base::Sentence why = parse_guard(p, i); !why.empty()) return why;
    if (p.now().kind != TokenKind::word) return base::say("no instruction");
    std::string mnemonic(p.now().text);
    if (mnemonic.starts_with("bar.cta.") || mnemonic.starts_with("barrier.cta."))
        mnemonic.erase(mnemonic.find(".cta"), 4); // of the block, as without
    const Row* row = find_row(mnemonic);
    if (!row && of_textures(mnemonic))
        return base::say("{} is not executed: there are no textures and surfaces; let the kernel read the "
                         "array through a pointer",
                         mnemonic);
    if (!row) return base::say("{} is not in the table of instructions", mnemonic);
    i.opcode = row->opcode;
    if (base::Sentence why = parse_suffixes(*row, std::string_view(mnemonic).substr(row->mnemonic.size()), i);
        !why.empty())
        return why;
    i.mnemonic = p.take().text;
    return i.opcode == Opcode::call ? parse_call(p, i) : parse_operands(p, *row, i);
}

// prototype := ".callprototype" ... ";". The arguments of the call say the same.
void skip_prototype(Parsing& p) {
    while (p.now().kind != TokenKind::end && !p.now().is(';') && !p.now().is('}')) p.take();
    p.accept(';');
}

// targets := ".calltargets" function { "," function } ";"
void parse_call_targets(Parsing& p, Label& label) {
    const Token start = p.take();
    do {
        const auto it = p.function_index.find(p.now().text);
        if (it == p.function_index.end()) {
            p.give_up(start, base::say("a call target is not a function"));
            return;
        }
        p.take();
        label.functions.push_back(it->second);
    } while (p.accept(','));
    p.accept(';');
}

// Declares `name` as a label at the next instruction; lists of targets belong to it.
void parse_label_definition(Parsing& p, std::string_view name) {
    const int32_t index = p.define_label(name);
    const Token start = p.now();
    if (start.is(".callprototype")) return skip_prototype(p);
    if (start.is(".calltargets")) return parse_call_targets(p, p.current().labels[static_cast<size_t>(index)]);
    if (!p.accept(".branchtargets")) return;
    do {
        if (p.now().kind != TokenKind::word) {
            p.give_up(start, base::say("a branch target is not a label"));
            return;
        }
        const int32_t target = p.label(p.now().text);
        p.take();
        p.current().labels[static_cast<size_t>(index)].targets.push_back(target);
    } while (p.accept(','));
    p.accept(';');
}

void parse_statement(Parsing& p) {
    const Token start = p.now();
    if (start.kind == TokenKind::directive) {
        if (start.is(".loc")) return parse_location(p);
        if (start.is(".file")) return parse_file(p);
        if (start.is(".pragma")) {
            while (p.now().kind != TokenKind::end && !p.now().is(';')) p.take();
            p.accept(';');
            return;
        }
        if (!parse_variable(p, false)) p.give_up(start, base::say("not a declaration that the engine knows"));
        return;
    }
    Instruction i;
    i.line = start.line;
    i.begin = start.begin;
    i.source_line = p.source_line;
    i.own_line = p.own_line;
    i.kernel_line = p.kernel_line;
    i.source_file = p.main_file;
    base::Sentence why;
    if (start.kind == TokenKind::word && !p.find_register(start.text, i.guard)) {
        Lexer ahead = p.lexer;
        ahead.take();
        if (ahead.now().is(':')) {
            p.take();
            p.take();
            return parse_label_definition(p, start.text);
        }
    }
    i.guard = -1;
    why = parse_instruction(p, i);
    if (why.empty()) {
        p.accept(';');
    } else {
        if (!p.calls.empty() && p.calls.back().function == p.function &&
            p.calls.back().instruction == p.current().instructions.size())
            p.calls.pop_back();
        const int32_t guard = i.guard;
        const bool negated = i.guard_negated;
        i = {};
        i.guard = guard;
        i.guard_negated = negated;
        i.line = start.line;
        i.begin = start.begin;
        i.source_line = p.source_line;
        i.own_line = p.own_line;
        i.kernel_line = p.kernel_line;
        i.source_file = p.main_file;
        i.unknown = p.give_up(start, std::move(why));
    }
    p.current().instructions.push_back(std::move(i));
}

} // namespace

void parse_block(Parsing& p) {
    constexpr size_t deepest_block = 256;
    const size_t outer = p.scopes.size();
    p.take(); // "{"
    int depth = 1;
    while (depth > 0 && p.now().kind != TokenKind::end) {
        const size_t begin = p.now().begin;
        if (p.accept('{')) {
            ++depth;
            if (p.scopes.size() < deepest_block) p.scopes.emplace_back();
        } else if (p.accept('}')) {
            if (--depth == 0) p.current().body_end = begin;
            if (p.scopes.size() > outer) p.close_scope();
        } else if (!p.accept(';')) {
            parse_statement(p);
            if (p.now().begin == begin) p.take();
        }
    }
    while (p.scopes.size() > outer) p.close_scope();
    p.resolve_labels();
}

} // namespace ptx
