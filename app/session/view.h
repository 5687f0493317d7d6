// Everything the user can change, as one value: what is looked at, what is selected, how it is shown. Panels edit a
// copy; the session compares it with the old one and starts the work that follows. Saved to disk as JSON, restored
// by --state, kept in the undo history.
#pragma once

#include "base/dim3.h"
#include "base/result.h"
#include "catalog/kernel.h"
#include "timing/what_if.h"
#include "trace/listing.h"
#include "trace/schedule.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace session {

using trace::Engine;

// What the pictures are computed from. Two equal subjects have equal products.
struct Subject {
    std::string kernel = "double_buffer"; // catalogue id
    catalog::Values parameters;           // empty: the kernel's initial values
    catalog::Problem problem;
    double alpha = 1, beta = 0;
    std::string arch = "sm_90";
    Engine engine = Engine::machine; // that is asked for: Prepared::fallback
    uint64_t seed = 1;
    trace::Schedule schedule;     // of the warps of each block on the CPU
    std::set<std::string> breaks; // the kernel's planted mistakes that are on: catalog::Kernel::breaks
    bool operator==(const Subject&) const = default;
};
size_t hash_of(const Subject&);

// The one selection that all views share.
struct Selection {
    base::Dim3 block{0, 0, 0}; // block index
    int warp = 0, lane = 0;
    uint32_t event = 0; // index into the trace's events: the step
    bool operator==(const Selection&) const = default;
};

// What the mouse is over, for previews in every view. Not saved. -1: not over such a thing.
struct Hover {
    int warp = -1, lane = -1, bank = -1;
    int64_t pc = -1;
    int source_line = -1;
    std::optional<base::Dim3> block;
    std::string array; // with row and column: an element of it
    int64_t row = -1, column = -1;
    bool operator==(const Hover&) const = default;
};

enum class Language { en, zh };
enum class Theme { dark, light };
enum class MiddleTab { banks, sectors, timeline, shared, registers, compare, result, blocks, stream };
enum class ResultField { c, error };                    // of the Result view: C, or how far it is from the reference
enum class BlockColours { none, wave, multiprocessor }; // of the blocks on the map, as a GPU ran them
enum class CodeTab { source, ptx, machine };
enum class PlotTab { sizes, ladder, parameter, roofline, errors, device };
enum class TimeAxis { order, cycles };             // of the timeline; cycles where they are known
enum class Digits { natural, real, integer, hex }; // of registers and shared words; natural: by the register's type

struct Layout { // fractions of the window, set by dragging the splitters
    float left = 0.16f, right = 0.30f, map = 0.45f, middle = 0.30f, code = 0.62f;
    bool ladder = true, map_panel = true, banks = true, plot = true, code_panel = true, numbers = true; // Alt+letter
    bool operator==(const Layout&) const = default;
};

struct OnStage { // one or two views fill the window, beside a caption: for a projector
    bool shown = false;
    std::string first = "banks", second; // views as `gemmscope render` names them; `second` empty: one alone
    bool operator==(const OnStage&) const = default;
};

struct Course { // which step of which lesson is told, which exercise is solved, or which step of the log is seen
    std::string lesson; // its id; empty: none
    uint32_t step = 0;
    std::string exercise; // its id; empty: none
    std::string log;      // the step of the champion's log whose cause is seen; empty: none
    bool operator==(const Course&) const = default;
};

struct View {
    Subject subject;
    Selection selection;
    std::optional<Subject> baseline; // pinned by D
    std::optional<uint32_t>
        marked; // an event of the trace, marked by M: contents show what has changed between it and the step
    Language language = Language::en;
    Theme theme = Theme::dark;
    bool projector = false; // type 1.6x
    float scale = 0;        // 0: the monitor's
    MiddleTab middle_tab = MiddleTab::banks;
    CodeTab code_tab = CodeTab::source;
    PlotTab plot_tab = PlotTab::sizes;
    std::string parameter; // the one that was set last, which the plot compares the values of; empty or of
        // another kernel: the one of which most values were measured. On the map of speeds: its columns
    std::string
        second_parameter; // its rows; empty or of another kernel: the first other one; "-": no map, the values of
                          // `parameter` alone
    Digits digits = Digits::natural;
    TimeAxis time_axis = TimeAxis::cycles;
    float time_zoom = 1;    // of the cycles; 1: three k-tiles
    timing::WhatIf what_if; // of every predicted time; nothing is executed anew
    Layout layout;
    OnStage stage;
    Course course;
    std::set<std::string> open_families; // of the ladder panel; the session adds that of a kernel when it is chosen
    std::string search;                  // of the ladder panel: only kernels that it means are listed; empty: all
    float map_zoom = 1;                  // 1: the block fills the panel
    float map_x = 0, map_y = 0;          // pan, in elements of C
    BlockColours block_colours = BlockColours::none;
    ResultField result_field = ResultField::c;
    float result_zoom = 1;            // 1: all of C fits into the Result view
    float result_x = 0, result_y = 0; // pan, in elements of C from its middle
    // Of the Stream view: a size larger than what is executed here, and the middle of its magnified part as a share
    // of all its time; nothing: where the first tile is done.
    catalog::Problem stream_problem{32768, 32768, 32768};
    std::optional<float> stream_moment;
    // At which speed is shown, in every view: on the ladder, the plot, beside the baseline. What is executed here is small,
    // and at small sizes launch and latency alone are measured. The nearest size that was measured stands in.
    catalog::Problem speed_problem{4096, 4096, 4096};
    bool playing = false;
    float events_per_second = 20; // of the selected warp, while playing
    bool table = false;           // the text twin of each view instead of its picture
    Hover hover;
    bool operator==(const View&) const = default;
};

std::string to_json(const View&); // indented, stable order, without hover
// Unknown fields are ignored; a wrong one is an error that names it. Missing ones keep their defaults.
base::Result<View> view_from_json(std::string_view json);

} // namespace session
