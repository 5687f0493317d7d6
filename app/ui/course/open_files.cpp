#include "ui/course/open_files.h"

#include "session/recent_files.h"
#include "ui/course/classroom.h"
#include "ui/course/workbench.h"
#include "ui/draw/grid.h"
#include "ui/draw/notices.h"

#include <algorithm>
#include <system_error>

namespace ui {

namespace fs = std::filesystem;

void open_class(Context& context, const std::vector<fs::path>& files) {
    lesson::ClassFiles all = lesson::read_class(files);
    constexpr size_t most_told = 3;
    for (size_t i = 0; i < std::min(most_told, all.left_out.size()); ++i)
        notify(context, say(context, "lesson.class_left_out", context.tr(all.left_out[i])));
    if (all.left_out.size() > most_told)
        notify(context, say(context, "lesson.class_more_left_out", all.left_out.size() - most_told));
    if (!all.students.empty()) notify(context, say(context, "lesson.class_read", all.students.size()));
    context.classroom->take_class(std::move(all));
}

void open_files(Context& context, const std::vector<fs::path>& files) {
    context.chrome.page = Page::none;
    const bool of_class = context.classroom && std::any_of(files.begin(), files.end(), lesson::holds_answers);
    if (of_class) return open_class(context, files); // not among the recent files: they are the students' own
    if (const fs::path& recent = context.chrome.recent_files; !recent.empty())
        for (const fs::path& file : files)
            if (const base::Status kept = session::remember_file(recent, file); !kept)
                notify(context, context.tr(kept.error()));
    if (files.size() == 1 && files.front().extension() == ".gemm" && context.workbench)
        return context.workbench->open_hand_in(context, files.front());
    if (files.size() != 1 || files.front().extension() != ".md" || !context.classroom) {
        context.commands.open = files;
        return;
    }
    context.classroom->start_file(files.front());
}

FolderListing read_folder(const fs::path& folder, const fs::path& recent_files) {
    constexpr size_t most = 400;
    FolderListing listing{folder, {}, {}, {}};
    if (!recent_files.empty()) listing.recent = session::recent_files(recent_files);
    std::error_code error;
    for (fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
         !error && at != end && listing.folders.size() + listing.files.size() < most; at.increment(error)) {
        const std::string kind = at->path().extension().string();
        std::error_code ignored;
        if (at->path().filename().string().starts_with('.')) continue;
        if (at->is_directory(ignored)) listing.folders.push_back(at->path());
        else if (kind == ".cu" || kind == ".md" || kind == ".json" || kind == ".jsonl" || kind == ".gemm")
            listing.files.push_back(at->path());
    }
    std::sort(listing.folders.begin(), listing.folders.end());
    std::sort(listing.files.begin(), listing.files.end());
    return listing;
}

} // namespace ui
