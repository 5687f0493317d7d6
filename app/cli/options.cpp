#include "cli/options.h"

#include "cli/command.h"
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

base::Result<Action> parse(int argc, const char* const* argv, Common& common) {
    if (auto known = check_command(argc, argv); !known) return known.error();

    CLI::App app(
        "gemmscope shows, live, how a matrix multiplication runs on a GPU. Without a command it opens the window.",
        "gemmscope");
    app.require_subcommand(0, 1);
    Options of_all(app);
    of_all.add_option("--kernels", common.kernel_folders, "a folder of your own kernel files, besides the program's")
        .type_name("DIR")
        .one_value();
    of_all.add_option("--lessons", common.lesson_folders, "a folder of your own lessons, besides the program's")
        .type_name("DIR")
        .one_value();
    of_all.add_option("--lang", common.language, "en or zh").one_of({"en", "zh"}).type_name("LANG");
    Action action = define_window(of_all, common);

    std::vector<std::pair<CLI::App*, Action>> actions;
    for (const Command& command : commands) {
        CLI::App* sub = app.add_subcommand(command.name, command.summary)->fallthrough();
        Options options(*sub);
        actions.emplace_back(sub, command.define(options, common));
    }
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
