#include "ui/window/keys.h"

#include "session/view_fields.h"
#include "ui/code/editor.h"
#include "ui/course/classroom.h"
#include "ui/course/log_page.h"
#include "ui/course/stage.h"
#include "ui/course/start_page.h"
#include "ui/draw/draw.h"
#include "ui/draw/notices.h"
#include "ui/result/live_result.h"
#include "ui/speed/sliders.h"
#include "ui/speed/speed.h"
#include "ui/time/schedule.h"
#include "ui/time/stepping.h"
#include "ui/window/walk.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace ui {

namespace {

using session::MiddleTab;

void toggle(bool& value) { value = !value; }

void pin_baseline(Context& context, size_t) {
    session::View& view = context.view;
    if (view.baseline && *view.baseline == view.subject) {
        view.baseline.reset();
        if (view.middle_tab == MiddleTab::compare) view.middle_tab = MiddleTab::banks;
    } else {
        view.baseline = view.subject;
    }
}

void toggle_panel(Context& context, size_t which) {
    session::Layout& layout = context.view.layout;
    bool* const panels[] = {&layout.ladder, &layout.map_panel,  &layout.banks,
                            &layout.plot,   &layout.code_panel, &layout.numbers};
    toggle(*panels[which]);
}

// On the stage B and W are a clicker's.
void begin_entry(Context& context, size_t which) {
    if (which < 2 && blank(context, which ? Blank::white : Blank::black)) return;
    constexpr std::array fields{Entry::Field::block, Entry::Field::warp, Entry::Field::lane};
    context.chrome.entry = {fields[which], ""};
}

void choose_tab(Context& context, size_t which) {
    const auto tab = static_cast<MiddleTab>(which);
    if (context.view.stage.shown) put_on_stage(context.view, panel_of(tab).id);
    context.view.middle_tab = tab;
}

// On the stage the arrows, too, are a clicker's. False: no lesson is told there.
bool turn_lesson(Context& context, int direction) {
    if (!context.view.stage.shown || !context.classroom || !context.classroom->step(context.view)) return false;
    context.classroom->turn(context, direction);
    return true;
}

// The view under the mouse, else that of the middle; from the stage back to the window.
void toggle_stage(Context& context) {
    if (context.view.stage.shown) return leave_stage(context.view);
    if (context.classroom && context.classroom->step(context.view)) {
        context.view.stage.shown = true; // as the lesson or the reader has set it
        return;
    }
    put_on_stage(context.view, context.chrome.panel_under_mouse.empty() ? panel_of(context.view.middle_tab).id
                                                                        : context.chrome.panel_under_mouse);
}

// The tab after `tab`; after the last the first.
template <class Tab>
void cycle(Tab& tab) {
    tab = static_cast<Tab>((static_cast<size_t>(tab) + 1) % session::names_of(tab).size());
}

void change_scale(Context& context, size_t which) {
    constexpr std::array factors{1.25f, 0.8f};
    const float now = context.style.unit / 4;
    context.view.scale = which == 2 ? 0 : std::clamp(now * factors[which], 0.75f, 4.0f);
}

// The Result view hides the map and takes its keys.
bool shows_result(const Context& context) {
    return context.view.middle_tab == MiddleTab::result && context.view.layout.banks;
}

// The plus and minus keys belong to the slider that Tab has chosen, else to the map or the result.
void slide_or_zoom(Context& context, size_t which) {
    if (!context.chrome.focused_parameter.empty()) return slide(context, which ? 1 : -1);
    if (shows_result(context)) {
        context.view.result_zoom =
            std::clamp(context.view.result_zoom * (which ? 1.25f : 0.8f), 1.0f, 1e4f); // the view knows closer bounds
        return;
    }
    context.view.map_zoom =
        std::clamp(context.view.map_zoom * (which ? 1.25f : 0.8f), 1e-6f, 1e4f); // the map knows closer bounds
}

// By a twelfth of the block at zoom 1, or of C in the Result view; both stop at their edges.
void pan_map(Context& context, size_t which) {
    if (shows_result(context)) {
        const catalog::Problem& size = context.view.subject.problem;
        const float step = static_cast<float>(std::max(size.m, size.n)) / 12 / context.view.result_zoom;
        (which < 2 ? context.view.result_x : context.view.result_y) += which % 2 ? step : -step;
        return;
    }
    const auto block = shown_block(context);
    if (!block || block->c < 0) return;
    const analysis::Rectangle& box = block->arrays[static_cast<size_t>(block->c)].box;
    const float step = static_cast<float>(std::max(box.rows, box.columns)) / 12 / context.view.map_zoom;
    float& pan = which < 2 ? context.view.map_x : context.view.map_y;
    pan += which % 2 ? step : -step;
}

// The whole grid, or back to the block.
void toggle_grid(Context& context, size_t) {
    if (shows_result(context)) {
        context.view.result_zoom = 1;
        context.view.result_x = context.view.result_y = 0;
        return;
    }
    context.view.map_zoom = context.view.map_zoom < 0.99f ? 1.0f : 1e-6f;
    context.view.map_x = context.view.map_y = 0;
}

void focus_search(Context& context, size_t) {
    context.view.layout.ladder = true;
    context.chrome.search_wish = SearchWish::focus;
    context.chrome.search_opens = 3;
}

// In the field Esc means the field, else what lies on top.
void escape(Context& context, size_t) {
    Chrome& chrome = context.chrome;
    if (chrome.takes_text())
        chrome.search_wish = SearchWish::leave, chrome.search_opens = 0, chrome.typed_ahead.clear();
    else if (chrome.help) chrome.help = false;
    else if (chrome.story) chrome.story = false;
    else if (!chrome.notices.empty()) chrome.notices.clear();
    else if (!context.view.search.empty()) context.view.search.clear();
    else if (!chrome.focused_parameter.empty()) chrome.focused_parameter.clear();
    else if (context.view.stage.shown) leave_stage(context.view);
    else if (!context.view.course.log.empty()) context.view.course.log.clear();
    else if (context.session.gpu().face == session::GpuState::Face::running ||
             (context.result && context.result->busy()))
        context.commands.cancel = true;
    else context.view.playing = false;
}

std::vector<KeyRow> make_table() {
    using C = Context;
    return {
        {"Space", "keys.play", {{' '}}, [](C& c, size_t) { toggle(c.view.playing); }},
        {"Left  Right",
         "keys.step",
         {{GLFW_KEY_LEFT}, {GLFW_KEY_RIGHT}},
         [](C& c, size_t i) {
             if (!turn_lesson(c, i ? 1 : -1)) step(c, i ? 1 : -1);
         },
         true},
        {"PgUp  PgDn",
         "keys.step_ten",
         {{GLFW_KEY_PAGE_UP}, {GLFW_KEY_PAGE_DOWN}},
         [](C& c, size_t i) {
             if (!turn_page(c, i ? 1 : -1)) step(c, i ? 10 : -10);
         },
         true},
        {"Home  End",
         "keys.ends",
         {{GLFW_KEY_HOME}, {GLFW_KEY_END}},
         [](C& c, size_t i) { step(c, i ? INT32_MAX : INT32_MIN); }},
        {"[  ]", "keys.barrier", {{'['}, {']'}}, [](C& c, size_t i) { step_barrier(c, i ? 1 : -1); }, true},
        {",  .", "keys.k_tile", {{','}, {'.'}}, [](C& c, size_t i) { step_k_tile(c, i ? 1 : -1); }, true},
        {"M", "keys.mark", {{'M'}}, [](C& c, size_t) { toggle_mark(c); }},
        {"O  Shift+O",
         "keys.order",
         {{'O'}, {'O', with_shift}},
         [](C& c, size_t i) { i ? next_seed(c) : next_schedule(c); }},
        {"Up  Down", "keys.rung", {{GLFW_KEY_UP}, {GLFW_KEY_DOWN}}, [](C& c, size_t i) { select_rung(c, i ? 1 : -1); }},
        {"Ctrl+Up  Down",
         "keys.family",
         {{GLFW_KEY_UP, with_control}, {GLFW_KEY_DOWN, with_control}},
         [](C& c, size_t i) { select_family(c, i ? 1 : -1); }},
        {"/  Ctrl+F", "keys.search", {{'/'}, {'F', with_control}}, focus_search},
        {"B  W  L", "keys.select", {{'B'}, {'W'}, {'L'}}, begin_entry},
        {"Tab",
         "keys.slider",
         {{GLFW_KEY_TAB}, {GLFW_KEY_TAB, with_shift}},
         [](C& c, size_t i) { focus_slider(c, i ? -1 : 1); },
         true},
        {"-  +", "keys.slide", {{'-'}, {'+'}, {'='}}, slide_or_zoom, true},
        {"<  >",
         "keys.speed_size",
         {{'<'}, {'>'}},
         [](C& c, size_t i) { step_speed_size(c, standing_now(c), i ? 1 : -1); },
         true},
        {"H", "keys.climb", {{'H'}}, [](C& c, size_t) { climb(c); }, true},
        {"Shift+arrows",
         "keys.pan",
         {{GLFW_KEY_LEFT, with_shift},
          {GLFW_KEY_RIGHT, with_shift},
          {GLFW_KEY_UP, with_shift},
          {GLFW_KEY_DOWN, with_shift}},
         pan_map,
         true},
        {"G", "keys.grid", {{'G'}}, toggle_grid},
        {"R", "keys.run", {{'R'}}, [](C& c, size_t) { c.commands.run_on_gpu = true; }},
        {"D", "keys.baseline", {{'D'}}, pin_baseline},
        {"1 \u2013 9", "keys.tabs", {{'1'}, {'2'}, {'3'}, {'4'}, {'5'}, {'6'}, {'7'}, {'8'}, {'9'}}, choose_tab},
        {"E", "keys.result_field", {{'E'}}, [](C& c, size_t) { cycle(c.view.result_field); }},
        {"C", "keys.block_colours", {{'C'}}, [](C& c, size_t) { cycle(c.view.block_colours); }},
        {"S", "keys.code", {{'S'}}, [](C& c, size_t) { cycle(c.view.code_tab); }},
        {"F4",
         "keys.edit",
         {{GLFW_KEY_F4}},
         [](C& c, size_t) {
             if (c.editor) c.editor->begin(c);
         }},
        {"P", "keys.plot", {{'P'}}, [](C& c, size_t) { cycle(c.view.plot_tab); }},
        {"T", "keys.table", {{'T'}}, [](C& c, size_t) { toggle(c.view.table); }},
        {"Alt+L M B P S N",
         "keys.panels",
         {{'L', with_alt}, {'M', with_alt}, {'B', with_alt}, {'P', with_alt}, {'S', with_alt}, {'N', with_alt}},
         toggle_panel},
        {"Ctrl+Z  Ctrl+Y",
         "keys.undo",
         {{'Z', with_control}, {'Y', with_control}},
         [](C& c, size_t i) { (i ? c.commands.redo : c.commands.undo) = true; },
         true},
        {"Ctrl+S", "keys.picture", {{'S', with_control}}, [](C& c, size_t) { c.commands.save_picture = true; }},
        {"Ctrl+C  Ctrl+V",
         "keys.copy",
         {{'C', with_control}, {'V', with_control}},
         [](C& c, size_t i) {
             const char* const text = i ? ImGui::GetClipboardText() : nullptr;
             i ? void(c.commands.paste = text ? text : "") : void(c.commands.copy_state = true);
         }},
        {"Ctrl+ + \u2013 0",
         "keys.scale",
         {{'=', with_control}, {'-', with_control}, {'0', with_control}, {'=', with_control | with_shift}},
         [](C& c, size_t i) { change_scale(c, i % 3); }},
        {"I", "keys.story", {{'I'}}, [](C& c, size_t) { toggle(c.chrome.story); }},
        {"F1", "keys.help", {{GLFW_KEY_F1}}, [](C& c, size_t) { toggle(c.chrome.help); }},
        {"F2", "keys.start_page", {{GLFW_KEY_F2}}, [](C& c, size_t) { open_page(c, Page::start); }},
        {"F3", "keys.machines", {{GLFW_KEY_F3}}, [](C& c, size_t) { open_page(c, Page::machines); }},
        {"F9", "keys.log", {{GLFW_KEY_F9}}, [](C& c, size_t) { open_log(c); }},
        {"F5", "keys.stage", {{GLFW_KEY_F5}}, [](C& c, size_t) { toggle_stage(c); }},
        {"Backspace",
         "keys.come_back",
         {{GLFW_KEY_BACKSPACE}},
         [](C& c, size_t) {
             if (has_log_line(c)) open_log(c);
             else if (c.classroom) c.classroom->come_back(c);
         }},
        {"V",
         "keys.class",
         {{'V'}},
         [](C& c, size_t) {
             if (c.classroom) c.classroom->show_class(c);
         }},
        {"Shift+F5", "keys.projector", {{GLFW_KEY_F5, with_shift}}, [](C& c, size_t) { toggle(c.view.projector); }},
        {"F8", "keys.walk", {{GLFW_KEY_F8}}, [](C& c, size_t) { begin_walk(c); }, true},
        {"F11", "keys.full_screen", {{GLFW_KEY_F11}}, [](C& c, size_t) { toggle(c.chrome.full_screen); }},
        {"F6", "keys.language", {{GLFW_KEY_F6}}, [](C& c, size_t) { cycle(c.view.language); }},
        {"F7", "keys.theme", {{GLFW_KEY_F7}}, [](C& c, size_t) { cycle(c.view.theme); }},
        {"Esc", "keys.escape", {{GLFW_KEY_ESCAPE}}, escape},
        {"Ctrl+Q", "keys.quit", {{'Q', with_control}}, [](C& c, size_t) { c.commands.quit = true; }},
    };
}

// "12" is the twelfth block, x fastest; "1,3" is x and y.
base::Dim3 block_of(const std::string& digits, base::Dim3 grid) {
    uint32_t first = 0, second = 0;
    const char* const end = digits.data() + digits.size();
    const auto [comma, error] = std::from_chars(digits.data(), end, first);
    if (error != std::errc{}) return {0, 0, 0};
    if (comma == end || *comma != ',') return base::position(first % std::max<uint64_t>(grid.count(), 1), grid);
    std::from_chars(comma + 1, end, second);
    return {first, second, 0};
}

void apply_digits(Context& context) {
    const Entry& entry = context.chrome.entry;
    if (entry.digits.empty()) return;
    int value = 0;
    std::from_chars(entry.digits.data(), entry.digits.data() + entry.digits.size(), value);
    if (entry.field == Entry::Field::warp) select_warp(context, value);
    if (entry.field == Entry::Field::lane) select_lane(context, value);
    if (entry.field == Entry::Field::block) {
        const auto block = shown_block(context);
        select_block(context, block_of(entry.digits, block ? block->trace().grid : base::Dim3{1, 1, 1}));
    }
}

// Arrows in a field: one to the side; up and down a row of the grid, or eight lanes, or one warp.
void nudge(Context& context, int right, int down) {
    const session::Selection& selection = context.view.selection;
    context.chrome.entry.digits.clear();
    switch (context.chrome.entry.field) {
    case Entry::Field::warp: return select_warp(context, std::max(selection.warp + right + down, 0));
    case Entry::Field::lane: return select_lane(context, selection.lane + right + 8 * down);
    case Entry::Field::block: {
        const auto moved = [](uint32_t at, int by) { return by < 0 && at == 0 ? 0 : at + static_cast<uint32_t>(by); };
        return select_block(context,
                            {moved(selection.block.x, right), moved(selection.block.y, down), selection.block.z});
    }
    case Entry::Field::none: return;
    }
}

// True if the half-typed field has taken the key.
bool typed(Context& context, const KeyPress& key) {
    Entry& entry = context.chrome.entry;
    if (entry.field == Entry::Field::none || (key.modifiers & (with_control | with_alt))) return false;
    const bool comma = key.key == ',' && entry.field == Entry::Field::block;
    if ((key.key >= '0' && key.key <= '9') || comma) {
        if (entry.digits.size() < 9) entry.digits.push_back(static_cast<char>(key.key));
        apply_digits(context);
        return true;
    }
    switch (key.key) {
    case GLFW_KEY_LEFT: nudge(context, -1, 0); return true;
    case GLFW_KEY_RIGHT: nudge(context, 1, 0); return true;
    case GLFW_KEY_UP: nudge(context, 0, -1); return true;
    case GLFW_KEY_DOWN: nudge(context, 0, 1); return true;
    case GLFW_KEY_BACKSPACE:
        if (!entry.digits.empty()) entry.digits.pop_back();
        apply_digits(context);
        return true;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
    case GLFW_KEY_ESCAPE: entry = {}; return true;
    default: entry = {}; return false; // any other key ends the field and means what it means
    }
}

} // namespace

