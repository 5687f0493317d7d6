#include "ui/draw/text_field.h"

#include <imgui_internal.h>

namespace ui {
namespace {

void forget_what_was_typed(const char* label) {
    const ImGuiID id = ImGui::GetID(label);
    if (id == ImGui::GetActiveID()) return;
    if (ImGuiInputTextState* const state = ImGui::GetInputTextState(id)) state->ID = 0;
}

} // namespace

bool text_field(const char* label, const char* hint, std::span<char> typed, ImGuiInputTextFlags flags) {
    forget_what_was_typed(label);
    return ImGui::InputTextWithHint(label, hint, typed.data(), typed.size(), flags);
}

bool number_field(const char* label, int& number) {
    forget_what_was_typed(label);
    return ImGui::InputInt(label, &number, 0, 0);
}

} // namespace ui
