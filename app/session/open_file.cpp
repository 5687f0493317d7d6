#include "session/open_file.h"

#include "base/file.h"

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
                           base::say("mend the file, or make another with Ctrl+C")};
    return Opened(std::move(*view));
}

} // namespace

base::Result<Opened> open_file(const std::filesystem::path& file) {
    const std::string kind = file.extension().string();
    if (kind != ".cu" && kind != ".json") {
        const bool is_program = kind == ".ptx" || kind == ".cuh";
        return base::Error{
            base::Failure::usage, base::say("the window opens kernels (.cu) and views that were kept (.json)"),
            file.string(),
            is_program ? base::say("gemmscope trace {} executes it on the command line", file.filename().string())
                       : base::say("give a file of those")};
    }
    auto text = base::read_file(file);
    if (!text) return text.error();
    return kind == ".cu" ? open_kernel(file, *text) : open_view(file, *text);
}

} // namespace session
