#include "session/open_file.h"

#include "base/file.h"
#include "base/png.h"
#include "base/text.h"

namespace session {
namespace {

base::Result<Opened> open_kernel(const std::filesystem::path& file, const std::string& text) {
    auto kernel = catalog::parse(text, file);
    if (!kernel) return kernel.error();
    return Opened(std::move(*kernel));
}

base::Result<Opened> open_view(const std::filesystem::path& file, const std::string& text) {
    auto view = view_from_json(text);
    if (!view)
        return base::Error{base::Failure::usage, view.error().what, file.string(),
                           base::say("correct the file, or make another with Ctrl+C")};
    return Opened(std::move(*view));
}

constexpr size_t longest_view = size_t{1} << 20; // bytes of its text

base::Result<Opened> open_picture(const std::filesystem::path& file, const std::string& bytes) {
    const auto text = base::png_text(bytes, picture_keyword);
    if (text && text->size() <= longest_view) return open_view(file, *text);
    return base::Error{base::Failure::usage, base::say("this picture carries no view"), file.string(),
                       base::say("save one with Ctrl+S, or with gemmscope render --caption")};
}

} // namespace

base::Result<View> pasted_view(std::string_view text) {
    text = base::trimmed(text);
    const base::Sentence todo = base::say("copy a view with Ctrl+C in a gemmscope window, or the text of a saved view");
    if (!text.starts_with('{') || text.size() > longest_view)
        return base::Error{base::Failure::usage, base::say("the clipboard holds no view"), {}, todo};
    auto view = view_from_json(text);
    if (!view)
        return base::Error{
            base::Failure::usage, base::say("the clipboard holds a damaged view: {}", view.error().what), {}, todo};
    return view;
}

base::Result<Opened> open_file(const std::filesystem::path& file) {
    const std::string kind = file.extension().string();
    if (kind != ".cu" && kind != ".json" && kind != ".png") {
        const bool is_program = kind == ".ptx" || kind == ".cuh";
        return base::Error{
            base::Failure::usage,
            base::say("the window opens kernels (.cu), saved views (.json) and pictures of them (.png)"), file.string(),
            is_program ? base::say("gemmscope trace {} executes it on the command line", file.filename().string())
                       : base::say("give one of these files")};
    }
    auto text = base::read_file(file);
    if (!text) return text.error();
    if (kind == ".png") return open_picture(file, *text);
    return kind == ".cu" ? open_kernel(file, *text) : open_view(file, *text);
}

} // namespace session