const std::vector<KeyRow>& key_table() {
    static const std::vector<KeyRow> table = make_table();
    return table;
}

bool belongs_to_text(const KeyPress& press, const Chrome& chrome) {
    if (press.key >= GLFW_KEY_F1 && press.key <= GLFW_KEY_F25) return false;
    const bool means_search = press.key == GLFW_KEY_ESCAPE || press.key == GLFW_KEY_UP || press.key == GLFW_KEY_DOWN;
    return !(chrome.takes_text() && means_search && press.modifiers == no_modifier);
}

namespace {

// False: the table has no such key.
bool act(Context& context, const KeyPress& key) {
    for (const KeyRow& row : key_table())
        for (size_t i = 0; i < row.presses.size(); ++i) {
            if (row.presses[i].key != key.key || row.presses[i].modifiers != key.modifiers) continue;
            if (!key.repeat || row.repeats) row.act(context, i);
            return true;
        }
    return false;
}

} // namespace

namespace {

void press_as_capital(Context& context, const KeyPress& key) {
    const bool letter = key.key >= 'A' && key.key <= 'Z' && key.modifiers == with_shift; // or Caps Lock
    if (letter) act(context, {key.key, no_modifier, key.repeat});
}

} // namespace

void press(Context& context, const KeyPress& key) {
    if (std::exchange(context.chrome.blank, Blank::none) != Blank::none) return;
    if (walk_takes(context, key)) return;
    if (key.key == GLFW_KEY_F8) return begin_walk(context); // on every page
    if (page_takes(context, key)) return;
    const bool closes = key.key == GLFW_KEY_ESCAPE || (key.key >= GLFW_KEY_F1 && key.key <= GLFW_KEY_F25);
    if (context.chrome.help && !closes) return; // nothing moves behind what is read
    if (context.classroom && context.classroom->takes(context, key)) return context.classroom->take(context, key);
    const session::View before = context.view;
    const bool asks = before.stage.shown && context.classroom && context.classroom->asks(before);
    if (!typed(context, key) && !act(context, key)) press_as_capital(context, key);
    // Another subject, or the table of the picture, would tell the answer.
    const session::View& now = context.view;
    const bool tells = now.subject != before.subject || now.table != before.table;
    if (!asks || !tells || now.course != before.course || !now.stage.shown) return;
    context.view = before;
    notify(context, context.tr("lesson.predict_first"));
}

} // namespace ui
