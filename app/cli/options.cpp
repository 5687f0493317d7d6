#include "cli/options.h"

#include <CLI/CLI.hpp>

namespace cli {

Option& Option::required() {
    option_->required();
    return *this;
}
Option& Option::type_name(const std::string& name) {
    option_->type_name(name);
    return *this;
}
Option& Option::one_value() {
    option_->allow_extra_args(false);
    return *this;
}
Option& Option::one_of(const std::vector<std::string>& allowed) {
    option_->check(CLI::IsMember(allowed));
    return *this;
}
Option& Option::needs(const std::string& other) {
    option_->needs(other);
    return *this;
}

Option Options::add_option(const std::string& name, std::string& value, const std::string& help) {
    return Option(app_.add_option(name, value, help));
}
Option Options::add_option(const std::string& name, std::vector<std::string>& values, const std::string& help) {
    return Option(app_.add_option(name, values, help));
}
Option Options::add_option(const std::string& name, std::vector<std::pair<std::string, std::string>>& values, const std::string& help) {
    return Option(app_.add_option(name, values, help));
}
void Options::add_flag(const std::string& name, bool& value, const std::string& help) { app_.add_flag(name, value, help); }

} // namespace cli
