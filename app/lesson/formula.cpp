#include "lesson/formula.h"

#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace lesson {
namespace {

constexpr size_t longest_formula = 240;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

base::Error wrong(const std::string& formula, const base::Sentence& why, base::Sentence todo) {
    return {base::Failure::usage, base::say("\"{}\": {}", formula, why), {}, std::move(todo)};
}

// muParser takes = for an assignment, which is always a mistake here.
bool assigns(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '=') continue;
        if (i + 1 < text.size() && text[i + 1] == '=') ++i;
        else if (i == 0 || std::string_view("<>!").find(text[i - 1]) == std::string_view::npos) return true;
    }
    return false;
}

class Calculator {
public:
    Calculator() {
        parser_.DefineNameChars("0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        parser_.DefineOprtChars("+-*/^%=!<>&|?:");
        parser_.DefineFun("floor", [](double a) { return std::floor(a); });
        parser_.DefineFun("ceil", [](double a) { return std::ceil(a); });
        parser_.DefineFun("round", [](double a) { return std::round(a); });
        parser_.DefineFun("ceil_div", [](double a, double b) { return std::ceil(a / b); });
        parser_.DefineOprt(
            "%", [](double a, double b) { return std::fmod(a, b); }, mu::prMUL_DIV, mu::oaLEFT);
    }
    void define(const std::string& name, double value) {
        values_.push_back(value);
        parser_.DefineVar(name, &values_.back());
    }
    double value(const std::string& formula) {
        parser_.SetExpr(formula);
        int results = 0;
        const double* found = parser_.Eval(results);
        if (results != 1) throw mu::ParserError("it is more than one expression");
        return *found;
    }

private:
    mu::Parser parser_;
    std::deque<double> values_; // what the parser's variables point to
};

} // namespace

std::vector<std::string> names_in(std::string_view formula) {
    std::vector<std::string> names;
    for (size_t at = 0; at < formula.size();) {
        size_t end = at;
        if (is_digit(formula[at])) { // 1e6 is a number, not a name behind one
            while (end < formula.size() && (is_digit(formula[end]) || is_letter(formula[end]) || formula[end] == '.'))
                ++end;
        } else if (is_letter(formula[at])) {
            while (end < formula.size() && (is_digit(formula[end]) || is_letter(formula[end]) || formula[end] == '.'))
                ++end;
            const size_t next = formula.find_first_not_of(' ', end);
            const bool called = next != formula.npos && formula[next] == '(';
            std::string name(formula.substr(at, end - at));
            const bool constant = name == "_pi" || name == "_e";
            if (!called && !constant && std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(std::move(name));
        }
        at = std::max(end, at + 1);
    }
    return names;
}

bool is_measured(std::string_view formula) {
    const auto names = names_in(formula);
    return std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return name.starts_with("speed.") || name.find(".speed.") != name.npos;
    });
}

base::Result<double> evaluate(const std::string& formula, const Lookup& lookup) {
    if (formula.find_first_not_of(" \t") == formula.npos)
        return wrong(formula, base::say("it is empty"), base::say("write a figure or an expression of figures"));
    if (formula.size() > longest_formula)
        return wrong(formula.substr(0, 40) + "...", base::say("it is too long"),
                     base::say("write at most {} characters", longest_formula));
    if (std::any_of(formula.begin(), formula.end(), [](char c) { return c < ' ' || c > '~' || c == '"'; }))
        return wrong(formula, base::say("it has characters that no expression has"),
                     base::say("write numbers, figures and operators"));
    if (assigns(formula))
        return wrong(formula, base::say("= is written where == is meant"), base::say("compare with =="));
    try {
        Calculator calculator;
        for (const std::string& name : names_in(formula)) {
            const auto value = lookup(name);
            if (!value) return value.error();
            calculator.define(name, *value);
        }
        const double value = calculator.value(formula);
        if (std::isfinite(value)) return value;
        return wrong(formula, base::say("it has no value: a division by zero, or a logarithm of 0"),
                     base::say("correct the expression"));
    } catch (const mu::ParserError& error) {
        return wrong(formula, base::verbatim(error.GetMsg()), base::say("docs/lessons.md lists operators and figures"));
    }
}

} // namespace lesson
