#include "ui/code/editor.h"

#include "base/file.h"
#include "catalog/catalog.h"
#include "ui/draw/draw.h"
#include "ui/draw/grid.h"
#include "ui/draw/notices.h"
#include "views/diff.h"
#include "views/lines.h"

#include <algorithm>
#include <utility>

namespace ui {

namespace fs = std::filesystem;

namespace {

constexpr size_t most_documents = 16;       // with their steps of undo; drafts of others are on disk
constexpr uint64_t never_kept = UINT64_MAX; // no text's revision
constexpr double pause_seconds = 0.35;      // in typing, before what was typed is compiled

bool beyond_ascii(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

fs::path whole_path(const fs::path& file) {
    std::error_code error;
    fs::path whole = fs::absolute(file, error);
    return error ? file : whole;
}

} // namespace

void Editor::open(session::OwnKernels own, std::function<void()> wake) {
    own_ = std::move(own);
    check_ = std::make_unique<session::SourceCheck>(std::move(wake));
}

bool Editor::update() { return check_ && check_->collect(); }

void Editor::open_own(Context& context, const std::string& name, const std::string& text, Keys keys) {
    if (!own_) return;
    const auto file = own_->start(name, text);
    if (!file) return notify(context, context.tr(file.error()));
    context.commands.follow = whole_path(*file);
    if (keys == Keys::take) focus_on_ = context.commands.follow;
    context.chrome.page = Page::none;
    context.view.stage.shown = false;
    context.view.layout.code_panel = true;
    context.view.code_tab = session::CodeTab::source;
    context.view.table = false;
}

void Editor::begin(Context& context) {
    if (focused_) return leave();
    if (!now_) return notify(context, context.tr("edit.not_here"));
    context.view.layout.code_panel = true;
    context.view.code_tab = session::CodeTab::source;
    context.view.table = false;
    if (context.view.stage.shown) context.view.stage.first = "source";
    focused_ = reveal_ = true;
    shown_ = Shown::text;
    context.chrome.source_drawn = true; // it is, from this frame on
}

// Text, cursor and steps of undo as they were left, else the file with what was typed and not compiled.
Editor::Document& Editor::document_of(const catalog::Kernel& kernel, const fs::path& file) {
    if (const auto known = documents_.find(file); known != documents_.end()) return known->second;
    while (documents_.size() >= most_documents) documents_.erase(documents_.begin());
    lines_.of = nullptr;
    Document& document = documents_[file];
    document.file = file;
    document.text = edit::Text(kernel.source);
    document.compiled = kernel.source;
    document.sample = own_->is_sample(file);
    // Where the kernel's code begins: its description is folded away.
    const auto lines = views::split_lines(kernel.source);
    const int line = std::max(views::function_line(lines, kernel.function), 1);
    document.text.place_cursor(document.text.at({static_cast<size_t>(line) - 1, 0}));
    if (!document.sample)
        if (auto draft = own_->draft(file); draft && draft->text != kernel.source) {
            document.text.replace(draft->text);
            document.theirs = draft->newer_file;
            if (document.theirs) (void)own_->keep_version(file, kernel.source);
        }
    document.kept = document.text.revision();
    new_letters_ = new_letters_ || beyond_ascii(document.text.text());
    return document;
}

// What the session has of the file now. Another program may have written it.
void Editor::sync(const catalog::Kernel& kernel) {
    if (kernel.source == now_->compiled) return;
    const bool was_edited = now_->edited();
    now_->compiled = kernel.source;
    ++now_->compilations;
    if (kernel.source == now_->text.text()) return;
    if (was_edited) {
        now_->theirs = true;
        now_->kept = never_kept;                             // a second window that compiled has taken the draft away
        (void)own_->keep_version(now_->file, kernel.source); // whatever is chosen, both texts are kept
    } else {
        now_->text.replace(kernel.source);
    }
}

// A file that another program has deleted while there were edits. False: there is none.
bool Editor::bring_back(Context& context) {
    std::error_code ignored;
    if (!now_ || now_->sample || !now_->edited() || fs::exists(now_->file, ignored)) return false;
    if (auto written = base::write_file(now_->file, now_->compiled); !written) {
        notify(context, context.tr(written.error()));
        return false;
    }
    context.commands.follow = focus_on_ = now_->file;
    notify(context, context.tr("edit.brought_back"));
    return true;
}

void Editor::follow(Context& context) {
    const auto kernel = context.session.kernel();
    if (!kernel && bring_back(context)) return;
    if (!own_ || !kernel || kernel->source.size() > edit::most_bytes) {
        now_ = nullptr;
        focused_ = edited_ = false;
        return;
    }
    const fs::path file = whole_path(kernel->path);
    if (!now_ || now_->file != file) {
        now_ = &document_of(*kernel, file);
        focused_ = finding_ = dragging_ = false;
        shown_ = Shown::text;
        check_->forget();
        check_asked_ = 0;
    }
    sync(*kernel);
    if (std::exchange(focus_on_, {}) == file) focused_ = reveal_ = true;
    edited_ = now_->edited();
    if (!edited_) now_->faults.clear();
    else want_check(context);
    if (auto problem = writer_.take_problem()) notify(context, context.tr(*problem));
    if (!finding_) found_.clear();
    else if (found_in_ != now_->text.revision() || found_what_ != wanted_.text()) {
        found_ = edit::find_all(now_->text.text(), wanted_.text());
        found_in_ = now_->text.revision(), found_what_ = wanted_.text();
    }
}

// Compiles what was typed once the typing has paused.
void Editor::want_check(Context& context) {
    const uint64_t revision = now_->text.revision();
    if (const auto& last = check_->last(); last && last->revision == revision) now_->faults = last->faults;
    if (check_asked_ == revision) return;
    const double left = typed_at_ + pause_seconds - ImGui::GetTime();
    if (left > 0) return draw_again(context, left);
    check_asked_ = revision;
    check_->want(revision, now_->text.text(), now_->file, context.view.subject, context.session.catalog().families);
}

// The first edit of a sample makes a copy, and the copy is edited. False: it cannot be made.
bool Editor::adopt(Context& context) {
    if (!context.view.subject.breaks.empty()) { // the file is edited, not what switches make of it
        context.view.subject.breaks.clear();
        notify(context, context.tr("edit.breaks_off"));
    }
    if (!now_->sample) return true;
    const auto kernel = context.session.kernel();
    if (!kernel) return false;
    const auto copied = own_->copy(*kernel);
    if (!copied) {
        notify(context, context.tr(copied.error()));
        return false;
    }
    const fs::path file = whole_path(*copied);
    catalog::Kernel own = *kernel;
    own.source = session::as_own(*kernel);
    const edit::Text& sample = now_->text;
    const auto from = sample.place_of(sample.selection().first), to = sample.place_of(sample.selection().last);
    const size_t more = views::split_lines(own.source).size() - sample.lines() + (own.source.ends_with('\n') ? 1 : 0);
    now_ = &document_of(own, file);
    now_->text.select({now_->text.at({from.line + more, from.column}), now_->text.at({to.line + more, to.column})});
    context.commands.follow = focus_on_ = file;
    notify(context, say(context, "edit.copied", file.string()));
    return true;
}

bool Editor::edit(Context& context, const std::function<bool(edit::Text&)>& change) {
    if (!adopt(context)) return false;
    edit::Text& text = now_->text;
    const size_t lines = text.lines(), first = text.place_of(text.selection().first).line;
    const uint64_t revision = text.revision();
    if (!change(text)) notify(context, say(context, "edit.too_long", edit::most_bytes));
    if (text.revision() == revision) return true;
    const auto grown = static_cast<std::ptrdiff_t>(text.lines()) - static_cast<std::ptrdiff_t>(lines);
    for (compile::Diagnostic& fault : now_->faults) // those below move with their lines
        if (fault.line > static_cast<int>(first) + 1) fault.line = std::max(fault.line + static_cast<int>(grown), 1);
    typed_at_ = ImGui::GetTime();
    edited_ = now_->edited();
    new_letters_ = new_letters_ || beyond_ascii(text.text());
    reveal_ = true;
    return true;
}

void Editor::end_frame(Context& context) {
    if (!now_) return;
    const ImGuiIO& io = ImGui::GetIO();
    const bool inside = io.MousePos.x >= place_.x && io.MousePos.x < place_.x + place_.width &&
                        io.MousePos.y >= place_.y && io.MousePos.y < place_.y + place_.height;
    const bool clicked_elsewhere = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !inside && !pointed_;
    if (!context.chrome.source_drawn || clicked_elsewhere) leave();
    pointed_ = false;
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) dragging_ = false;
    keep();
}

// On disk, within a second.
void Editor::keep() {
    for (auto& [file, document] : documents_) {
        if (document.sample || document.kept == document.text.revision()) continue;
        document.kept = document.text.revision();
        if (document.edited()) writer_.write(own_->draft_file(file), [text = document.text.text()] { return text; });
        else writer_.remove(own_->draft_file(file));
    }
}

void Editor::compile(Context& context) {
    if (!now_ || !now_->edited()) return notify(context, context.tr("edit.compiled_already"));
    const std::string& text = now_->text.text();
    if (const auto kernel = catalog::parse(text, now_->file, context.session.catalog().families); !kernel) {
        notify(context, context.tr(kernel.error())); // the pictures stay; the text is kept as it is
        typed_at_ = 0;
        return;
    }
    if (const auto held = base::read_file(now_->file);
        held && !now_->theirs && *held != now_->compiled && *held != text) { // the session has not seen it yet
        (void)own_->keep_version(now_->file, *held);
        now_->theirs = true;
        return notify(context, context.tr("edit.about_conflict"));
    }
    if (auto written = own_->compile(now_->file, text, now_->compiled); !written)
        return notify(context, context.tr(written.error()));
    now_->compiled = text;
    ++now_->compilations;
    now_->theirs = edited_ = false;
    now_->text.pause();
    writer_.remove(own_->draft_file(now_->file));
    context.commands.follow = now_->file;
}

void Editor::restore_sample(Context& context) {
    if (!now_ || now_->sample) return;
    const auto sample = own_->sample(now_->file);
    if (!sample) return notify(context, context.tr("edit.no_sample"));
    edit(context, [&](edit::Text& text) { return text.replace(*sample); });
    show(Shown::text);
    focused_ = true; // Ctrl+Z is the editor's, as the notice says
    notify(context, context.tr("edit.restored"));
}

void Editor::list_versions() {
    versions_.clear();
    version_choice_ = 0;
    const std::string& now = now_->text.text();
    const auto add = [&](std::string time, std::string text) {
        VersionRow row{std::move(time), std::move(text)};
        for (const views::DiffLine& line : views::diff(views::split_lines(row.text), views::split_lines(now)))
            if (!line.same) row.added += line.right >= 0, row.removed += line.left >= 0;
        versions_.push_back(std::move(row));
    };
    for (const auto& version : own_->versions(now_->file))
        if (auto text = own_->text_of(version)) add(version.time, std::move(*text));
    if (auto sample = own_->sample(now_->file)) add("", std::move(*sample));
}

void Editor::show(Shown shown) {
    if (!now_) return;
    shown_ = shown;
    if (shown == Shown::versions) list_versions();
    if (shown == Shown::difference) sample_text_ = own_->sample(now_->file);
}

void Editor::take_version(Context& context, size_t row) {
    if (row >= versions_.size()) return;
    edit(context, [&](edit::Text& text) { return text.replace(versions_[row].text); });
    show(Shown::text);
    focused_ = true;
}

void Editor::keep_mine() {
    if (now_) now_->theirs = false;
}

void Editor::take_theirs(Context& context) {
    if (!now_) return;
    (void)own_->keep_version(now_->file, now_->text.text());
    edit(context, [&](edit::Text& text) { return text.replace(now_->compiled); });
    now_->theirs = false;
}

std::string Editor::all_text() const {
    std::string all;
    for (const auto& [file, document] : documents_)
        for (const char c : document.text.text())
            if (static_cast<unsigned char>(c) >= 0x80) all += c;
    return all + wanted_.text();
}

void Editor::set_place(float x, float y, float width, float height) { place_ = {x, y, width, height}; }

void Editor::point_at(const fs::path& file, int compiled_line) {
    pointed_ = true;
    const int line = now_ && now_->file == whole_path(file) ? shown_line(compiled_line) : 0;
    if (line < 1) return;
    shown_ = Shown::text;
    now_->text.place_cursor(now_->text.at({static_cast<size_t>(line) - 1, 0}));
    reveal_ = true;
}

// As the shortest way from one text to the other has it.
void Editor::map_lines() const {
    if (lines_.of == now_ && lines_.revision == now_->text.revision() && lines_.compilations == now_->compilations)
        return;
    lines_.of = now_, lines_.revision = now_->text.revision(), lines_.compilations = now_->compilations;
    const auto compiled = views::split_lines(now_->compiled), shown = views::split_lines(now_->text.text());
    lines_.of_shown.assign(shown.size(), -1);
    lines_.of_compiled.assign(compiled.size(), -1);
    for (const views::DiffLine& line : views::diff(compiled, shown))
        if (line.same) {
            lines_.of_shown[static_cast<size_t>(line.right)] = line.left;
            lines_.of_compiled[static_cast<size_t>(line.left)] = line.right;
        }
}

int Editor::compiled_line(int line) const {
    if (!edited_) return line;
    map_lines();
    return line > 0 && line <= std::ssize(lines_.of_shown) ? lines_.of_shown[static_cast<size_t>(line) - 1] + 1 : 0;
}

int Editor::shown_line(int compiled) const {
    if (!edited_) return compiled;
    map_lines();
    return compiled > 0 && compiled <= std::ssize(lines_.of_compiled)
               ? lines_.of_compiled[static_cast<size_t>(compiled) - 1] + 1
               : 0;
}

} // namespace ui
