// describe: the man page and completions of shells, made of the commands that the program has.
#include "base/version.h"
#include "cli/described.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cli {
namespace {

using Lines = std::string;

bool is_kernel(const DescribedOption& o) { return o.positional && (o.names[0] == "KERNEL" || o.names[0] == "SRC"); }

std::vector<std::string> flags_of(const DescribedCommand& command) {
    std::vector<std::string> flags;
    for (const DescribedOption& o : command.options)
        if (!o.positional) flags.insert(flags.end(), o.names.begin(), o.names.end());
    return flags;
}

// Text for troff: no line is a request, no character a command.
std::string troff(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        if ((c == '.' || c == '\'') && (safe.empty() || safe.back() == '\n')) safe += "\\&";
        if (c == '\\') safe += "\\e";
        else if (c == '-') safe += "\\-";
        else safe += c;
    }
    return safe;
}

void add_paragraphs(Lines& page, const std::string& text) {
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        page += fmt::format("{}\n.br\n", troff(text.substr(at, end - at)));
        at = end + 1;
    }
}

std::string usage(const DescribedCommand& command) {
    std::string line =
        fmt::format("\\fB{}\\fR", troff(command.name.empty() ? "gemmscope" : "gemmscope " + command.name));
    line += " [\\fIOPTIONS\\fR]";
    for (const DescribedOption& o : command.options) {
        if (!o.positional) continue;
        const std::string word = fmt::format("\\fI{}\\fR{}", troff(o.names[0]), o.repeated ? "..." : "");
        line += o.required ? " " + word : fmt::format(" [{}]", word);
    }
    return line;
}

void add_options(Lines& page, const DescribedCommand& command) {
    for (const DescribedOption& o : command.options) {
        std::string head;
        for (const std::string& name : o.names)
            head += fmt::format("{}\\fB{}\\fR", head.empty() ? "" : ", ", troff(name));
        if (!o.value.empty() && !o.positional) head += fmt::format(" \\fI{}\\fR", troff(o.value));
        if (o.repeated) head += " ...";
        page += fmt::format(".TP\n{}\n{}\n", head, troff(o.help));
    }
}

std::string man_page(const std::vector<DescribedCommand>& commands) {
    const DescribedCommand& program = commands.front();
    Lines page = fmt::format(".TH GEMMSCOPE 1 \"\" \"gemmscope {}\" \"User Commands\"\n", base::version());
    page += ".SH NAME\ngemmscope \\- shows how a matrix multiplication runs on a GPU\n";
    page +=
        fmt::format(".SH SYNOPSIS\n{}\n.br\n\\fBgemmscope\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...\n", usage(program));
    page += fmt::format(
        ".SH DESCRIPTION\n{}\nPictures and counters come from executing a kernel's own machine code on the CPU. No GPU is needed for that.\n.SH OPTIONS\n",
        troff(program.summary));
    add_options(page, program);
    page += ".SH COMMANDS\n";
    for (auto command = commands.begin() + 1; command != commands.end(); ++command) {
        page += fmt::format(".SS {}\n{}\n.PP\n{}\n", troff(command->name), troff(command->summary), usage(*command));
        add_options(page, *command);
        if (!command->note.empty()) page += ".PP\n", add_paragraphs(page, command->note);
    }
    page += ".SH EXIT STATUS\n0: done. 1: a check failed. 2: bad usage. 3: something is missing on this machine; "
            "\\fBgemmscope doctor\\fR says what.\n";
    page +=
        ".SH ENVIRONMENT\n"
        ".TP\n\\fBGEMMSCOPE_CACHE\\fR, \\fBGEMMSCOPE_STATE\\fR, \\fBGEMMSCOPE_DATA\\fR\nfolders in place of those below\n"
        ".TP\n\\fBCUDA_HOME\\fR, \\fBCUDA_PATH\\fR\na CUDA Toolkit that goes first\n"
        ".TP\n\\fBGEMMSCOPE_NVRTC\\fR, \\fBGEMMSCOPE_PTXAS\\fR\nthese files, and no others\n";
    page += ".SH FILES\n"
            ".TP\n\\fI~/.cache/gemmscope\\fR\nwhat can be computed again\n"
            ".TP\n\\fI~/.local/state/gemmscope\\fR\nthe last view, kernels that you edited, what you measured\n"
            ".TP\n\\fI~/.local/share/gemmscope\\fR\nwhat \\fBgemmscope setup\\fR fetched\n";
    return page;
}

// Words between single quotes, for sh.
std::string shell_quoted(const std::string& text) {
    std::string safe;
    for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return "'" + safe + "'";
}

