// In this order, the first that says anything:
// 1. $GTK_THEME, with which a user sets programs one by one.
// 2. The portal's color-scheme (org.freedesktop.appearance), on which GNOME, KDE and others have agreed, asked by GLib's own gdbus: a
//    library for one question at the first start would be a heavy dependency.
// 3. Files of desktops without a portal: GTK's settings.ini, KDE's kdeglobals.
// A portal without preference where no file is dark means light: then GTK's windows are.
#include "session/system_theme.h"

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <unistd.h>

namespace session {
namespace {

namespace fs = std::filesystem;

constexpr double longest_wait = 0.5;          // for the portal, in seconds
constexpr uintmax_t largest_file = 256 << 10; // kdeglobals has some 5 KiB

// "Adwaita:dark", "Adwaita-dark", "Breeze-Dark"
bool is_dark_name(std::string_view name) { return base::lower(name).ends_with("dark"); }

Theme dark_or_light(bool dark) { return dark ? Theme::dark : Theme::light; }

// The value of `key` in a section of an INI file; empty: there is none.
std::string setting(const std::string& text, std::string_view section, std::string_view key) {
    bool here = false;
    for (const std::string_view whole : base::lines(text)) {
        const std::string_view line = base::trimmed(whole);
        if (line.starts_with('[')) here = line == section;
        const size_t equals = line.find('=');
        if (here && equals != line.npos && base::trimmed(line.substr(0, equals)) == key)
            return std::string(base::trimmed(line.substr(equals + 1)));
    }
    return {};
}

std::string text_of(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > largest_file || error) return {};
    auto text = base::read_file(file);
    return text ? *std::move(text) : std::string();
}

std::optional<Theme> of_gtk(const fs::path& config_folder) {
    for (const char* file : {"gtk-4.0/settings.ini", "gtk-3.0/settings.ini"}) {
        const std::string text = text_of(config_folder / file);
        const std::string prefers = setting(text, "[Settings]", "gtk-application-prefer-dark-theme");
        const std::string name = setting(text, "[Settings]", "gtk-theme-name");
        if (!prefers.empty() || !name.empty())
            return dark_or_light(prefers == "1" || prefers == "true" || is_dark_name(name));
    }
    return std::nullopt;
}

// By the windows' ground, "239,240,241": schemes of colours have any name.
std::optional<Theme> of_kde(const fs::path& config_folder) {
    const std::string ground = setting(text_of(config_folder / "kdeglobals"), "[Colors:Window]", "BackgroundNormal");
    std::array<int, 3> colour{};
    const char *at = ground.data(), *const end = at + ground.size();
    for (int& part : colour) {
        const auto [next, error] = std::from_chars(at, end, part);
        if (error != std::errc{} || part < 0 || part > 255) return std::nullopt;
        at = next == end ? end : next + 1;
    }
    return dark_or_light(colour[0] + colour[1] + colour[2] < 3 * 128);
}

enum class Portal { silent, no_preference, dark, light };

// "(<<uint32 1>>,)"
Portal ask_portal(const fs::path& gdbus) {
    if (gdbus.empty()) return Portal::silent;
    auto asked = base::Process::start(
        {gdbus.string(), "call", "--session", "--timeout", "1", "--dest", "org.freedesktop.portal.Desktop",
         "--object-path", "/org/freedesktop/portal/desktop", "--method", "org.freedesktop.portal.Settings.Read",
         "org.freedesktop.appearance", "color-scheme"},
        base::Group::own, "gdbus");
    if (!asked || !asked->finish(longest_wait).empty()) return Portal::silent;
    std::array<char, 256> answer{};
    const ssize_t bytes = ::read(asked->output.number(), answer.data(), answer.size());
    const std::string_view words(answer.data(), static_cast<size_t>(std::max<ssize_t>(bytes, 0)));
    const size_t type = words.find("uint32 ");
    const char value = type == words.npos || type + 7 >= words.size() ? '?' : words[type + 7];
    return value == '0'   ? Portal::no_preference
           : value == '1' ? Portal::dark
           : value == '2' ? Portal::light
                          : Portal::silent;
}

fs::path in_path(const char* program) {
    const char* path = std::getenv("PATH");
    std::string_view rest = path ? path : "";
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(':'), rest.size());
        const fs::path file = fs::path(rest.substr(0, end)) / program;
        if (file.is_absolute() && ::access(file.c_str(), X_OK) == 0) return file;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

} // namespace

Desktop own_desktop() {
    Desktop desktop;
    desktop.gtk_theme = environment("GTK_THEME");
    const std::string config = environment("XDG_CONFIG_HOME"), home = environment("HOME");
    desktop.config_folder = !config.empty() ? fs::path(config) : home.empty() ? fs::path() : fs::path(home) / ".config";
    for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) // as POSIX orders them
        if (desktop.locale.empty()) desktop.locale = environment(name);
    // Without a bus gdbus would start one.
    std::error_code error;
    const std::string runtime = environment("XDG_RUNTIME_DIR");
    if (!environment("DBUS_SESSION_BUS_ADDRESS").empty() || (!runtime.empty() && fs::exists(runtime + "/bus", error)))
        desktop.gdbus = in_path("gdbus");
    return desktop;
}

Language system_language(const Desktop& desktop) {
    return desktop.locale.starts_with("zh") ? Language::zh : Language::en;
}

std::optional<Theme> system_theme(const Desktop& desktop) {
    if (!desktop.gtk_theme.empty()) return dark_or_light(is_dark_name(desktop.gtk_theme));
    const Portal portal = ask_portal(desktop.gdbus);
    if (portal == Portal::dark || portal == Portal::light) return dark_or_light(portal == Portal::dark);
    if (!desktop.config_folder.empty()) {
        if (const auto theme = of_kde(desktop.config_folder)) return theme;
        if (const auto theme = of_gtk(desktop.config_folder)) return theme;
    }
    if (portal == Portal::no_preference) return Theme::light;
    return std::nullopt;
}

} // namespace session
