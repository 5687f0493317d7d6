#include "ui/window/gui.h"

#include "ui/code/findings.h"
#include "ui/course/log_page.h"
#include "ui/course/open_files.h"
#include "ui/course/stage.h"
#include "ui/window/walk.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {

namespace {

constexpr const char* type_job = "type";

#if IMGUI_VERSION_NUM < 18700
// ImGui looks at the keys once a frame and misses one that was pressed and let go in between: it is down for this frame.
class Taps {
public:
    explicit Taps(std::span<const KeyPress> keys) {
        for (const KeyPress& key : keys) {
            if (key.key < 256 || key.key >= IM_ARRAYSIZE(io_.KeysDown) || io_.KeysDown[key.key]) continue;
            io_.KeysDown[key.key] = true;
            down_.push_back(key.key);
        }
    }
    ~Taps() {
        for (const int key : down_) io_.KeysDown[key] = false;
    }
    Taps(const Taps&) = delete;
    Taps& operator=(const Taps&) = delete;

private:
    ImGuiIO& io_ = ImGui::GetIO();
    std::vector<int> down_;
};
#endif

} // namespace

Gui::Gui(Strings strings, Characters characters, std::shared_ptr<Pictures> pictures, std::function<void()> wake)
    : strings_(std::move(strings)), characters_(std::move(characters)), imgui_(ImGui::CreateContext()),
      pictures_(std::move(pictures)), result_(wake), type_beside_(wake), type_jobs_(1, std::move(wake)) {
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr; // the layout is part of the view
    io.LogFilename = nullptr;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    io.ConfigMemoryCompactTimer = FLT_MAX; // never in a frame: rest() does it
}

Gui::~Gui() = default;

bool Gui::prepare(const session::View& view, float monitor_scale, float density) {
    const ImVec2 size = ImGui::GetIO().DisplaySize; // of the last frame; none before the first
    const bool page = chrome_.page != Page::none, stage = (view.stage.shown || page) && size.x > 0 && size.y > 0;
    const float scale =
        stage ? stage_scale(size) : std::clamp(view.scale > 0 ? view.scale : monitor_scale, 0.75f, 4.0f);
    const bool for_the_class = stage && (!page || chrome_.page == Page::log); // read from the back row
    const float larger = for_the_class || (!stage && view.projector) ? 1.6f : stage ? 1.3f : 1.0f;
    const bool fresh =
        follow_type({scale * larger, std::round(4 * scale), density, stage, view.language, characters_known_});
    const bool dark = view.theme == session::Theme::dark;
    if (fresh || dark != style_.dark) {
        style_.dark = dark;
        style_.colour = palette(view.theme);
        apply(style_, ImGui::GetStyle());
    }
    return fresh;
}

// Asks for type that is not the one shown, and takes it as soon as it is made. Until then everything stays in the size and the language
// that it has.
bool Gui::follow_type(const TypeKey& wanted) {
    type_jobs_.collect();
    if (wanted == shown_type_) {
        type_jobs_.cancel(type_job);
        made_type_.reset();
        asked_type_ = wanted;
    } else if (wanted != asked_type_) {
        asked_type_ = wanted;
        made_type_.reset();
        type_jobs_.start(
            type_job, [wish = type_wish(wanted)](const std::stop_token& stop) { return make_type(wish, stop); },
            [this](Type made) { made_type_ = std::move(made); });
    }
    if (!style_.text || !type_beside_) type_jobs_.wait();
    if (!made_type_) return false;
    use_type(*made_type_, *ImGui::GetIO().Fonts, style_);
    style_.unit = asked_type_.unit;
    strings_.use(asked_type_.language);
    if (made_type_->notice) chrome_.notices.push_back({strings_(made_type_->notice)});
    made_type_.reset();
    shown_type_ = asked_type_;
    return true;
}

TypeWish Gui::type_wish(const TypeKey& key) const {
    using session::Language;
    CharacterSet english, all = characters_.all, headings = characters_.english;
    english.add(strings_.text_in(Language::en));
    all.add(english), all.add(strings_.text_in(Language::zh));
    headings.add(english);
    std::vector<uint32_t> every = all.list();
    return {key.type, key.density, key.stage, every, key.language == Language::zh ? every : headings.list()};
}

bool Gui::type_came() { return type_jobs_.collect(); }

void Gui::know(Characters characters) {
    if (!characters_.english.holds(characters.english) || !characters_.all.holds(characters.all)) ++characters_known_;
    characters_ = std::move(characters);
}

void Gui::rest() {
    for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
        if (!window->Active && !window->MemoryCompacted) ImGui::GcCompactTransientWindowBuffers(window);
}

bool Gui::input_waits() const {
#if IMGUI_VERSION_NUM >= 18700
    return !waiting_.empty() || !imgui_->InputEventsQueue.empty();
#else
    return !waiting_.empty(); // ImGui takes everything at once
#endif
}

