#include "ui/course/start_page.h"

#include "ui/course/classroom.h"
#include "ui/course/log_page.h"
#include "ui/course/machines_page.h"
#include "ui/course/open_files.h"
#include "ui/course/stage.h"
#include "ui/course/workbench.h"
#include "ui/draw/grid.h"
#include "ui/draw/notices.h"
#include "ui/draw/surface.h"
#include "ui/draw/wrap.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace ui {
namespace {

namespace fs = std::filesystem;

struct Card {
    std::string name, title, text; // name: of its mark
    std::function<void(Context&)> act;
};
struct Cards {
    size_t columns = 1;
    float height = 0; // of a card, in heights of a line
    std::vector<Card> cards;
};

// The ladder from its first rung, where the picture needs no words: a warp's read of A touches 32 sectors. Few views, and the rest a
// key away.
void explore(Context& context) {
    session::View& view = context.view;
    const auto& ladder = context.session.catalog().of_family("ladder");
    if (!ladder.empty()) view.subject.kernel = ladder.front()->id;
    view.subject.parameters.clear();
    view.subject.breaks.clear();
    view.selection = {};
    view.middle_tab = session::MiddleTab::sectors;
    view.layout.numbers = false; // a line in its place says whether C is right, and opens it
    view.course = {};
    leave_stage(view);
    context.chrome.page = Page::none;
}

// "4" of "04_bank_conflicts"; a tour, 00, has none.
std::string number_of(const std::string& id) {
    const size_t first = id.find_first_not_of('0'), end = id.find('_');
    const std::string number = first < end && end != id.npos ? id.substr(first, end - first) : std::string();
    return number.find_first_not_of("0123456789") == number.npos ? number : std::string();
}

Cards doors(Context& context) {
    size_t lessons = 0;
    if (context.classroom && context.classroom->lessons())
        for (const auto& lesson : context.classroom->lessons()->lessons) lessons += !number_of(lesson->id).empty();
    const size_t exercises =
        context.workbench && context.workbench->exercises() ? context.workbench->exercises()->exercises.size() : 0;
    const bool narrow =
        ImGui::GetIO().DisplaySize.x < 60 * context.style.text->FontSize; // five would have a word a line
    return {narrow ? 3u : 5u,
            6.4f,
            {{"start.course", context.tr("start.course"), say(context, "start.course_text", lessons),
              [](Context& c) { open_page(c, Page::lessons); }},
             {"start.explore", context.tr("start.explore"), context.tr("start.explore_text"), explore},
             {"start.exercises", context.tr("start.exercises"), say(context, "start.exercises_text", exercises),
              [](Context& c) { open_page(c, Page::exercises); }},
             {"start.log", context.tr("start.log"), say(context, "start.log_text", entries(context.tr.log()).size()),
              [](Context& c) { open_log(c); }},
             {"start.open", context.tr("start.open"), context.tr("start.open_text"),
              [](Context& c) { open_page(c, Page::files); }}}};
}

std::string numbered(const std::string& number, const std::string& title) {
    return number.empty() ? title : number + " · " + title;
}

Cards lessons(Context& context) {
    Cards page{3, 4.5f, {}};
    if (!context.classroom || !context.classroom->lessons()) return page;
    for (const auto& lesson : context.classroom->lessons()->lessons)
        page.cards.push_back({"lesson." + lesson->id,
                              numbered(number_of(lesson->id), lesson->title.in(context.tr.language())),
                              say(context, "start.lesson_line", lesson->steps.size(), lesson->minutes),
                              [id = lesson->id](Context& c) { c.classroom->start(c, id); }});
    return page;
}

Cards exercises(Context& context) {
    Cards page{2, 4, {}};
    if (!context.workbench || !context.workbench->exercises()) return page;
    size_t number = 0;
    for (const auto& one : context.workbench->exercises()->exercises)
        page.cards.push_back({"exercise." + one->id, numbered(std::to_string(++number), context.tr(one->title)),
                              say(context, "start.lesson_line", one->steps.size(), one->minutes),
                              [id = one->id](Context& c) { c.workbench->start(c, id); }});
    return page;
}

void open_folder(Context& context, const fs::path& folder) {
    context.chrome.folder = folder;
    context.chrome.page_choice = 0;
}

// What was opened last, then the folder: the one above, folders, files.
Cards files(Context& context) {
    Cards page{2, 2.4f, {}};
    Chrome& chrome = context.chrome;
    std::error_code error;
    if (chrome.folder.empty()) chrome.folder = fs::current_path(error);
    if (error) chrome.folder = "/";
    if (chrome.listing.folder != chrome.folder) chrome.listing = read_folder(chrome.folder, chrome.recent_files);
    const auto file_card = [&](const fs::path& file, const std::string& where) {
        page.cards.push_back({"file." + file.filename().string(), file.filename().string(), where,
                              [file](Context& c) { open_files(c, {file}); }});
    };
    const auto folder_card = [&](const std::string& name, const std::string& title, const std::string& words,
                                 const fs::path& to) {
        page.cards.push_back({"file." + name, title, words, [to](Context& c) { open_folder(c, to); }});
    };
    for (const fs::path& file : chrome.listing.recent)
        file_card(file, fmt::format("{} · {}", context.tr("start.recent"), file.parent_path().string()));
    const fs::path above = chrome.folder.parent_path();
    if (chrome.folder.has_relative_path()) folder_card("up", "..", above.string(), above);
    for (const fs::path& one : chrome.listing.folders)
        folder_card(one.filename().string(), one.filename().string() + "/", context.tr("start.folder"), one);
    const auto& all = chrome.listing.files;
    const auto answers =
        std::count_if(all.begin(), all.end(), [](const fs::path& p) { return p.extension() == ".jsonl"; });
    if (answers > 1)
        page.cards.push_back({"file.class", say(context, "start.class", answers), context.tr("start.class_text"),
                              [folder = chrome.folder](Context& c) { open_files(c, {folder}); }});
    for (const fs::path& file : chrome.listing.files) file_card(file, file.parent_path().string());
    return page;
}

Cards cards_of(Context& context) {
    switch (context.chrome.page) {
    case Page::start: return doors(context);
    case Page::lessons: return lessons(context);
    case Page::exercises: return exercises(context);
    case Page::files: return files(context);
    case Page::machines:
    case Page::log:
    case Page::none: break;
    }
    return {};
}

void draw_card(Context& context, const Card& card, const Rect& box, bool chosen) {
    const Style& style = context.style;
    const bool over = hovered(box);
    context.probe.mark(card.name, box.x, box.y, box.width, box.height);
    fill(box, mixed(style.colour.panel, style.colour.text, over || chosen ? 0.09f : 0.05f));
    if (chosen) fill({box.x, box.y, style.unit, box.height}, style.colour.selection);
    const float pad = 4 * style.unit, width = box.width - 2 * pad;
    ImGui::PushClipRect({box.x, box.y}, {box.right(), box.bottom()}, true);
    text_cut(context, style.title, {box.x + pad, box.y + pad / 2}, width, style.colour.text, card.title);
    const float line = style.text->FontSize, below = box.y + pad / 2 + style.title->FontSize;
    const float y = std::min(below + style.unit, box.bottom() - line);
    const std::string lines = wrapped(style.text, width, card.text);
    const std::string shown = first_lines(style.text, width, box.bottom() - y, lines);
    text(style.text, {box.x + pad, y}, style.colour.dim, shown);
    if (shown != lines && over) tooltip(context, card.text);
    ImGui::PopClipRect();
    if (clicked(box)) card.act(context);
}

// Returns where they end.
float draw_cards(Context& context, const Cards& page, const Rect& area) {
    const Style& style = context.style;
    const float gap = 3 * style.unit, columns = static_cast<float>(page.columns);
    const float width = std::floor((area.width - gap * (columns - 1)) / columns),
                height = std::floor(page.height * style.text->FontSize);
    for (size_t i = 0; i < page.cards.size(); ++i) {
        const auto column = static_cast<float>(i % page.columns), row = static_cast<float>(i / page.columns);
        const Rect box{area.x + column * (width + gap), area.y + row * (height + gap), width, height};
        const bool chosen = i == context.chrome.page_choice;
        draw_card(context, page.cards[i], box, chosen);
        if (!chosen || !ImGui::IsWindowAppearing()) continue;
        ImGui::SetScrollFromPosY(box.y - ImGui::GetWindowPos().y, 0.5f);
    }
    const auto rows = static_cast<float>((page.cards.size() + page.columns - 1) / page.columns);
    return area.y + rows * (height + gap);
}

// Below the doors what the course is about.
void draw_ladder_picture(Context& context, const Rect& area) {
    if (area.height >= 10 * context.style.text->FontSize)
        draw_slide(context, "ladder", area, panel_of(session::PlotTab::ladder));
}

void draw_start(Context& context, Rect area) {
    const Style& style = context.style;
    const float bottom = area.bottom();
    text(style.figure, {area.x, area.y}, style.colour.text, "gemmscope");
    area.y += style.figure->FontSize;
    area.y += text_wrapped(style.text, {area.x, area.y}, area.width, style.colour.dim, context.tr("start.about")) +
              4 * style.unit;
    const float end = draw_cards(context, doors(context), area) + 2 * style.unit;
    draw_ladder_picture(context, {area.x, end, area.width, bottom - end});
}

void draw_list(Context& context, const char* title, const Cards& page, const Rect& area) {
    const Style& style = context.style;
    text(style.title, {area.x, area.y}, style.colour.text, context.tr(title));
    if (context.chrome.page == Page::files)
        text_cut(context, style.text, {area.x + 40 * style.unit, area.y}, area.width - 40 * style.unit,
                 style.colour.dim, context.chrome.folder.string());
    const float top = area.y + 2 * style.title->FontSize;
    ImGui::SetCursorScreenPos({area.x, top});
    ImGui::BeginChild("list", {area.width, area.bottom() - top}, false, ImGuiWindowFlags_NoNav);
    if (page.cards.empty()) paragraph(context.tr("start.none"));
    const Rect inner = free_area();
    const float end = draw_cards(context, page, {inner.x, inner.y, inner.width - 3 * style.unit, inner.height});
    ImGui::Dummy({inner.width, end - inner.y});
    ImGui::EndChild();
}

const char* hint_of(Page page) {
    return page == Page::machines ? "machines.hint" : page == Page::log ? "log.hint" : "start.hint";
}

} // namespace

