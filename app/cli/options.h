// Declares a command's options and positional arguments. Only options.cpp includes CLI11, whose header alone takes five
// seconds to compile.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace cli {

// One option, to be described further. It refers to CLI11's.
class Option {
public:
    explicit Option(CLI::Option* option) : option_(option) {}
    Option& required();
    Option& type_name(const std::string& name);              // what --help prints for the value: "FILE.json"
    Option& one_value();                                     // a repeated option takes one value each time
    Option& one_of(const std::vector<std::string>& allowed); // any other value is bad usage
    Option& needs(const std::string& other);                 // bad usage without this other option

private:
    CLI::Option* option_;
};

// The options of one command. A name is as in "-o,--output"; without a dash it is a positional argument. The values are filled in
// when the arguments are parsed and must live until then.
class Options {
public:
    explicit Options(CLI::App& app) : app_(app) {}
    Option add_option(const std::string& name, std::string& value, const std::string& help);
    Option add_option(const std::string& name, std::vector<std::string>& values, const std::string& help);
    Option add_option(const std::string& name, std::vector<std::pair<std::string, std::string>>& values,
                      const std::string& help);
    void add_flag(const std::string& name, bool& value, const std::string& help);
    void hide();                        // the command from the program's --help
    void note(const std::string& text); // at the end of the command's --help

private:
    CLI::App& app_;
};

} // namespace cli
