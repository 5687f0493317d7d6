// A line of text or a number that is typed. ImGui keeps what Ctrl+Z takes back for the field that was active last, and applies it
// to whatever that field holds when it is active again: of a shorter text it changes memory outside. Here that begins anew whenever a
// field becomes active.
#pragma once

#include <imgui.h>

#include <span>

namespace ui {

// As ImGui::InputTextWithHint; `typed` ends with '\0'.
bool text_field(const char* label, const char* hint, std::span<char> typed, ImGuiInputTextFlags flags = 0);
// As ImGui::InputInt, without its buttons.
bool number_field(const char* label, int& number);

} // namespace ui
