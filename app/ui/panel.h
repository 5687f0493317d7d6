// What every panel gets, and the table of panels. A panel draws into the current ImGui child window; it reads the
// session and edits `view`; it keeps nothing of its own.
#pragma once

#include "session/session.h"
#include "ui/probe.h"
#include "ui/strings.h"
#include "ui/style.h"

namespace ui {

struct Context {
    const session::Session& session;
    session::View& view;          // the next view: a copy of session.view() that panels edit
    session::Commands& commands;
    const Style& style;
    const Strings& tr;            // tr("banks.title")
    Probe& probe;
};

void draw_ladder(Context&);       // rungs with % of cuBLAS
void draw_tiles(Context&);        // sliders with reasons, problem size, architecture
void draw_map(Context&);
void draw_banks(Context&);
void draw_sectors(Context&);
void draw_timeline(Context&);
void draw_shared(Context&);
void draw_registers(Context&);
void draw_code(Context&);         // source | PTX | machine
void draw_numbers(Context&);      // resources, occupancy, counters, findings; two columns with a baseline
void draw_plot(Context&);         // sizes | ladder | roofline
void draw_compare(Context&);      // the baseline beside the subject: source diff, banks, counters
void draw_transport(Context&);    // buttons, scrubber, block warp lane

// The views of `gemmscope render` that are one panel each: "map", "banks", ...
struct PanelRow {
    const char* id;
    void (*draw)(Context&);
};
extern const PanelRow panels[];
extern const int panel_count;

} // namespace ui
