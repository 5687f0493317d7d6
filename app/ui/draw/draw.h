// Drawing primitives that several panels share. Everything in pixels of the current window, on its draw list.
#pragma once

#include "base/text.h"
#include "ui/panel.h"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace ui {

struct Rect { // of the screen, in pixels
    float x = 0, y = 0, width = 0, height = 0;
    float right() const { return x + width; }
    float bottom() const { return y + height; }
    bool contains(ImVec2 p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
};
Rect free_area(); // what is left of the current window below the cursor

// Panel title in the heading font with an optional dim remark at the right; leaves the cursor below.
void heading(Context&, std::string_view title, std::string_view remark = {});
// A line of tabs, or more where one is too narrow, the current one underlined, with an optional dim remark at the right. Returns
// the tab now current.
// Marks "tab.<id>.<n>"; leaves the cursor below.
int tab_row(Context&, const char* id, std::span<const char* const> labels, int current, std::string_view remark = {});
inline int tab_row(Context& context, const char* id, std::initializer_list<const char*> labels, int current,
                   std::string_view remark = {}) {
    return tab_row(context, id, std::span(labels.begin(), labels.size()), current, remark);
}

// The four faces. Returns true if there is a value to draw; draws the empty and failed faces itself (the sentence of
// the error and its way out). While computing over an old value it returns true and the frame dims the picture and
// says so: the panel draws as always.
template <class T>
bool face(Context&, const session::Slot<T>&);
bool face(Context&, int face, bool has_value, const session::Failed*, float progress);
// A sentence in the middle of the free area, for a panel that has nothing to show at this step.
void sentence(Context&, std::string_view text);

// "label   1,234 unit", the number right-aligned in mono, the unit dim, marked for a moment when it has changed.
void number_row(Context&, const char* label, std::string_view value, std::string_view unit, const char* tooltip);
// True for a moment after `value` has changed since an earlier frame. `id` is unique in the current window.
bool changed(Context&, const char* id, std::string_view value);

// Text on the draw list; `at` is its upper left corner.
void text(ImFont*, ImVec2 at, ImU32 colour, std::string_view);
void text_right(ImFont*, ImVec2 upper_right, ImU32 colour, std::string_view);
void text_centred(ImFont*, const Rect&, ImU32 colour, std::string_view);
ImVec2 text_size(ImFont*, std::string_view);
// In lines of at most `width` (wrap.h). Returns the height.
float text_wrapped(ImFont*, ImVec2 at, float width, ImU32 colour, std::string_view);
ImVec2 wrapped_size(ImFont*, float width, std::string_view);
// At the cursor, in lines as wide as there is room, in ImGui's present font and colour.
void paragraph(std::string_view);
// Draws `text` cut at `width` with an ellipsis; the whole text is the tooltip then. Returns the width used.
float text_cut(Context&, ImFont*, ImVec2 at, float width, ImU32 colour, std::string_view);

// Writes line after line, each cut at the panel's edge, and leaves the cursor below.
class TextLines {
public:
    explicit TextLines(Context& context) : context_(context), area_(free_area()), y_(area_.y) {}
    void add(ImFont*, ImU32 colour, const std::string& words,
             float less = 0); // `less`: of the width, at the right
    void end() const;

private:
    Context& context_;
    Rect area_;
    float y_;
};

// Is the mouse over the rectangle, with the current window the topmost there and nothing being dragged?
bool hovered(const Rect&);
bool clicked(const Rect&);              // and its left button has just gone down
bool clicked_without_drag(const Rect&); // its left button was pressed and let go there, and did not move between
// What the mouse wants of a picture that zooms by the wheel and pans by dragging from anywhere on it. `id`: of the current window.
struct PanZoom {
    double factor = 1; // about the mouse
    ImVec2 drag{};     // pixels since the last frame
};
PanZoom pan_zoom(const Rect&, const char* id);
// Wrapped tooltip beside the mouse. Call it when hovered().
void tooltip(Context&, std::string_view text);
// A flat button with a label; marks `name`.
bool button(Context&, const char* name, const char* label, bool on = false, bool enabled = true);
// Such buttons side by side, ending at `right`, their labels on the line at `y`; none if they would begin left of `left`. `on`: the
// one that is, -1 for none. Leaves the cursor where it is. Returns the index of the one that was clicked, else -1; `start`
// becomes where the first begins.
struct ButtonLabel {
    const char* name;
    const char* label;
};
int button_row(Context&, std::span<const ButtonLabel>, float left, float right, float y, int on = -1,
               float* start = nullptr);

// Ask for a frame in `seconds` (a mark that ends then). Idle, the window draws nothing until something asks.
void draw_again(Context&, double seconds);

// "PTX" or "SASS": what is executed, and so what counts count.
const char* executed_program(const Context&);

using base::thousands;
std::string gflops(double value); // "51.4 TFLOPS", "812 GFLOPS"

template <class T>
bool face(Context& context, const session::Slot<T>& slot) {
    return face(context, static_cast<int>(slot.face), slot.value != nullptr, slot.failed ? &*slot.failed : nullptr,
                slot.progress);
}

} // namespace ui
