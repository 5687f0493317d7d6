#include "analysis/registers.h"

#include "base/text.h"

namespace analysis {
namespace {

using base::trimmed;

// Takes what stands before the next `separator` outside brackets off the front of `rest`.
std::string_view take_until(std::string_view& rest, char separator) {
    int depth = 0;
    for (size_t i = 0; i < rest.size(); ++i) {
        const char c = rest[i];
        if (c == '{' || c == '[' || c == '(') ++depth;
        if (c == '}' || c == ']' || c == ')') --depth;
        if (c != separator || depth != 0) continue;
        const std::string_view part = rest.substr(0, i);
        rest.remove_prefix(i + 1);
        return trimmed(part);
    }
    const std::string_view part = rest;
    rest = {};
    return trimmed(part);
}

} // namespace

Operands operands(std::string_view text) {
    Operands result;
    std::string_view rest = trimmed(text);
    if (!rest.empty() && rest.back() == ';') rest.remove_suffix(1);
    result.mnemonic = take_until(rest, ' ');
    if (!result.mnemonic.empty() && result.mnemonic.front() == '@') {
        rest = trimmed(rest);
        result.mnemonic = take_until(rest, ' ');
    }
    while (!rest.empty()) {
        std::string_view operand = take_until(rest, ',');
        std::vector<std::string_view>& members = result.values.emplace_back();
        if (operand.size() < 2 || operand.front() != '{' || operand.back() != '}') {
            members.push_back(operand);
            continue;
        }
        operand = operand.substr(1, operand.size() - 2);
        while (!operand.empty()) members.push_back(take_until(operand, ','));
    }
    return result;
}

} // namespace analysis
