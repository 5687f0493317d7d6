// The source pane as an editor: which file is edited, what keys and mouse do to it, what is kept of it on disk, what is wrong with it.
// A sample is copied with its first edit; Ctrl+Enter writes the file, and the session reads it.
#pragma once

#include "base/late_writer.h"
#include "edit/text.h"
#include "session/own_kernels.h"
#include "session/source_check.h"
#include "ui/panel.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ui {

struct KeyPress;
struct CodeHit;

class Editor {
public:
    // Without it nothing can be edited. `wake` is called from a thread when something new is ready.
    void open(session::OwnKernels, std::function<void()> wake);
    bool update(); // true if something to draw has changed
    bool busy() const { return check_ && check_->busy(); }
    void wait() {
        if (check_) check_->wait();
    }

    // A kernel of the user's own folder begins with this text, or goes on where it is there already, and is shown. For an exercise's
    // starter or a hand-in: restoring it and the difference from it are about `text`.
    enum class Keys { take, stay }; // are the editor's; stay the window's, for who only reads
    void open_own(Context&, const std::string& name, const std::string& text, Keys);
    void begin(Context&); // the keys are the editor's, and the source is in sight; again: no longer
    bool focused() const { return focused_ && now_; }

    // Once a frame: before keys are taken, and after everything was drawn.
    void follow(Context&);
    void end_frame(Context&);
    bool takes(const Context&, const KeyPress&) const;
    void take(Context&, const KeyPress&);
    void take_mouse(Context&, const CodeHit&); // over the source, which is drawn

    struct Document {
        std::filesystem::path file;
        edit::Text text;
        std::string compiled;                      // what the session has of the file
        uint64_t compilations = 0;                 // how often that has become another
        bool sample = false;                       // its first edit makes a copy
        bool theirs = false;                       // another program has written the file while there were edits
        uint64_t kept = 0;                         // the revision that the draft on disk is of
        std::vector<compile::Diagnostic> faults{}; // of `text`, each at its line as lines come and go
        bool edited() const { return text.text() != compiled; }
    };
    const Document* document() const { return now_; } // of the kernel that is shown; nullptr: it cannot be edited
    bool shows_own_text() const { return now_ && (focused_ || edited_); } // not what the session executes
    bool edited() const { return edited_; }

    // Which line of the compiled text a line is, and the reverse; from 1, 0: none.
    int compiled_line(int line) const;
    int shown_line(int compiled) const;

    enum class Shown { text, difference, versions };
    Shown shown() const { return now_ ? shown_ : Shown::text; }
    void show(Shown);
    bool finding() const { return finding_; }
    const edit::Text& wanted() const { return wanted_; } // what is searched for
    const std::vector<edit::Range>& found() const { return found_; }
    bool take_reveal() { return std::exchange(reveal_, false); } // the cursor has moved
    bool take_new_letters() { return std::exchange(new_letters_, false); }
    std::string all_text() const; // letters beyond ASCII of every text

    struct VersionRow {
        std::string time; // empty: the sample
        std::string text;
        int added = 0, removed = 0; // lines, by which the present text differs from it
    };
    const std::vector<VersionRow>& versions() const { return versions_; }
    size_t version_choice() const { return version_choice_; }

    // What the kernel began as; nothing: that is not known.
    const std::optional<std::string>& sample_text() const { return sample_text_; }

    void compile(Context&);
    void restore_sample(Context&);
    void take_version(Context&, size_t row);
    void keep_mine();
    void take_theirs(Context&);
    void leave() { focused_ = false; }
    // The cursor goes to a line of what was compiled, if that file is shown. A click for that does not end the editing.
    void point_at(const std::filesystem::path& file, int compiled_line);
    void set_place(float x, float y, float width, float height); // of the pane: a click elsewhere ends the editing

private:
    Document& document_of(const catalog::Kernel&, const std::filesystem::path&);
    void sync(const catalog::Kernel&);
    bool bring_back(Context&);
    void want_check(Context&);
    bool adopt(Context&);
    bool edit(Context&, const std::function<bool(edit::Text&)>&);
    bool take_move(const KeyPress&);
    bool take_command(Context&, const KeyPress&);
    void take_edit(Context&, const KeyPress&);
    bool take_find(Context&, const KeyPress&);
    void take_list(Context&, const KeyPress&);
    void find_next(bool forward);
    void escape();
    void map_lines() const;
    void keep();
    void list_versions();

    std::optional<session::OwnKernels> own_;
    std::unique_ptr<session::SourceCheck> check_;
    base::LateWriter writer_;
    std::map<std::filesystem::path, Document> documents_;
    Document* now_ = nullptr;
    bool focused_ = false, edited_ = false;
    std::filesystem::path focus_on_; // when its kernel is shown the keys are its editor's
    Shown shown_ = Shown::text;
    bool finding_ = false;
    edit::Text wanted_;
    std::vector<edit::Range> found_;
    uint64_t found_in_ = 0; // the revision of the text that found_ is of
    std::string found_what_;
    bool reveal_ = false, new_letters_ = false, dragging_ = false, pointed_ = false;
    double typed_at_ = 0;      // of ImGui::GetTime()
    uint64_t check_asked_ = 0; // the revision that was asked for
    int rows_in_sight_ = 20;
    std::optional<std::string> sample_text_; // while the difference is shown
    std::vector<VersionRow> versions_;
    size_t version_choice_ = 0;
    struct {
        float x = 0, y = 0, width = 0, height = 0;
    } place_;
    mutable struct {
        const Document* of = nullptr;
        uint64_t revision = 0, compilations = 0;
        std::vector<int> of_shown, of_compiled; // from 0, -1: none
    } lines_;
};

// What its keys do, for the list of all keys.
struct EditorKey {
    const char* shown; // "Tab  Shift+Tab"
    const char* help;  // key of the sentence
};
std::span<const EditorKey> editor_keys();

} // namespace ui
