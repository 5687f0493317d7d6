#include "cli/command.h"

#include "base/file.h"
#include "session/nearest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <sstream>

namespace cli {

using base::Error;
using base::Failure;

const std::vector<Command> commands{
    {"list", "the catalogue: kernels and references", define_list},
    {"show", "a kernel's parameters, ranges, rules with reasons, launch shape and story", define_show},
    {"compile", "PTX, machine code, registers, shared bytes, spills", define_compile},
    {"trace", "execute on the CPU, count, verify", define_trace},
    {"check", "execute with every check on; exit 1 and the findings if any", define_check},
    {"wavefronts", "shared-memory wavefronts of one warp access", define_wavefronts},
    {"occupancy", "blocks and warps of a kernel on one multiprocessor, and what limits them",
     define_occupancy},
    {"bench", "time kernels on the GPU, beside cuBLAS", define_bench},
    {"tune", "search a kernel's tile space on the GPU for its fastest settings", define_tune},
    {"timeline", "where and when each block of a kernel ran on the GPU", define_timeline},
    {"stream",
     "a product larger than the GPU's memory, copied and multiplied tile after tile: when each step ran",
     define_stream},
    {"device", "what the GPU is, and its peaks by arithmetic and by measurement", define_device},
    {"render", "a view as a PNG, without a display", define_render},
    {"doctor", "what was found on this machine, what is missing and how to get it", define_doctor},
    {"worker", "serve GPU runs over standard input and output", define_worker},
};

base::Result<std::vector<std::filesystem::path>> kernel_folders(const Common& common) {
    std::vector<std::filesystem::path> folders;
    auto own = base::resource_folder("kernels");
    if (own) folders.push_back(*own);
    else if (common.kernel_folders.empty()) return own.error();
    for (const std::string& folder : common.kernel_folders) {
        std::error_code error;
        if (!std::filesystem::is_directory(folder, error)) {
            return Error{Failure::usage, fmt::format("--kernels {} is not a folder", folder), {}, "give a folder of .cu files"};
        }
        folders.emplace_back(folder);
    }
    return folders;
}

base::Result<catalog::Catalog> load_catalog(const Common& common) {
    auto folders = kernel_folders(common);
    if (!folders) return folders.error();
    catalog::Catalog catalog = catalog::load(*folders);
    for (const Error& problem : catalog.problems) fmt::print(stderr, "gemmscope: left out: {}\n", problem.sentence());
    return catalog;
}

base::Error error_of(const session::Failed& failed) { return failed.error; }

const std::string& in_language(const catalog::Text& text, const Common& common) {
    return common.language == "zh" && !text.zh.empty() ? text.zh : text.en;
}

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

namespace {

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
    return text;
}

int fail(const Error& error) {
    std::fflush(stdout);
    fmt::print(stderr, "gemmscope: {}\n", one_line(error.sentence()));
    return static_cast<int>(error.failure);
}

// The first argument that is no option must be a command; CLI11's own message would not suggest one.
base::Status check_command(int argc, const char* const* argv) {
    if (argc < 2 || argv[1][0] == '-') return base::Done{};
    std::vector<std::string> names;
    for (const Command& command : commands) names.emplace_back(command.name);
    const std::string given = argv[1];
    if (given.find_first_of("./") != given.npos) return base::Done{}; // a file for the window
    if (std::find(names.begin(), names.end(), given) != names.end()) return base::Done{};
    std::string meant = session::nearest(given, names);
    return Error{Failure::usage, fmt::format("there is no command {}", given), {},
                 meant.empty() ? "see gemmscope --help" : fmt::format("did you mean {}?", meant)};
}

int run_parsed(int argc, const char* const* argv, const Frontend& frontend) {
    Common common;
    common.frontend = &frontend;
    auto action = parse(argc, argv, common);
    if (!action) return fail(action.error());
    auto done = (*action)();
    return done ? 0 : fail(done.error());
}

} // namespace

base::Result<Action> parse(int argc, const char* const* argv, Common& common) {
    if (auto known = check_command(argc, argv); !known) return known.error();

    CLI::App app("gemmscope shows, live, how a matrix multiplication runs on a GPU. Without a command it opens the window.",
                 "gemmscope");
    app.require_subcommand(0, 1);
    Options of_all(app);
    of_all.add_option("--kernels", common.kernel_folders, "a folder of your own kernel files, besides the program's")
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
        const std::string command = app.get_subcommands().empty() ? "" : fmt::format(" {}", app.get_subcommands().front()->get_name());
        return Error{Failure::usage, one_line(error.what()), {}, fmt::format("see gemmscope{} --help", command)};
    }
    for (auto& [sub, chosen] : actions) {
        if (!sub->parsed()) continue;
        if (app.get_option("FILE")->count() >
            0) // the window's, which a command's surplus argument fell through to
            return Error{Failure::usage,
                         fmt::format("{} takes no further argument {}", sub->get_name(),
                                     app.get_option("FILE")->results().front()),
                         {},
                         fmt::format("see gemmscope {} --help", sub->get_name())};
        action = std::move(chosen);
    }
    return action;
}

int run(int argc, const char* const* argv, const Frontend& frontend) {
    try {
        return run_parsed(argc, argv, frontend);
    } catch (const std::bad_alloc&) {
        return fail({Failure::usage, "memory ran out", {}, "choose a smaller size"});
    } catch (const std::exception& error) {
        return fail({Failure::usage, error.what(), {}, {}});
    }
}

} // namespace cli