// The letters of this frame. ImGui makes the search field active a frame or two after its key; the letters of a fast typist
// come before. They may come late, too, even the "/": from 1.87 on ImGui spreads fast input over frames.
void Gui::sort_letters() {
    ImVector<ImWchar>& letters = ImGui::GetIO().InputQueueCharacters;
    auto& ahead = chrome_.typed_ahead;
    if (slash_due_) {
        const ImWchar* slash = std::find(letters.begin(), letters.end(), ImWchar('/'));
        const bool came = slash != letters.end();
        if (!letters.empty()) letters.erase(letters.begin(), came ? slash + 1 : slash);
        slash_due_ = !came && input_waits();
    }
    if (chrome_.search_opens > 0) {
        ahead.insert(ahead.end(), letters.begin(), letters.end());
        letters.resize(0);
        return;
    }
    if (chrome_.searching)
        for (size_t i = 0; i < ahead.size(); ++i) letters.insert(letters.begin() + i, ahead[i]);
    ahead.clear();
}

// After ImGui's NewFrame: WantTextInput then says whether the last frame drew an active field, not the one
// before it.
void Gui::press_all(Context& context, std::span<const KeyPress> keys) {
    const bool typing = ImGui::GetIO().WantTextInput;
    std::vector<KeyPress> all = std::exchange(waiting_, {});
    const bool letters_come =
        input_waits() || !ImGui::GetIO().InputQueueCharacters.empty() || !chrome_.typed_ahead.empty();
    all.insert(all.end(), keys.begin(), keys.end());
    for (const KeyPress& key : all) {
        if (editor_.takes(context, key)) {
            editor_.take(context, key);
            continue;
        }
        const bool opens = chrome_.search_opens > 0, chooses = key.key == GLFW_KEY_UP || key.key == GLFW_KEY_DOWN;
        if ((typing || opens) && belongs_to_text(key, chrome_)) continue;
        if (chooses && (opens || (typing && letters_come))) {
            waiting_.push_back(key); // among what all letters before it find
            continue;
        }
        press(context, key);
        if (!opens && chrome_.search_opens > 0) slash_due_ = key.key == '/'; // the field gets what is behind it
    }
}

session::Commands Gui::frame(session::Session& session, std::span<const KeyPress> keys,
                             const std::function<void(Context&)>& draw) {
    session::View view = session.view();
    view.hover = {};
    session::Commands commands;
    Context context{session,    view,    commands, style_,      strings_,    probe_,
                    *pictures_, chrome_, &result_, &classroom_, &workbench_, &editor_};
    put_pointer(chrome_, probe_.marks());
    probe_.begin_frame();
    chrome_.next_frame = 1e300;
#if IMGUI_VERSION_NUM < 18700
    const Taps taps(keys);
#endif
    ImGui::NewFrame();
    editor_.follow(context);
    press_all(context, keys);
    sort_letters();
    follow_jump(context);
    if (!chrome_.dropped.empty()) open_files(context, std::exchange(chrome_.dropped, {}));
    if (!chrome_.class_files.empty()) open_class(context, std::exchange(chrome_.class_files, {}));
    classroom_.follow(context);
    follow_log(context);
    workbench_.follow(context);
    chrome_.headline.clear();
    chrome_.searching = chrome_.source_drawn = chrome_.fetch_drawn =
        false; // the field and the pane say so when they are drawn
    draw(context);
    editor_.end_frame(context);
    if (editor_.take_new_letters()) know(characters_ + characters_of(editor_));
    end_walk_frame(context);
    chrome_.search_opens = chrome_.searching ? 0 : std::max(chrome_.search_opens - 1, 0);
    ImGui::Render();
    session.apply(view, commands);
    if (commands.run_on_gpu && !session.shows_stream()) result_.run(session);
    if (commands.cancel) result_.cancel();
    return commands;
}

Characters operator+(Characters a, const Characters& b) {
    a.english.add(b.english), a.all.add(b.all);
    return a;
}

namespace {

void add(Characters& to, const std::string& english, const std::string& chinese) {
    to.english.add(english), to.all.add(english), to.all.add(chinese);
}
void add(Characters& to, const catalog::Text& text) { add(to, text.en, text.zh); }

} // namespace

Characters characters_of(const catalog::Catalog& catalog) {
    Characters all;
    for (const auto& kernel : catalog.kernels) add(all, kernel->title.en + kernel->idea.en, kernel->source);
    for (const auto& family : catalog.families) add(all, family.title);
    return all;
}

Characters characters_of(const exercise::Exercises& exercises) {
    Characters all;
    for (const auto& one : exercises.exercises) {
        add(all, one->title), add(all, one->text);
        for (const exercise::Step& step : one->steps) {
            add(all, step.title);
            for (const exercise::Rule& rule : step.rules) add(all, rule.say), add(all, rule.hint);
        }
    }
    return all;
}

Characters characters_of(const lesson::Lessons& lessons) {
    Characters all;
    const auto add_text = [&all](const auto& of) {
        if constexpr (std::is_same_v<decltype(of.en), std::string>) add(all, of.en, of.zh);
        else add(all, plain_text(of.en), plain_text(of.zh));
    };
    for (const auto& lesson : lessons.lessons) {
        add_text(lesson->title), add_text(lesson->teachers);
        for (const lesson::Step& step : lesson->steps) {
            add_text(step.title), add_text(step.scene.label), add_text(step.text);
            if (!step.question) continue;
            add_text(step.question->title), add_text(step.question->ask), add_text(step.question->explanation);
            for (const lesson::Text& item : step.question->items) add_text(item);
        }
    }
    return all;
}

Characters characters_of(const Editor& editor) {
    Characters all;
    all.all.add(editor.all_text());
    return all;
}

} // namespace ui
