// Whether the desktop shows windows light or dark, and in which language: what the program begins with where nobody has chosen.
#pragma once

#include "session/view.h"

#include <filesystem>
#include <optional>
#include <string>

namespace session {

// Where a desktop says it.
struct Desktop {
    std::string gtk_theme;               // $GTK_THEME, "Adwaita:dark"
    std::filesystem::path config_folder; // $XDG_CONFIG_HOME or ~/.config
    std::string locale;                  // of messages, "zh_CN.UTF-8"
    std::filesystem::path gdbus;         // asks the portal; empty: there is no session bus or no such program
};
Desktop own_desktop();

// Nothing: it does not say. Takes half a second at most.
std::optional<Theme> system_theme(const Desktop&);
Language system_language(const Desktop&); // English where it is neither

} // namespace session
