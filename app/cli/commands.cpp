#include "cli/command.h"

#include "base/caught.h"
#include "base/file.h"
#include "cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <unistd.h>

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
    {"occupancy", "blocks and warps of a kernel on one multiprocessor, and what limits them", define_occupancy},
    {"bench", "time kernels on the GPU, beside cuBLAS", define_bench},
    {"tune", "search a kernel's tile space on the GPU for its fastest settings", define_tune},
    {"sweep", "time settings by the thousand, on one GPU or several, into a record that continues", define_sweep},
    {"speed",
     "how fast a setting was measured to be, or every pair of values of two parameters; exit 1 where nothing was measured",
     define_speed},
    {"predict",
     "how long a kernel takes, and why, predicted without a GPU; exit 1 where such predictions were not validated",
     define_predict},
    {"judge", "how far predicted times are from those that a GPU measured", define_judge},
    {"timeline", "where and when each block of a kernel ran on the GPU", define_timeline},
    {"stream", "a product larger than the GPU's memory, copied and multiplied tile after tile: when each step ran",
     define_stream},
    {"device", "what the GPU is, and its peaks by arithmetic and by measurement", define_device},
    {"render", "a view as a PNG or SVG, without a display", define_render},
    {"lesson", "lessons: a list, one with its figures, or whether all that it says holds", define_lesson},
    {"log", "how the fastest kernels came about: each step with its prediction, measurement and cause", define_log},
    {"grade", "whether a kernel solves an exercise, without a GPU; exit 1 and the first thing to look at",
     define_grade},
    {"handin", "make the one file that a student hands in, or show what is in one", define_handin},
    {"machines", "Remote GPUs, by name: remember them, try them", define_machines},
    {"doctor", "what was found on this machine, what is missing and how to get it", define_doctor},
    {"setup", "fetch NVRTC and ptxas from PyPI into your own folder, where there is no CUDA Toolkit", define_setup},
    {"describe", "the man page, or a shell's completions", define_describe},
    {"pack", "what comes compiled with the program, from a cache", define_pack},
    {"worker", "serve GPU runs over standard input and output", define_worker},
    {"compiler", "serve the compilations of another gemmscope", define_compiler},
};

namespace {

base::Status add_folders(std::vector<std::filesystem::path>& folders, const std::vector<std::string>& given,
                         const char* option, base::Phrase todo) {
    for (const std::string& folder : given) {
        std::error_code error;
        if (!std::filesystem::is_directory(folder, error))
            return Error{Failure::usage, base::say("{} {} is not a folder", option, folder), {}, todo};
        folders.emplace_back(folder);
    }
    return base::Done{};
}

} // namespace

base::Result<std::vector<std::filesystem::path>> kernel_folders(const Common& common) {
    std::vector<std::filesystem::path> folders;
    auto own = base::resource_folder("kernels");
    if (own) folders.insert(folders.end(), {*own, *own / "races"});
    else if (common.kernel_folders.empty()) return own.error();
    auto added = add_folders(folders, common.kernel_folders, "--kernels", base::phrase("give a folder of .cu files"));
    if (!added) return added.error();
    return folders;
}

base::Result<std::vector<std::filesystem::path>> lesson_folders(const Common& common) {
    std::vector<std::filesystem::path> folders;
    auto added = add_folders(folders, common.lesson_folders, "--lessons", base::phrase("give a folder of lessons"));
    if (!added) return added.error();
    return folders;
}

base::Result<catalog::Catalog> load_catalog(const Common& common) {
    auto folders = kernel_folders(common);
    if (!folders) return folders.error();
    catalog::Catalog catalog = catalog::load(*folders);
    for (const Error& problem : catalog.problems)
        print_aside(fmt::format("gemmscope: left out: {}\n", problem.sentence()));
    return catalog;
}

base::Error error_of(const session::Failed& failed) { return failed.error; }

const std::string& in_language(const catalog::Text& text, const Common& common) {
    return common.language == "zh" && !text.zh.empty() ? text.zh : text.en;
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
    return text;
}

namespace {

void write(std::FILE* stream, std::string text) {
    if (::isatty(::fileno(stream))) text = without_commands(std::move(text));
    std::fwrite(text.data(), 1, text.size(), stream);
}

} // namespace

void print(const std::string& text) { write(stdout, text); }
void print_aside(const std::string& text) { write(stderr, text); }

namespace {

int fail(const Error& error) {
    std::fflush(stdout);
    print_aside(fmt::format("gemmscope: {}\n", one_line(error.sentence())));
    return static_cast<int>(error.failure);
}

int run_parsed(int argc, const char* const* argv, const Frontend& frontend) {
    Common common;
    common.frontend = &frontend;
    auto action = parse(argc, argv, common);
    if (!action) return fail(action.error());
    auto done = (*action)();
    return done ? 0 : fail(done.error());
}

// A disk that is full is noticed only when what was printed is written.
base::Status check_output() {
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return base::Done{};
    return Error{
        Failure::usage, base::say("the output was cut short"), {}, base::say("write it to where there is room")};
}

} // namespace

int run(int argc, const char* const* argv, const Frontend& frontend) {
    int code = 0;
    if (const std::exception_ptr thrown = base::caught([&] { code = run_parsed(argc, argv, frontend); }))
        return fail(base::error_of(thrown));
    if (const base::Status written = check_output(); !written && code == 0) return fail(written.error());
    return code;
}

} // namespace cli
