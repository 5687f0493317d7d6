// What keys and the mouse do in the editor.
#include "base/utf8.h"
#include "ui/code/code_view.h"
#include "ui/code/editor.h"
#include "ui/draw/grid.h"
#include "ui/draw/notices.h"
#include "ui/key_press.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <string_view>

namespace ui {

namespace {

using edit::Move;

bool with(const KeyPress& key, int modifier) { return (key.modifiers & modifier) != 0; }

bool is_letter(const KeyPress& key) {
    return key.character >= 0x20 && !with(key, with_control) && !with(key, with_alt);
}

bool is_enter(const KeyPress& key) { return key.key == GLFW_KEY_ENTER || key.key == GLFW_KEY_KP_ENTER; }

struct Motion {
    Move move;
    size_t rows = 1;
};

std::optional<Motion> motion_of(const KeyPress& key, int page) {
    const bool far = with(key, with_control);
    switch (key.key) {
    case GLFW_KEY_LEFT: return Motion{far ? Move::word_left : Move::left};
    case GLFW_KEY_RIGHT: return Motion{far ? Move::word_right : Move::right};
    case GLFW_KEY_UP: return Motion{Move::up};
    case GLFW_KEY_DOWN: return Motion{Move::down};
    case GLFW_KEY_PAGE_UP: return Motion{Move::up, static_cast<size_t>(std::max(page - 2, 1))};
    case GLFW_KEY_PAGE_DOWN: return Motion{Move::down, static_cast<size_t>(std::max(page - 2, 1))};
    case GLFW_KEY_HOME: return Motion{far ? Move::begin : Move::line_begin};
    case GLFW_KEY_END: return Motion{far ? Move::end : Move::line_end};
    default: return {};
    }
}

constexpr std::string_view control_letters = "ACXVZYFDHS/";

} // namespace

std::span<const EditorKey> editor_keys() {
    static constexpr EditorKey keys[] = {
        {"Ctrl+Enter", "edit.key_compile"}, {"Ctrl+Z  Ctrl+Y", "edit.key_undo"},
        {"Ctrl+F", "edit.key_find"},        {"Tab  Shift+Tab", "edit.key_indent"},
        {"Ctrl+/", "edit.key_comment"},     {"Ctrl+X  C  V", "edit.key_clipboard"},
        {"Ctrl+D", "edit.key_difference"},  {"Ctrl+H", "edit.key_versions"},
        {"Esc", "edit.key_leave"},
    };
    return keys;
}

// With Alt and on function keys the window's own table goes on; letters, arrows and what an editor has with Ctrl are taken.
bool Editor::takes(const Context& context, const KeyPress& key) const {
    const Chrome& chrome = context.chrome;
    const bool behind = chrome.help || chrome.story || chrome.page != Page::none || chrome.blank != Blank::none;
    if (!focused() || behind || chrome.takes_text() || with(key, with_alt)) return false;
    if (is_letter(key) || is_enter(key) || motion_of(key, 1)) return true;
    if (key.key < 256)
        return with(key, with_control) && control_letters.find(static_cast<char>(key.key)) != std::string_view::npos;
    return key.key == GLFW_KEY_TAB || key.key == GLFW_KEY_BACKSPACE || key.key == GLFW_KEY_DELETE ||
           key.key == GLFW_KEY_ESCAPE || key.key == GLFW_KEY_F3 || key.key == GLFW_KEY_INSERT;
}

void Editor::take(Context& context, const KeyPress& key) {
    if (is_enter(key) && with(key, with_control)) return compile(context);
    if (key.key == GLFW_KEY_ESCAPE) return escape();
    if (shown_ != Shown::text) {
        if (with(key, with_control)) (void)take_command(context, key);
        else take_list(context, key);
        return;
    }
    if (key.key == GLFW_KEY_F3) return find_next(!with(key, with_shift));
    if (finding_ && take_find(context, key)) return;
    if (take_move(key) || take_command(context, key)) return;
    take_edit(context, key);
}

void Editor::escape() {
    if (shown_ != Shown::text) shown_ = Shown::text;
    else if (finding_) finding_ = false;
    else leave();
}

bool Editor::take_move(const KeyPress& key) {
    const auto motion = motion_of(key, rows_in_sight_);
    if (!motion) return false;
    const bool scrolls = with(key, with_control) && (motion->move == Move::up || motion->move == Move::down);
    if (scrolls) return true; // the window's families do not follow an editor's habit
    now_->text.move(motion->move, with(key, with_shift), motion->rows);
    reveal_ = true;
    return true;
}

bool Editor::take_command(Context& context, const KeyPress& key) {
    if (!with(key, with_control) || key.key >= 256) return false;
    edit::Text& text = now_->text;
    switch (key.key) {
    case 'A': text.select({0, text.text().size()}); break;
    case 'X':
    case 'C': {
        if (text.selection().empty()) text.select_line(text.cursor());
        ImGui::SetClipboardText(std::string(text.selected()).c_str());
        if (key.key == 'X') edit(context, [](edit::Text& t) { return t.erase(Move::left), true; });
        break;
    }
    case 'V': {
        const char* const held = ImGui::GetClipboardText();
        if (held && *held) edit(context, [&](edit::Text& t) { return t.paste(held); });
        break;
    }
    case 'Z':
    case 'Y':
        if (now_->sample) break; // nothing was edited
        edit(context, [&](edit::Text& t) {
            (void)(key.key == 'Y' || with(key, with_shift) ? t.redo() : t.undo());
            return true;
        });
        break;
    case 'F':
        finding_ = true;
        if (const auto chosen = text.selected(); !chosen.empty() && chosen.find('\n') == std::string_view::npos)
            wanted_ = edit::Text(std::string(chosen));
        wanted_.select({0, wanted_.text().size()});
        break;
    case 'D': show(shown_ == Shown::difference ? Shown::text : Shown::difference); break;
    case 'H': show(shown_ == Shown::versions ? Shown::text : Shown::versions); break;
    case 'S': notify(context, say(context, "edit.kept", own_->history(now_->file).string())); break;
    case '/': edit(context, [](edit::Text& t) { return t.toggle_comment(); }); break;
    default: break;
    }
    return true;
}

void Editor::take_edit(Context& context, const KeyPress& key) {
    const bool far = with(key, with_control), shift = with(key, with_shift);
    if (is_letter(key)) return void(edit(context, [&](edit::Text& t) { return t.type(base::utf8(key.character)); }));
    if (is_enter(key)) return void(edit(context, [](edit::Text& t) { return t.new_line(); }));
    if (key.key == GLFW_KEY_TAB)
        return void(edit(context, [&](edit::Text& t) { return shift ? t.outdent(), true : t.indent(); }));
    if (key.key == GLFW_KEY_BACKSPACE)
        return void(edit(context, [&](edit::Text& t) { return t.erase(far ? Move::word_left : Move::left), true; }));
    if (key.key == GLFW_KEY_DELETE)
        return void(edit(context, [&](edit::Text& t) { return t.erase(far ? Move::word_right : Move::right), true; }));
}

void Editor::find_next(bool forward) {
    const edit::Range now = now_->text.selection();
    const auto found = edit::find(now_->text.text(), wanted_.text(), forward ? now.last : now.first, forward);
    if (!found) return;
    now_->text.select(*found);
    reveal_ = true;
}

// False: the key is the text's. The field has the letters, the cursor's keys and Enter.
bool Editor::take_find(Context& context, const KeyPress& key) {
    if (is_enter(key)) {
        find_next(!with(key, with_shift));
        return true;
    }
    const auto motion = motion_of(key, 1);
    if (motion && (motion->move == Move::up || motion->move == Move::down)) {
        find_next(motion->move == Move::down);
        return true;
    }
    if (motion) {
        wanted_.move(motion->move, with(key, with_shift));
        return true;
    }
    if (with(key, with_control) && key.key == 'V') {
        const char* const held = ImGui::GetClipboardText();
        const std::string_view line = held ? std::string_view(held) : std::string_view();
        wanted_.paste(line.substr(0, std::min<size_t>(line.find('\n'), 200)));
    } else if (with(key, with_control)) {
        return false;
    } else if (is_letter(key) && wanted_.text().size() < 200) {
        wanted_.type(base::utf8(key.character));
        new_letters_ = new_letters_ || key.character >= 0x80;
    } else if (key.key == GLFW_KEY_BACKSPACE) {
        wanted_.erase(Move::left);
    } else if (key.key == GLFW_KEY_DELETE) {
        wanted_.erase(Move::right);
    } else {
        return true;
    }
    // The first place from where the search began.
    now_->text.place_cursor(now_->text.selection().first);
    find_next(true);
    (void)context;
    return true;
}

void Editor::take_list(Context& context, const KeyPress& key) {
    if (shown_ != Shown::versions || versions_.empty()) return;
    if (key.key == GLFW_KEY_UP && version_choice_ > 0) --version_choice_;
    if (key.key == GLFW_KEY_DOWN && version_choice_ + 1 < versions_.size()) ++version_choice_;
    if (is_enter(key)) take_version(context, version_choice_);
}

void Editor::take_mouse(Context& context, const CodeHit& hit) {
    rows_in_sight_ = hit.rows_in_sight;
    if (!now_ || hit.line < 0) return;
    const auto at = [&] { return now_->text.at({static_cast<size_t>(hit.line), hit.column}); };
    if (!focused_) {
        if (!hit.double_clicked) return;
        begin(context);
        now_->text.place_cursor(at());
        return;
    }
    if (hit.double_clicked) {
        now_->text.select_word(at());
    } else if (hit.pressed) {
        now_->text.place_cursor(at(), ImGui::GetIO().KeyShift);
        dragging_ = true;
    } else if (dragging_ && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2)) {
        now_->text.place_cursor(at(), true);
        reveal_ = true;
    }
}

} // namespace ui
