#include "catalog/expression.h"

#include "catalog/characters.h"

#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>

namespace catalog {
namespace {

// muParser calculates in double, which is exact for whole numbers below 2^53. What has no value is NaN, and stays so.
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double limit = 9007199254740992.0; // 2^53

double exact(double value) { return std::abs(value) < limit ? value : none; }

double divide(double a, double b) { return b == 0 ? none : std::trunc(a / b); }
double remainder(double a, double b) { return b == 0 ? none : std::fmod(a, b); }
double ceil_div(double a, double b) { return b == 0 ? none : std::ceil(a / b); }

template <class Compare>
double compare(double a, double b) {
    return std::isnan(a) || std::isnan(b) ? none : Compare{}(a, b);
}

// A side that has no value does not matter when the other one decides.
double logical_and(double a, double b) {
    if (a == 0 || (b == 0 && !std::isnan(a))) return 0;
    return std::isnan(a) || std::isnan(b) ? none : 1;
}
double logical_or(double a, double b) {
    if (std::isnan(a)) return none;
    if (a != 0) return 1;
    return std::isnan(b) ? none : b != 0;
}
double logical_not(double a) { return std::isnan(a) ? none : a == 0; }

double power(double base, double exponent) {
    return exponent < 0 ? divide(1, exact(std::pow(base, -exponent))) : exact(std::pow(base, exponent));
}
double floor_log2(double a) { return a > 0 ? std::ilogb(a) : none; }
double is_power_of_two(double a) { return std::isnan(a) ? none : a > 0 && std::exp2(std::ilogb(a)) == a; }

template <class Better>
double best(const double* values, int count) {
    double found = values[0];
    for (int i = 1; i < count; ++i) {
        if (std::isnan(found) || std::isnan(values[i])) return none;
        if (Better{}(values[i], found)) found = values[i];
    }
    return found;
}

int read_number(const char* text, int* position, double* value) {
    int length = 0;
    double number = 0;
    while (std::isdigit(static_cast<unsigned char>(text[length]))) number = number * 10 + (text[length++] - '0');
    if (length == 0) return 0;
    *position += length;
    *value = exact(number);
    return 1;
}

// The names in a text that are not called. (muParser's own list of them costs as much as compiling once more.)
std::set<std::string> variables_in(std::string_view text) {
    std::set<std::string> found;
    for (size_t start = 0; start < text.size();) {
        size_t end = start;
        while (end < text.size() && is_word(text[end])) ++end;
        size_t next = std::min(text.find_first_not_of(" \t\r\n", end), text.size());
        bool is_call = next < text.size() && text[next] == '(';
        if (end > start && !std::isdigit(static_cast<unsigned char>(text[start])) && !is_call)
            found.emplace(text.substr(start, end - start));
        start = std::max(end, start + 1);
    }
    return found;
}

class Parser : public mu::ParserBase {
public:
    Parser() {
        EnableBuiltInOprt(false); // first: as long as it is on, the names of the operators are taken
        AddValIdent(read_number);
        InitCharSets();
        InitFun();
        InitOprt();
    }

private:
    void InitCharSets() override {
        DefineNameChars("0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        DefineOprtChars("+-*/%=!<>&|");
        DefineInfixOprtChars("+-!");
    }
    void InitConst() override {}
    void InitFun() override {
        DefineFun("ceil_div", ceil_div);
        DefineFun("min", best<std::less<>>);
        DefineFun("max", best<std::greater<>>);
        DefineFun("abs", [](double a) { return std::abs(a); });
        DefineFun("pow", power);
        DefineFun("log2", floor_log2);
        DefineFun("is_power_of_two", is_power_of_two);
    }
    void InitOprt() override { // the numbers order them as C does
        DefineOprt("||", logical_or, 1);
        DefineOprt("&&", logical_and, 2);
        DefineOprt("==", compare<std::equal_to<>>, 3);
        DefineOprt("!=", compare<std::not_equal_to<>>, 3);
        DefineOprt("<", compare<std::less<>>, 4);
        DefineOprt("<=", compare<std::less_equal<>>, 4);
        DefineOprt(">", compare<std::greater<>>, 4);
        DefineOprt(">=", compare<std::greater_equal<>>, 4);
        DefineOprt(
            "+", [](double a, double b) { return exact(a + b); }, 5);
        DefineOprt(
            "-", [](double a, double b) { return exact(a - b); }, 5);
        DefineOprt(
            "*", [](double a, double b) { return exact(a * b); }, 6);
        DefineOprt("/", divide, 6);
        DefineOprt("%", remainder, 6);
        DefineInfixOprt(
            "-", [](double a) { return -a; }, 7);
        DefineInfixOprt(
            "+", [](double a) { return a; }, 7);
        DefineInfixOprt("!", logical_not, 7);
    }
};

} // namespace

struct Expression::Impl {
    std::mutex mutex;           // muParser's evaluation writes to the parser
    std::vector<double> values; // what the parser's variables point to
    std::vector<size_t> used;
    Parser parser;
};

Expression::Expression(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

base::Result<Expression> Expression::parse(const std::string& text, std::span<const std::string> names) {
    if (text.find('\0') != std::string::npos) // muParser stops there
        return base::Error{base::Failure::usage, base::say("\"{}\" is more than one expression", text), {}, {}};
    auto impl = std::make_unique<Impl>();
    impl->values.assign(names.size(), 1);
    try {
        for (size_t i = 0; i < names.size(); ++i) impl->parser.DefineVar(names[i], &impl->values[i]);
        impl->parser.SetExpr(text);
        for (const std::string& name : variables_in(text)) {
            auto found = std::find(names.begin(), names.end(), name);
            if (found == names.end())
                return base::Error{
                    base::Failure::usage, base::say("\"{}\" uses the unknown name {}", text, name), {}, {}};
            impl->used.push_back(static_cast<size_t>(found - names.begin()));
        }
        int results = 0;
        impl->parser.Eval(results);
        if (results != 1)
            return base::Error{base::Failure::usage, base::say("\"{}\" is more than one expression", text), {}, {}};
    } catch (const mu::ParserError& error) {
        return base::Error{base::Failure::usage, base::say("\"{}\": {}", text, error.GetMsg()), {}, {}};
    }
    std::sort(impl->used.begin(), impl->used.end());
    return Expression(std::move(impl));
}

std::optional<int64_t> Expression::evaluate(std::span<const int64_t> values) const {
    std::lock_guard lock(impl_->mutex);
    std::copy(values.begin(), values.end(), impl_->values.begin());
    try {
        const double result = exact(impl_->parser.Eval()); // a value that was given may be as large
        if (!std::isnan(result)) return static_cast<int64_t>(result);
    } catch (const mu::ParserError&) {
        // What parses also evaluates; should muParser see that otherwise, there is no value.
    }
    return {};
}

const std::vector<size_t>& Expression::uses() const { return impl_->used; }

} // namespace catalog
