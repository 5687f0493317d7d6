// What every panel gets, and the table of panels. A panel draws into the current ImGui child window; it reads the
// session and edits `view`; it keeps nothing of its own.
//
// Titles: map, ladder, tiles and numbers begin with heading(); code and plot begin with tab_row(); banks, sectors,
// timeline, shared and registers stand below the tabs that the frame draws and begin with their own first line.
// Hover: read what the mouse was over from session.view().hover (the last frame's, complete); write what it is over
// now to view.hover, which every frame begins empty. Clicks go to view.selection.
// Keys: none in panels; all of them are in keys.cpp.
#pragma once

#include "session/session.h"
#include "ui/chrome.h"
#include "ui/probe.h"
#include "ui/style.h"
#include "ui/views.h"
#include "views/pictures.h"
#include "views/strings.h"

#include <span>
#include <string_view>

namespace ui {

class LiveResult;
class Classroom;
class Workbench;
class Editor;

struct Context {
    const session::Session& session;
    session::View& view; // the next view: a copy of session.view() that panels edit
    session::Commands& commands;
    const Style& style;
    const Strings& tr; // tr("banks.title")
    Probe& probe;
    Pictures& pictures; // what the views derive from the products; the window owns it
    Chrome& chrome;
    LiveResult* result = nullptr;   // C and its picture; nullptr: this window shows none
    Classroom* classroom = nullptr; // the lesson that is walked; nullptr: this window has none
    Workbench* workbench = nullptr; // the exercise that is solved; likewise
    Editor* editor = nullptr;       // of the source; nullptr: it is only shown
};

void draw_ladder(Context&); // rungs with % of cuBLAS
void draw_tiles(Context&);  // sliders with reasons, problem size, architecture
void draw_map(Context&);
void draw_banks(Context&);
void draw_sectors(Context&);
void draw_timeline(Context&);
void draw_shared(Context&);
void draw_registers(Context&);
void draw_code(Context&);      // source | PTX | machine
void draw_numbers(Context&);   // resources, occupancy, counters, findings; two columns with a baseline
void draw_plot(Context&);      // sizes | ladder | parameter | roofline | errors | device
void draw_compare(Context&);   // the baseline beside the subject: source diff, banks, counters
void draw_result(Context&);    // C's values as a picture, of the CPU engine or of a GPU run here
void draw_blocks(Context&);    // which multiprocessor of a GPU ran which block when
void draw_stream(Context&);    // how a product larger than the GPU's memory goes through it
void draw_transport(Context&); // buttons, scrubber, block warp lane

// Every view by itself, as `gemmscope render` and the stage name it. Those of the middle are the tabs in the order of
// session::MiddleTab, whose names they have.
struct PanelRow {
    const char* id;    // "map", "banks"
    const char* title; // key of its heading in the tables
    void (*draw)(Context&);
    void (*prepare)(session::View&); // sets what makes the panel show the view: a tab
    float slide_width;               // alone on a picture of 16 to 9, in pixels at 1x: a wider picture gets larger type
    bool large = false;              // of the middle: takes the map's room, too
};
std::span<const PanelRow> panels();
const PanelRow* find_panel(std::string_view id); // nullptr if there is none
const PanelRow& panel_of(session::MiddleTab);
const PanelRow& panel_of(session::PlotTab);
// The window shows it: its tab, and its panel where that was hidden. False: there is none.
bool show_view(session::View&, std::string_view id);
// "What am I looking at": a sentence in the language in use; "" if there is no view of that id.
const char* about(const Context&, std::string_view view);

} // namespace ui
