#include "base/file.h"
#include "session/session.h"

namespace session {

Restored restore(const std::filesystem::path& state_file) {
    std::error_code ignored;
    if (state_file.empty() || !std::filesystem::exists(state_file, ignored)) return {};
    const auto text = base::read_file(state_file);
    auto view = text ? view_from_json(*text) : base::Result<View>(text.error());
    if (view) return {*view, {}};

    auto aside = state_file;
    aside += ".damaged";
    std::filesystem::rename(state_file, aside, ignored);
    return {{},
            base::say("{}: {}; the default view is shown, the old file is kept as {}", state_file.string(),
                      view.error().what, aside.string())};
}

} // namespace session
