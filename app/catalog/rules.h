// The rules of a kernel, compiled, to be evaluated many times.
#pragma once

#include "catalog/expression.h"
#include "catalog/kernel.h"

#include <memory>
#include <optional>

namespace catalog {

// Values in the order of the kernel's parameters.
using Row = std::vector<int64_t>;

Row row_of(const Kernel&, const Values&); // missing names have their initial value
Values values_of(const Kernel&, const Row&);

// Thread-safe, and independent of the kernel it was made from: a rule is its index in Kernel::rules.
class Rules {
public:
    explicit Rules(const Kernel&);

    // The kernel's compiled rules, or, where those are not there or no longer its rules, newly compiled ones. (Compiling
    // costs some 20 us a rule, too much for what a window asks in every frame.)
    static std::shared_ptr<const Rules> of(const Kernel&);

    size_t count() const { return rules_.size(); }
    const std::vector<size_t>& uses(size_t rule) const; // the parameters it is about
    bool holds(size_t rule, const Row&) const;
    std::optional<size_t> first_broken(const Row&) const;

private:
    struct Compiled {
        std::string text;
        base::Result<Expression> expression;
    };
    bool are_of(const Kernel&) const;

    std::vector<std::string> names_;
    std::vector<Compiled> rules_;
};

size_t parameter_index(const Kernel&, std::string_view name); // the number of parameters if there is none of that name

// "reason (expression)", the reason without its full stop, to stand inside an error's sentence.
std::string clause(const Rule&);

} // namespace catalog