void open_page(Context& context, Page page) {
    context.chrome.page = page;
    context.chrome.page_choice = 0;
    context.chrome.listing = {}; // read again
}

void draw_page(Context& context) {
    const Style& style = context.style;
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const WholeWindow window(context, "page");
    const float margin = 10 * style.unit, hint = style.text->FontSize + 2 * style.unit;
    const Rect area{margin, margin / 2, size.x - 2 * margin, size.y - margin - hint};
    if (context.chrome.page == Page::start) draw_start(context, area);
    else if (context.chrome.page == Page::lessons) draw_list(context, "start.lessons", lessons(context), area);
    else if (context.chrome.page == Page::exercises) draw_list(context, "start.exercises", exercises(context), area);
    else if (context.chrome.page == Page::machines) draw_machines(context, area);
    else if (context.chrome.page == Page::log) draw_log(context, area);
    else draw_list(context, "start.files", files(context), area);
    text_cut(context, style.text, {margin, size.y - hint}, size.x - 2 * margin, style.colour.dim,
             context.tr(hint_of(context.chrome.page)));
    draw_notices(context, size.y - hint);
}

bool page_takes(Context& context, const KeyPress& press) {
    Chrome& chrome = context.chrome;
    if (chrome.page == Page::none || chrome.help) return false;
    if (press.key == GLFW_KEY_ESCAPE) return chrome.page = Page::none, true;
    if (press.key == GLFW_KEY_BACKSPACE) return open_page(context, Page::start), true;
    if (chrome.page == Page::log && log_takes(context, press)) return true;
    const Cards page = cards_of(context);
    const auto count = std::ssize(page.cards);
    if (press.key == GLFW_KEY_ENTER || press.key == GLFW_KEY_KP_ENTER) {
        if (chrome.page_choice < page.cards.size()) page.cards[chrome.page_choice].act(context);
        return true;
    }
    const auto columns = static_cast<int64_t>(page.columns);
    const int64_t by = press.key == GLFW_KEY_LEFT    ? -1
                       : press.key == GLFW_KEY_RIGHT ? 1
                       : press.key == GLFW_KEY_UP    ? -columns
                       : press.key == GLFW_KEY_DOWN  ? columns
                                                     : 0;
    const int64_t to = static_cast<int64_t>(chrome.page_choice) + by;
    if (by && to >= 0 && to < count) chrome.page_choice = static_cast<size_t>(to);
    const bool letter = press.key < 256 && (press.modifiers & (with_control | with_alt)) == 0;
    return letter || by; // letters mean nothing here; function keys and Ctrl+Q do
}

} // namespace ui
