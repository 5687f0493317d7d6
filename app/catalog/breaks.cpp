#include "catalog/breaks.h"

#include "catalog/rules.h"

#include <algorithm>
#include <string_view>

namespace catalog {
namespace {

base::Error no_such_break(const Kernel& kernel, const std::string& name) {
    std::vector<std::string> known;
    for (const Break& one : kernel.breaks) known.push_back(one.name);
    return {base::Failure::usage,
            base::say("{} has no planted mistake {}", kernel.id, name),
            {},
            known.empty() ? base::say("switch it off") : base::say("choose among {}", base::names(known))};
}

// Those named, in the order of the source.
base::Result<std::vector<const Break*>> chosen(const Kernel& kernel, const std::set<std::string>& names) {
    std::vector<const Break*> found;
    for (const std::string& name : names) {
        const Break* one = find_break(kernel, name);
        if (!one) return no_such_break(kernel, name);
        if (one->at == std::string::npos)
            return base::Error{
                base::Failure::usage,
                base::say("the text that the planted mistake {} changes does not stand in the code exactly once", name),
                kernel.path, base::say("write it as \"find\" says, or make \"find\" fit the code")};
        found.push_back(one);
    }
    std::sort(found.begin(), found.end(), [](const Break* a, const Break* b) { return a->at < b->at; });
    for (size_t i = 1; i < found.size(); ++i)
        if (found[i]->at < found[i - 1]->at + found[i - 1]->find.size())
            return base::Error{base::Failure::usage,
                               base::say("the planted mistakes {} and {} change the same text of {}",
                                         found[i - 1]->name, found[i]->name, kernel.id),
                               {},
                               base::say("switch one of them off")};
    return found;
}

} // namespace

const Break* find_break(const Kernel& kernel, std::string_view name) {
    const auto is_it = [&](const Break& one) { return one.name == name; };
    const auto found = std::find_if(kernel.breaks.begin(), kernel.breaks.end(), is_it);
    return found == kernel.breaks.end() ? nullptr : &*found;
}

base::Result<std::string> broken_source(const Kernel& kernel, const std::set<std::string>& names) {
    auto edits = chosen(kernel, names);
    if (!edits) return edits.error();
    std::string text;
    size_t done = 0; // of the source
    for (const Break* edit : *edits) {
        text.append(kernel.source, done, edit->at - done).append(edit->replace);
        done = edit->at + edit->find.size();
    }
    return text.append(kernel.source, done);
}

std::vector<int> broken_lines(const Kernel& kernel, const std::set<std::string>& names) {
    const auto broken = broken_source(kernel, names);
    std::vector<int> lines;
    if (!broken || names.empty()) return lines;
    std::string_view before = kernel.source, after = *broken;
    for (int line = 1; !before.empty() || !after.empty(); ++line) { // edits keep the number of lines
        const auto a = before.substr(0, before.find('\n')), b = after.substr(0, after.find('\n'));
        if (a != b) lines.push_back(line);
        before.remove_prefix(std::min(a.size() + 1, before.size()));
        after.remove_prefix(std::min(b.size() + 1, after.size()));
    }
    return lines;
}

bool can_show(const Kernel& kernel, const Break& one, const Values& values, const Problem& problem) {
    if (one.when.empty()) return true;
    std::vector<std::string> names = parameter_names(kernel);
    Row row = row_of(kernel, values);
    for (const auto& [name, size] : {std::pair{"M", problem.m}, {"N", problem.n}, {"K", problem.k}})
        names.emplace_back(name), row.push_back(size);
    const auto condition = Expression::parse(one.when, names);
    return !condition || condition->evaluate(row).value_or(1) != 0; // the file was checked when it was read
}

} // namespace catalog
