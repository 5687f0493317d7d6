// The rules of a kernel, ready to be evaluated many times.
#pragma once

#include "catalog/expression.h"
#include "catalog/kernel.h"

namespace catalog {

// Values in the order of the kernel's parameters. Not for two threads at a time; refers to the kernel.
using Row = std::vector<int64_t>;

Row row_of(const Kernel&, const Values&); // missing names have their initial value
Values values_of(const Kernel&, const Row&);

class Rules {
public:
    explicit Rules(const Kernel&);

    size_t count() const { return rules_.size(); }
    const Rule& rule(size_t index) const { return *rules_[index].rule; }
    const std::vector<size_t>& uses(size_t index) const; // the parameters it is about
    bool holds(size_t index, const Row&) const;
    const Rule* first_broken(const Row&) const; // nullptr if none is

private:
    struct Compiled {
        const Rule* rule;
        base::Result<Expression> expression;
    };
    std::vector<Compiled> rules_;
};

std::vector<std::string> parameter_names(const Kernel&);

// "reason (expression)", the reason without its full stop, to stand inside an error's sentence.
std::string clause(const Rule&);

} // namespace catalog
