#include "ui/style.h"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

constexpr ImU32 rgb(uint32_t hex) { return IM_COL32(hex >> 16 & 255, hex >> 8 & 255, hex & 255, 255); }

// Okabe-Ito for categories, some moved by a few units until tests/ui/colour_vision_test.cpp could tell them all apart; the ramp is
// cividis without the end that drowns in the panel's colour.
const Palette dark_palette = {
    .background = rgb(0x14171C),
    .panel = rgb(0x1B2027),
    .line = rgb(0x343C48),
    .text = rgb(0xE6E9EE),
    .dim = rgb(0xBAC3CD),
    .selection = rgb(0xF0E442),
    .load = rgb(0x50B8F6),
    .store = rgb(0xE7A001),
    .a = rgb(0x009E73),
    .b = rgb(0xCC79A7),
    .c = rgb(0xB8C0CC),
    .finding = rgb(0xD55E00),
    .alarm = rgb(0xFFB07A),
    .fma = rgb(0x8FA2BD),
    .barrier = rgb(0xF5F7FA),
    .ramp = {rgb(0x6B6B70), rgb(0x7C7874), rgb(0x8B8777), rgb(0x9B9678), rgb(0xAEA575), rgb(0xC4B56D), rgb(0xDBC660),
             rgb(0xF1D851), rgb(0xFDEA45)},
};

// The same hues darkened until they stand on white as firmly as the dark ones on #1B2027; the ramp runs the other
// way, so that more is more ink.
const Palette light_palette = {
    .background = rgb(0xF0F2F4),
    .panel = rgb(0xFFFFFF),
    .line = rgb(0xD3D8DE),
    .text = rgb(0x1A1E24),
    .dim = rgb(0x404852),
    .selection = rgb(0xA98308),
    .load = rgb(0x0078CA),
    .store = rgb(0xA75004),
    .a = rgb(0x02795A),
    .b = rgb(0xA34D95),
    .c = rgb(0x565E69),
    .finding = rgb(0x892700),
    .alarm = rgb(0x892700),
    .fma = rgb(0x586D88),
    .barrier = rgb(0x1A1E24),
    .ramp = {rgb(0x948F78), rgb(0x848076), rgb(0x747272), rgb(0x62646F), rgb(0x4D566D), rgb(0x34486E), rgb(0x193B6D),
             rgb(0x042E67), rgb(0x002051)},
};

float channel(ImU32 colour, int shift) { return static_cast<float>(colour >> shift & 255) / 255.0f; }

float luminance(ImU32 colour) {
    const auto linear = [&](int shift) {
        const float value = channel(colour, shift);
        return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
    };
    return 0.2126f * linear(IM_COL32_R_SHIFT) + 0.7152f * linear(IM_COL32_G_SHIFT) + 0.0722f * linear(IM_COL32_B_SHIFT);
}

} // namespace

const Palette& palette(session::Theme theme) { return theme == session::Theme::light ? light_palette : dark_palette; }

ImU32 with_alpha(ImU32 colour, float alpha) {
    const auto byte = static_cast<ImU32>(std::lround(std::clamp(alpha, 0.0f, 1.0f) * 255));
    return (colour & ~IM_COL32_A_MASK) | byte << IM_COL32_A_SHIFT;
}

ImU32 mixed(ImU32 from, ImU32 to, float amount) {
    const float share = std::clamp(amount, 0.0f, 1.0f);
    const auto blend = [&](int shift) {
        const float value = channel(from, shift) + (channel(to, shift) - channel(from, shift)) * share;
        return static_cast<ImU32>(std::lround(value * 255)) << shift;
    };
    return blend(IM_COL32_R_SHIFT) | blend(IM_COL32_G_SHIFT) | blend(IM_COL32_B_SHIFT) | IM_COL32_A_MASK;
}

float contrast(ImU32 first, ImU32 second) {
    const auto [low, high] = std::minmax({luminance(first), luminance(second)});
    return (high + 0.05f) / (low + 0.05f);
}

ImU32 legible(ImU32 mark, ImU32 ground, ImU32 text) {
    constexpr int steps = 16;
    for (int i = 0; i < steps; ++i)
        if (const ImU32 ink = mixed(mark, text, static_cast<float>(i) / steps); contrast(ink, ground) >= 7) return ink;
    return text;
}

ImU32 ink_on(ImU32 ground) {
    constexpr ImU32 black = rgb(0x101317), white = rgb(0xFFFFFF);
    return contrast(black, ground) >= contrast(white, ground) ? black : white;
}

void apply(const Style& style, ImGuiStyle& target) {
    const float unit = style.unit;
    target = ImGuiStyle();
    target.WindowPadding = {2 * unit, 2 * unit};
    target.FramePadding = {2 * unit, unit};
    target.ItemSpacing = {2 * unit, unit};
    target.ItemInnerSpacing = {unit, unit};
    target.ScrollbarSize = 3 * unit;
    target.GrabMinSize = 3 * unit;
    target.WindowRounding = target.ChildRounding = target.FrameRounding = 0;
    target.PopupRounding = target.ScrollbarRounding = target.GrabRounding = target.TabRounding = 0;
    target.WindowBorderSize = target.ChildBorderSize = target.FrameBorderSize = 0;
    target.PopupBorderSize = 1;
    target.DisplaySafeAreaPadding = {unit, unit};
    target.AntiAliasedLinesUseTex = true;

    const Palette& colour = style.colour;
    const auto set = [&](ImGuiCol_ index, ImU32 value) {
        target.Colors[index] = ImGui::ColorConvertU32ToFloat4(value);
    };
    const ImU32 raised = mixed(colour.panel, colour.text, 0.09f), pressed = mixed(colour.panel, colour.text, 0.18f);
    set(ImGuiCol_Text, colour.text);
    set(ImGuiCol_TextDisabled, colour.dim);
    set(ImGuiCol_WindowBg, colour.background);
    set(ImGuiCol_ChildBg, with_alpha(colour.panel, 0));
    set(ImGuiCol_PopupBg, mixed(colour.panel, colour.text, 0.04f));
    set(ImGuiCol_Border, colour.line);
    for (const auto index : {ImGuiCol_FrameBg, ImGuiCol_Button, ImGuiCol_Header}) set(index, raised);
    for (const auto index : {ImGuiCol_FrameBgHovered, ImGuiCol_ButtonHovered, ImGuiCol_HeaderHovered,
                             ImGuiCol_FrameBgActive, ImGuiCol_ButtonActive, ImGuiCol_HeaderActive})
        set(index, pressed);
    set(ImGuiCol_ScrollbarBg, with_alpha(colour.panel, 0));
    set(ImGuiCol_ScrollbarGrab, pressed);
    set(ImGuiCol_ScrollbarGrabHovered, colour.dim);
    set(ImGuiCol_ScrollbarGrabActive, colour.dim);
    set(ImGuiCol_SliderGrab, colour.dim);
    set(ImGuiCol_SliderGrabActive, colour.text);
    set(ImGuiCol_CheckMark, colour.text);
    set(ImGuiCol_Separator, colour.line);
    set(ImGuiCol_TextSelectedBg, mixed(colour.panel, colour.selection, 0.35f));
    set(ImGuiCol_NavHighlight, colour.selection);
}

} // namespace ui