std::string bash_cases(const std::vector<DescribedCommand>& commands) {
    Lines cases;
    for (const DescribedCommand& command : commands)
        for (const DescribedOption& o : command.options) {
            if (o.positional || o.value.empty()) continue;
            std::string names;
            // A program's own option may also follow a command.
            for (const std::string& name : o.names)
                names +=
                    fmt::format("{}{}:{}", names.empty() ? "" : "|", command.name.empty() ? "*" : command.name, name);
            cases +=
                fmt::format("    {}) words={} files={} ;;\n", names,
                            shell_quoted(fmt::format("{}", fmt::join(o.choices, " "))), o.choices.empty() ? "yes" : "");
        }
    return cases;
}

std::string bash_arguments(const std::vector<DescribedCommand>& commands) {
    Lines cases;
    for (const DescribedCommand& command : commands) {
        const auto& options = command.options;
        std::string words;
        for (const DescribedOption& o : options)
            if (o.positional) words += fmt::format("{} ", fmt::join(o.choices, " "));
        if (command.name.empty())
            for (const DescribedCommand& named : commands) words += named.name + " ";
        const bool kernels = std::any_of(options.begin(), options.end(), is_kernel);
        cases += fmt::format("    {}) flags={} words={} files=yes kernels={} ;;\n", shell_quoted(command.name),
                             shell_quoted(fmt::format("{}", fmt::join(flags_of(command), " "))), shell_quoted(words),
                             kernels ? "yes" : "");
    }
    return cases;
}

std::string bash_completion(const std::vector<DescribedCommand>& commands) {
    std::string names;
    for (const DescribedCommand& command : commands)
        if (!command.name.empty()) names += (names.empty() ? "" : "|") + command.name;
    const std::string own = fmt::format("{}", fmt::join(flags_of(commands.front()), " "));
    return fmt::format(R"sh(# Completions of gemmscope for bash, by `gemmscope describe bash`.
_gemmscope() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command= word
    local flags= words= files= kernels=
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case $word in {}) command=$word; break ;; esac
    done
    case $command:$previous in
{}    *)
        case $command in
{}        esac
        [[ $current != -* ]] || words="$flags "{} files= kernels=
        [[ -z $kernels ]] || words+=" $(gemmscope list --ids 2>/dev/null)" ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [[ -z $files ]] || COMPREPLY+=($(compgen -f -- "$current"))
}}
complete -o filenames -F _gemmscope gemmscope
)sh",
                       names, bash_cases(commands), bash_arguments(commands), shell_quoted(own));
}

std::string fish_option(const DescribedCommand& command, const DescribedOption& o) {
    Lines line = "complete -c gemmscope";
    if (!command.name.empty()) line += fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
    if (o.positional) {
        std::string words = fmt::format("{}", fmt::join(o.choices, " "));
        if (is_kernel(o)) words += "(gemmscope list --ids 2>/dev/null)";
        return words.empty() ? std::string() : fmt::format("{} -a {}\n", line, shell_quoted(words));
    }
    for (const std::string& name : o.names)
        line += name.starts_with("--") ? " -l " + name.substr(2)
                                       : fmt::format(" -{} {}", name.size() == 2 ? 's' : 'o', name.substr(1));
    if (!o.choices.empty())
        line += fmt::format(" -x -a {}", shell_quoted(fmt::format("{}", fmt::join(o.choices, " "))));
    else if (!o.value.empty()) line += " -r";
    return fmt::format("{} -d {}\n", line, shell_quoted(o.help));
}

std::string fish_completion(const std::vector<DescribedCommand>& commands) {
    Lines all = "# Completions of gemmscope for fish, by `gemmscope describe fish`.\n";
    for (const DescribedCommand& command : commands) {
        if (!command.name.empty())
            all += fmt::format("complete -c gemmscope -n __fish_use_subcommand -a {} -d {}\n", command.name,
                               shell_quoted(command.summary));
        for (const DescribedOption& o : command.options) all += fish_option(command, o);
    }
    return all;
}

} // namespace

Action define_describe(Options& app, const Common& common) {
    app.hide(); // for packages
    auto format = std::make_shared<std::string>();
    app.add_option("FORMAT", *format, "man, bash or fish").required().one_of({"man", "bash", "fish"});
    return [format, &common]() -> base::Status {
        const auto described = described_commands(*common.frontend);
        print(*format == "man"    ? man_page(described)
              : *format == "bash" ? bash_completion(described)
                                  : fish_completion(described));
        return base::Done{};
    };
}

} // namespace cli
