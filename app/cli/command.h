// One sub-command, and what all of them share.
#pragma once

#include "cli/commands.h"
#include "cli/options.h"
#include "lesson/executions.h"
#include "lesson/lesson.h"

#include <functional>
#include <string>
#include <vector>

namespace cli {

struct Common {                              // options of the program, before or after the sub-command's name
    std::vector<std::string> kernel_folders; // --kernels, besides the program's own
    std::vector<std::string> lesson_folders; // --lessons, likewise
    std::string language;                    // "en", "zh"; empty: not said, English or what a restored view has
    const Frontend* frontend = nullptr;
};

// For the help of commands that know both.
constexpr const char* own_folders = "Before or after the command:\n"
                                    "  --kernels DIR   a folder of your own kernel files, besides the program's\n"
                                    "  --lessons DIR   a folder of your own lessons, besides the program's";

constexpr const char* worker_help =
    "a machine that gemmscope machines lists, by its name, or the command that starts a worker there: "
    "'ssh lab-gpu gemmscope worker'";

using Action = std::function<base::Status()>;

struct Command {
    const char* name;
    const char* summary;
    // Declares the options and returns what to do once they are parsed. `common` outlives the action.
    Action (*define)(Options&, const Common& common);
};
extern const std::vector<Command> commands;

// What the arguments ask for, to be done while `common`, which they fill in, lives. Errors: Failure::usage.
base::Result<Action> parse(int argc, const char* const* argv, Common& common);

// The program's kernels and those of --kernels. A folder that is not there is an error; a file that cannot be read is
// a warning on stderr.
base::Result<catalog::Catalog> load_catalog(const Common&);
base::Result<std::vector<std::filesystem::path>> kernel_folders(const Common&);
// Those of --lessons. One that is not there is an error.
base::Result<std::vector<std::filesystem::path>> lesson_folders(const Common&);

// The program's lessons and those of --lessons.
base::Result<lesson::Lessons> load_lessons(const Common&);
// From which a lesson's figures are counted.
base::Result<lesson::Executions> lesson_executions(const Common&);

// What a job's stage failed with.
base::Error error_of(const session::Failed&);

// The text in the language asked for.
const std::string& in_language(const catalog::Text&, const Common&);

std::string one_line(std::string text);    // without line breaks and the last full stop
void print(const std::string& text);       // to standard output
void print_aside(const std::string& text); // to standard error

Action define_list(Options&, const Common&);
Action define_show(Options&, const Common&);
Action define_compile(Options&, const Common&);
Action define_trace(Options&, const Common&);
Action define_check(Options&, const Common&);
Action define_wavefronts(Options&, const Common&);
Action define_occupancy(Options&, const Common&);
Action define_bench(Options&, const Common&);
Action define_tune(Options&, const Common&);
Action define_sweep(Options&, const Common&);
Action define_speed(Options&, const Common&);
Action define_predict(Options&, const Common&);
Action define_judge(Options&, const Common&);
Action define_timeline(Options&, const Common&);
Action define_stream(Options&, const Common&);
Action define_device(Options&, const Common&);
Action define_render(Options&, const Common&);
Action define_lesson(Options&, const Common&);
Action define_log(Options&, const Common&);
Action define_grade(Options&, const Common&);
Action define_handin(Options&, const Common&);
Action define_machines(Options&, const Common&);
Action define_doctor(Options&, const Common&);
Action define_setup(Options&, const Common&);
Action define_describe(Options&, const Common&);
Action define_pack(Options&, const Common&);
Action define_worker(Options&, const Common&);
Action define_compiler(Options&, const Common&);
Action define_window(Options&, const Common&); // no sub-command

} // namespace cli
