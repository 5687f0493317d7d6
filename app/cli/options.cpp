#include "cli/options.h"

#include "cli/described.h"
#include "session/nearest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace cli {

using base::Error;
using base::Failure;

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
Option Options::add_option(const std::string& name, std::vector<std::pair<std::string, std::string>>& values,
                           const std::string& help) {
    return Option(app_.add_option(name, values, help));
}
void Options::add_flag(const std::string& name, bool& value, const std::string& help) {
    app_.add_flag(name, value, help);
}
void Options::hide() { app_.group(""); }
void Options::note(const std::string& text) { app_.footer(text); }

namespace {

// The first argument that is no option must be a command; CLI11's own message would not suggest one.
base::Status check_command(int argc, const char* const* argv) {
    if (argc < 2 || argv[1][0] == '-') return base::Done{};
    std::vector<std::string> names;
    for (const Command& command : commands) names.emplace_back(command.name);
    const std::string given = argv[1];
    if (given.find_first_of("./") != given.npos) return base::Done{}; // a file for the window
    if (std::find(names.begin(), names.end(), given) != names.end()) return base::Done{};
    std::string meant = session::nearest(given, names);
    return Error{Failure::usage,
                 base::say("there is no command {}", given),
                 {},
                 meant.empty() ? base::say("see gemmscope --help") : base::say("did you mean {}?", meant)};
}

} // namespace

namespace {

constexpr const char* program_summary =
    "gemmscope shows, live, how a matrix multiplication runs on a GPU. Without a command it opens the window.";

struct Declared {
    Action window;
    std::vector<std::pair<CLI::App*, Action>> commands;
};

Declared declare(CLI::App& app, Common& common) {
    app.require_subcommand(0, 1);
    Options of_all(app);
    of_all.add_option("--kernels", common.kernel_folders, "a folder of your own kernel files, besides the program's")
        .type_name("DIR")
        .one_value();
    of_all.add_option("--lessons", common.lesson_folders, "a folder of your own lessons, besides the program's")
        .type_name("DIR")
        .one_value();
    of_all.add_option("--lang", common.language, "en or zh").one_of({"en", "zh"}).type_name("LANG");
    Declared declared{define_window(of_all, common), {}};
    for (const Command& command : commands) {
        CLI::App* sub = app.add_subcommand(command.name, command.summary)->fallthrough();
        Options options(*sub);
        declared.commands.emplace_back(sub, command.define(options, common));
    }
    return declared;
}

// "TEXT:{en,zh}": CLI11 tells what IsMember allows only so.
std::vector<std::string> choices_of(const std::string& type) {
    const size_t from = type.find(":{"), to = type.rfind('}');
    std::vector<std::string> choices;
    if (from == type.npos || to == type.npos) return choices;
    std::istringstream words(type.substr(from + 2, to - from - 2));
    for (std::string word; std::getline(words, word, ',');) choices.push_back(word);
    return choices;
}

DescribedOption described(const CLI::Option& option) {
    DescribedOption d;
    d.positional = option.get_positional();
    if (d.positional) d.names.push_back(option.get_name(true));
    for (const std::string& name : option.get_snames()) d.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) d.names.push_back("--" + name);
    const std::string type = option.get_type_name();
    if (option.get_items_expected_max() > 0) d.value = type.substr(0, type.find(":{"));
    d.choices = choices_of(type);
    d.help = option.get_description();
    d.repeated = option.get_items_expected_max() > 1 || option.get_expected_max() > 1;
    d.required = option.get_required();
    return d;
}

DescribedCommand described(const CLI::App& app, std::string summary) {
    DescribedCommand command{app.get_name(), std::move(summary), app.get_footer(), {}};
    for (const CLI::Option* option : app.get_options()) command.options.push_back(described(*option));
    return command;
}

} // namespace

std::vector<DescribedCommand> described_commands(const Frontend& frontend) {
    CLI::App app(program_summary, "gemmscope");
    Common common;
    common.frontend = &frontend;
    const Declared declared = declare(app, common);
    std::vector<DescribedCommand> all = {described(app, program_summary)};
    all.front().name.clear();
    for (const auto& [sub, action] : declared.commands)
        if (!sub->get_group().empty()) all.push_back(described(*sub, sub->get_description()));
    return all;
}

base::Result<Action> parse(int argc, const char* const* argv, Common& common) {
    if (auto known = check_command(argc, argv); !known) return known.error();

    CLI::App app(program_summary, "gemmscope");
    auto [action, actions] = declare(app, common);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) { // --help
            std::ostringstream help;
            app.exit(error, help, help);
            return Action([text = help.str()]() -> base::Status {
                print(text);
                return base::Done{};
            });
        }
        const std::string command =
            app.get_subcommands().empty() ? "" : fmt::format(" {}", app.get_subcommands().front()->get_name());
        return Error{
            Failure::usage, base::verbatim(one_line(error.what())), {}, base::say("see gemmscope{} --help", command)};
    }
    for (auto& [sub, chosen] : actions) {
        if (!sub->parsed()) continue;
        if (app.get_option("FILE")->count() > 0) // the window's, which a command's surplus argument fell through to
            return Error{Failure::usage,
                         base::say("{} takes no further argument {}", sub->get_name(),
                                   app.get_option("FILE")->results().front()),
                         {},
                         base::say("see gemmscope {} --help", sub->get_name())};
        action = std::move(chosen);
    }
    return action;
}

} // namespace cli
