// Dear ImGui around the panels, without knowing what shows it: a window, a buffer without a display, or a test.
#pragma once

#include "base/job.h"
#include "ui/code/editor.h"
#include "ui/course/classroom.h"
#include "ui/course/workbench.h"
#include "ui/draw/fonts.h"
#include "ui/panel.h"
#include "ui/result/live_result.h"
#include "ui/window/keys.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ui {

// What kernels, lessons and exercises bring beyond the tables. In English headings show the first alone: Chinese glyphs for them would
// take half of the time in which type is made.
struct Characters {
    CharacterSet english, all;
};
Characters operator+(Characters, const Characters&);

class Gui {
public:
    // Of the kernels: characters_of(). `pictures`: that others make, too. With `wake`, which is called from another thread when
    // type_came() has news, all type but the first is made beside the frames; without it, they wait for it.
    Gui(Strings, Characters, std::shared_ptr<Pictures> pictures = std::make_shared<Pictures>(),
        std::function<void()> wake = {});
    ~Gui();
    Gui(const Gui&) = delete;
    Gui& operator=(const Gui&) = delete;

    // Takes language, theme and size of type from the view, the first and the last once their type is made. True if the font atlas is
    // new: its texture must be made again.
    // `monitor_scale`: 1 to 2 or more, used where the view does not say. `density`: Style's.
    bool prepare(const session::View&, float monitor_scale, float density = 1);

    // The kernels bring these characters now. Those that are new come into the font atlas with the next prepare().
    void know(Characters);

    bool makes_type() const { return type_jobs_.busy() || made_type_; }
    bool type_came(); // the next prepare() has it

    // One frame into ImGui's draw data: keys, then `draw`, then the edited view goes to the session. Returns the commands
    // that the window itself must follow (picture, clipboard, quit). ImGui's display size and mouse are set by the caller.
    session::Commands frame(session::Session&, std::span<const KeyPress>, const std::function<void(Context&)>& draw);

    // Gives up the draw lists of panels and tooltips that are not shown. ImGui would do so in the first frame after a minute without
    // any, while somebody waits for it.
    void rest();

    // Whether input is left for the next frame, which should then follow although nothing happens.
    bool input_waits() const;

    Chrome& chrome() { return chrome_; }
    Probe& probe() { return probe_; }
    Classroom& classroom() { return classroom_; } // without lessons until they are opened
    Workbench& workbench() { return workbench_; } // without exercises until they are opened
    Editor& editor() { return editor_; }          // edits nothing until it is opened
    LiveResult& result() { return result_; }      // opened by whoever has an OpenGL context, which must outlive this
    const Style& style() const { return style_; }
    const Strings& strings() const { return strings_; }

private:
    // What type is made for.
    struct TypeKey {
        float type = 0, unit = 0, density = 0; // Style's
        bool stage = false;                    // likewise
        session::Language language = session::Language::en;
        uint64_t characters = 0; // characters_known_
        bool operator==(const TypeKey&) const = default;
    };

    bool follow_type(const TypeKey& wanted);
    TypeWish type_wish(const TypeKey&) const;
    void sort_letters();
    void press_all(Context&, std::span<const KeyPress>);

    struct Destroy {
        void operator()(ImGuiContext* context) const { ImGui::DestroyContext(context); }
    };
    Strings strings_;
    Characters characters_;
    uint64_t characters_known_ = 0; // goes up with each that is new
    std::unique_ptr<ImGuiContext, Destroy> imgui_;
    Style style_;
    Probe probe_;
    Chrome chrome_;
    std::shared_ptr<Pictures> pictures_;
    LiveResult result_;
    Classroom classroom_;
    Workbench workbench_;
    Editor editor_;
    std::vector<KeyPress> waiting_; // for the letters that were typed before them
    bool slash_due_ = false;        // the "/" that opened the search field is not among ImGui's letters yet
    TypeKey shown_type_, asked_type_;
    std::optional<Type> made_type_; // of asked_type_
    const bool type_beside_;
    base::Jobs type_jobs_; // last: it is joined before what its deliveries set goes
};

// Every character of the kernel files and of the families' titles.
Characters characters_of(const catalog::Catalog&);
Characters characters_of(const lesson::Lessons&);
Characters characters_of(const exercise::Exercises&);
Characters characters_of(const Editor&); // of every text in it

} // namespace ui
