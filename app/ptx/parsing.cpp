#include "ptx/parsing.h"

#include <algorithm>
#include <charconv>

namespace ptx {

int32_t Parsing::give_up(const Token& start, base::Sentence why) {
    int depth = 0;
    size_t end = start.begin + start.text.size();
    while (now().kind != TokenKind::end) {
        if (now().is('{')) ++depth;
        if (now().is('}') && --depth < 0) break; // the end of the function: not ours
        // Outside functions a block ends a statement; inside, braces are vectors.
        const bool last = depth == 0 && (now().is(';') || (function < 0 && now().is('}')));
        end = std::max(end, now().begin + now().text.size());
        take();
        if (last) break;
    }
    std::string text(lexer.text().substr(start.begin, std::min<size_t>(end - start.begin, 200)));
    module.unknown.push_back({start.line, std::move(text), std::move(why)});
    return static_cast<int32_t>(module.unknown.size() - 1);
}

void Parsing::skip_section() {
    while (now().kind != TokenKind::end && !now().is('{')) take();
    while (now().kind != TokenKind::end && !now().is('}')) take();
    take();
}

bool literal(std::string_view text, Operand& out) {
    out.kind = OperandKind::immediate;
    out.literal = Literal::integer;
    int base = 10;
    const std::string_view head = text.substr(0, 2);
    if (head == "0f" || head == "0F") out.literal = Literal::float32;
    if (head == "0d" || head == "0D") out.literal = Literal::float64;
    if (out.literal != Literal::integer || head == "0x" || head == "0X") base = 16;
    else if (head == "0b" || head == "0B") base = 2;
    if (base != 10) {
        text.remove_prefix(2);
    } else if (text.find('.') != std::string_view::npos || text.find_first_of("eE") != std::string_view::npos) {
        double value = 0; // plain decimal constants are doubles
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size()) return false;
        out.literal = Literal::float64;
        std::copy_n(reinterpret_cast<const char*>(&value), sizeof value, reinterpret_cast<char*>(&out.bits));
        return true;
    } else if (text.size() > 1 && text[0] == '0') {
        base = 8;
    }
    if (!text.empty() && base != 16 && (text.back() == 'U' || text.back() == 'u')) text.remove_suffix(1);
    if (!text.empty() && base == 16 && out.literal == Literal::integer && (text.back() == 'U')) text.remove_suffix(1);
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.bits, base);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

bool Parsing::integer(int64_t& out) {
    const bool negative = accept('-');
    Operand value;
    if (now().kind != TokenKind::number || !literal(now().text, value) || value.literal != Literal::integer)
        return false;
    take();
    out = static_cast<int64_t>(negative ? 0 - value.bits : value.bits);
    return true;
}

const Parsing::Name* Parsing::find(std::string_view name) const {
    for (size_t i = scopes.size(); i-- > 0;)
        if (auto it = scopes[i].find(name); it != scopes[i].end()) return &it->second;
    return nullptr;
}

bool Parsing::find_register(std::string_view name, int32_t& out) const {
    if (const Name* n = find(name); n && n->kind == Name::reg) {
        out = n->index;
        return true;
    }
    size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
    if (digits == name.size() || name.size() - digits > 9) return false;
    const Name* n = find(name.substr(0, digits));
    if (!n || n->kind != Name::range || function < 0) return false;
    int32_t number = 0;
    std::from_chars(name.data() + digits, name.data() + name.size(), number);
    const RegisterRange& range =
        module.functions[static_cast<size_t>(function)].registers[static_cast<size_t>(n->index)];
    if (number >= range.count) return false;
    out = range.first + number;
    return true;
}

int32_t Parsing::label(std::string_view name) {
    if (const Name* n = find(name); n && n->kind == Name::label) return n->index;
    current().labels.push_back({std::string(name), -1, {}, now().line});
    const auto index = static_cast<int32_t>(current().labels.size() - 1);
    scopes.back()[name] = {Name::label, index};
    return index;
}

int32_t Parsing::define_label(std::string_view name) {
    const auto here = scopes.back().find(name);
    if (here == scopes.back().end() || here->second.kind != Name::label) {
        current().labels.push_back({std::string(name), -1, {}, now().line});
        scopes.back()[name] = {Name::label, static_cast<int32_t>(current().labels.size() - 1)};
    }
    const int32_t index = scopes.back()[name].index;
    current().labels[static_cast<size_t>(index)].target = static_cast<int32_t>(current().instructions.size());
    return index;
}

void Parsing::close_scope() {
    const Scope inner = std::move(scopes.back());
    scopes.pop_back();
    for (const auto& [name, n] : inner) {
        if (n.kind != Name::label || current().labels[static_cast<size_t>(n.index)].target >= 0) continue;
        const auto [it, fresh] = scopes.back().try_emplace(name, n);
        if (!fresh && it->second.kind == Name::label) same_labels.push_back({n.index, it->second.index});
    }
}

void Parsing::resolve_labels() {
    auto& labels = current().labels;
    for (size_t n = same_labels.size(); n-- > 0;) {
        const auto [used, meant] = same_labels[n];
        labels[static_cast<size_t>(used)].target = labels[static_cast<size_t>(meant)].target;
        labels[static_cast<size_t>(used)].targets = labels[static_cast<size_t>(meant)].targets;
        labels[static_cast<size_t>(used)].functions = labels[static_cast<size_t>(meant)].functions;
    }
    same_labels.clear();
}

void Parsing::resolve_functions() {
    for (const Call& call : calls) {
        auto it = function_index.find(call.name);
        if (it == function_index.end()) continue;
        auto& code = module.functions[static_cast<size_t>(call.function)].instructions;
        code[call.instruction].operands[call.operand].index = it->second;
    }
}

} // namespace ptx
