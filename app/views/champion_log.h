// How the fastest kernels came about, step by step: assets/champion_log.toml, whose first comment says how a step is written.
// Nothing here is computed but ratios; every figure is one that a GPU gave.
#pragma once

#include "base/result.h"
#include "catalog/kernel.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace views {

struct LogFigure {
    enum class Kind { tflops, ratio, other }; // ratio: cuBLAS's time divided by the kernel's
    Kind kind = Kind::tflops;
    double value = 0, before = 0; // before: of the step; 0: not told
    double cublas = 0;            // TFLOPS that cuBLAS reached beside `value` of them; 0: not told
    catalog::Text unit;           // of `other`
    catalog::Problem size;
    catalog::Text of; // which setting or variant, where a step has several; empty: the step's
    std::string device, date;
    double ratio() const;        // of cuBLAS; 0: not known
    double ratio_before() const; // likewise
};

// What the window shows of a step: the cause, in the instrument.
struct LogScene {
    std::string kernel, view; // view: as `gemmscope render` names it
    catalog::Values parameters;
    catalog::Problem size; // that is executed
    std::string baseline;  // a kernel beside it; empty: none
    bool machine = false;  // the source panel shows the SASS
    std::string source;    // lines of the kernel's source that have this text are shown; empty: those of the step
    catalog::Text look;    // what to look at there
};

struct LogStep {
    std::string id;
    catalog::Text title, setting, hypothesis;
    catalog::Text predicted;         // empty: nothing was predicted
    std::vector<LogFigure> measured; // at least one; the first stands for the step
    catalog::Text cause;             // empty: no more is known
    bool kept = true;                // false: a dead end
    LogScene scene;
    uint32_t line = 0; // of the file
};

struct LogChapter { // steps that led to one kernel
    std::string id, kernel;
    catalog::OperandType operands = catalog::OperandType::f32;
    catalog::Text title, how;                   // how: what was timed beside what, and by what was predicted
    std::string device, driver, compiler, date; // device and date: of figures that name none
    std::vector<LogStep> steps;
};

using ChampionLog = std::vector<LogChapter>;

// At most 64 chapters of at most 64 steps, of at most 8 figures and 600 bytes a text, in a file of at most 512 KiB. Errors name the line.
base::Result<ChampionLog> read_log(const std::filesystem::path&);
// The same of a text; `path`: for errors.
base::Result<ChampionLog> parse_log(const std::string& text, const std::string& path);

// One line of the page and of `gemmscope log`.
struct LogEntry {
    const LogChapter* chapter = nullptr;
    const LogStep* step = nullptr;
    size_t number = 0; // in its chapter, from 1
};
// In the file's order; of one type of operands, if one is given. Pointers into the log.
std::vector<LogEntry> entries(const ChampionLog&, std::optional<catalog::OperandType> = {});
std::optional<LogEntry> find_step(const ChampionLog&, std::string_view id);
// Whether a step is of the kernel: its chapter led to it, or its scene shows it.
bool tells_of(const LogEntry&, std::string_view kernel);

// All that a step and its chapter say.
catalog::Text text_of(const LogEntry&);

} // namespace views
