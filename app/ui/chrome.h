// What the window itself keeps from frame to frame, beside the view: popups, notices, half-typed fields. Never saved.
#pragma once

#include "catalog/operands.h"
#include "trace/trace.h"
#include "views/table.h"

#include <imgui.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ui {

struct Notice { // a sentence at the lower edge, gone after a while or with Esc
    std::string text;
    double until = 0; // seconds, of ImGui::GetTime()
};

// `B`, `W` or `L` was pressed: digits and arrows go to that field of the transport bar until Enter or Esc.
struct Entry {
    enum class Field { none, block, warp, lane } field = Field::none;
    std::string digits;
};

// What is to be seen is in a block that has to be traced first; the selection goes to its place when that is done.
struct Jump {
    std::variant<trace::Finding, uint32_t> to; // an event: of the first block
    bool other = false;                        // to the other access of a finding that is a race
};

// What a key asks of the search field, which follows when it is drawn.
enum class SearchWish { none, focus, leave };

// On the stage the screen is one colour until the next key.
enum class Blank { none, black, white };

// What the window shows in place of its panels.
enum class Page { none, start, lessons, exercises, files, machines, log };

// What can be opened in a folder, as it was when the page of files was opened or another folder chosen.
struct FolderListing {
    std::filesystem::path folder; // empty: not read yet
    std::vector<std::filesystem::path> recent, folders, files;
};

// Lines of the kernel's source, counted from 1, that a lesson's step shows at its moment; 0: none.
struct LinesToShow {
    uint32_t first = 0, last = 0;
};

// The keyboard in the place of the mouse: from one thing that can be clicked to the next. See walk.h.
struct Walk {
    bool on = false;
    std::string name{};     // of the mark that has the focus; empty: the next one that there is
    ImVec2 aim{0.5f, 0.5f}; // where on its visible part the pointer stands
    bool pressed = false;   // the button is down in the next frame
    bool held = false;      // and stays down: what has the focus is being dragged
    bool down = false;      // the button, in the last frame
    ImVec2 real{}, at{};    // where the mouse itself is; where the pointer was put
};

struct Chrome {
    Walk walk;
    bool story = false;                     // of the kernel, over the window
    bool help = false;                      // F1
    bool glossary = false;                  // the second page of it
    std::array<char, 64> glossary_search{}; // what is typed there
    Entry entry;
    std::optional<Jump> jump;
    std::string focused_parameter; // the slider that Tab has chosen, "BM" or "m"; empty: none
    std::vector<Notice> notices;
    SearchWish search_wish = SearchWish::none;
    bool searching = false; // text is being typed into the search field
    // Frames that ImGui still has to make it active after its key; 0: it is, or nobody asked.
    int search_opens = 0;
    std::vector<ImWchar> typed_ahead; // the letters of those frames, which the field gets when it is
    bool takes_text() const { return searching || search_opens > 0; }
    double next_frame = 1e300; // when a frame is due although nothing happens, of ImGui::GetTime(); see draw_again()
    bool source_drawn = false; // in this frame: what the editor writes in is in sight
    bool fetch_drawn = false;  // in this frame: the button that fetches NVRTC
    bool computing = false;    // set by face(): the panel being drawn shows an old picture, to be dimmed
    Page page = Page::none;
    size_t page_choice = 0;                           // of its cards, by the arrows
    std::filesystem::path folder;                     // of the page of files; empty: where the program was started
    FolderListing listing;                            // of it
    std::array<char, 40> machine_name{};              // half-typed, on the page of machines
    std::array<char, 1024> machine_command{};         // likewise
    std::optional<catalog::OperandType> log_operands; // of which the log's steps are listed; nothing: of all
    std::string log_step;                             // the one that is told
    bool log_moved = false;                           // to it, since the last frame: it comes into sight
    int log_scroll = 0;                               // of its text, by keys, in the next frame
    std::optional<uint32_t> log_event;                // the step of the trace that its view came to
    std::filesystem::path recent_files;             // session::own_recent_files(); empty: nothing is kept, as in tests
    std::vector<std::filesystem::path> dropped;     // on the window, opened in the next frame
    std::vector<std::filesystem::path> class_files; // --class, read in the first frame
    Blank blank = Blank::none;
    LinesToShow lines_to_show;     // set in every frame
    bool full_screen = false;      // F11; the window obeys
    std::string headline;          // of the view that is drawn, the first of several; for who does not see the picture
    std::string panel_under_mouse; // a view as `gemmscope render` names it; of the last frame
    bool whole_window = true;      // false: one panel alone, as `gemmscope render map` draws it
    std::vector<views::Table>* tables =
        nullptr; // where the twins of the views are kept that are drawn; nullptr: nowhere
};

} // namespace ui
