// Pictures as shapes and text.
#include "stage.h"

#include "ui/draw/draw.h"
#include "ui/draw/font_files.h"
#include "ui/opengl/svg.h"
#include "ui/window/frame.h"

namespace {

std::string svg_of(ImDrawData* data) {
    const ui::SvgPart part{data, 0};
    const auto text = ui::to_svg({&part, 1}, {IM_COL32_WHITE, "a <title>", "what it shows", {}});
    EXPECT_TRUE(text) << (text ? "" : text.error().sentence());
    return text ? *text : std::string();
}

size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

// What `draw` draws, without antialiasing.
std::string drawn(Stage& stage, const Stage::Draw& draw) {
    stage.show(draw);
    stage.frames(2);
    ImGuiStyle& style = ImGui::GetStyle();
    style.AntiAliasedLines = style.AntiAliasedLinesUseTex = style.AntiAliasedFill = false;
    stage.frames(2);
    return svg_of(ImGui::GetDrawData());
}

TEST(Svg, ShapesArePathsWithinTheirClipRectangle) {
    Stage stage(view_of("naive"));
    const std::string svg = drawn(stage, [](ui::Context&) {
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->PushClipRect({100, 100}, {200, 200});
        list->AddRectFilled({150, 150}, {250, 175}, IM_COL32(1, 2, 3, 255)); // half outside
        list->AddRectFilled({300, 300}, {310, 310}, IM_COL32(1, 2, 3, 255)); // outside
        list->AddTriangleFilled({110, 110}, {130, 110}, {120, 130}, IM_COL32(1, 2, 3, 51));
        list->AddLine({120, 180}, {160, 190}, IM_COL32(4, 5, 6, 255), 2);
        list->PopClipRect();
    });
    EXPECT_NE(svg.find("<path fill=\"#010203\" d=\"M150 150h50v25h-50z\"/>"), svg.npos) << svg;
    EXPECT_EQ(svg.find("M300"), svg.npos);
    EXPECT_NE(svg.find("fill=\"#010203\" fill-opacity=\"0.2\""), svg.npos) << svg;
    EXPECT_EQ(count(svg, "fill=\"#040506\""), 1u);
}

TEST(Svg, TextStaysTextInBothLanguages) {
    Stage stage(view_of("naive"));
    const std::string svg = drawn(stage, [](ui::Context& context) {
        ui::text(context.style.text, {20, 20}, IM_COL32(9, 9, 9, 255), "a < b & c");
        ui::text(context.style.mono, {20, 60}, IM_COL32(9, 9, 9, 255), "%f12,  %f13"); // two blanks: two texts
        ui::text(context.style.text, {20, 90}, IM_COL32(9, 9, 9, 255), "\u5b58\u50a8\u4f53 0");
    });
    std::vector<std::string> texts{">a &lt; b &amp; c</text>", ">%f12,</text>", ">%f13</text>"};
    if (!ui::find_fonts().chinese.path.empty()) texts.push_back(">\u5b58\u50a8\u4f53 0</text>"); // by its glyphs
    for (const std::string& text : texts) EXPECT_NE(svg.find(text), svg.npos) << text << "\n" << svg;
    EXPECT_NE(svg.find("<title>a &lt;title&gt;</title>"), svg.npos);
    EXPECT_NE(svg.find("aria-label=\"what it shows\""), svg.npos);
}

// Of the smallest window, which names more panels than the line has room for.
TEST(Svg, ALineThatIsCutEndsInAnEllipsis) {
    Stage stage(view_of("naive"));
    stage.resize(320, 200);
    stage.show_as_it_is(ui::draw_window);
    stage.frames(3);
    const std::string svg = svg_of(ImGui::GetDrawData());
    const size_t line = svg.find(">The window is too small for:");
    ASSERT_NE(line, svg.npos) << svg;
    const std::string words = svg.substr(line, svg.find("</text>", line) - line);
    EXPECT_TRUE(words.ends_with("\u2026")) << words;
}

TEST(Svg, AnImageIsRefused) {
    Stage stage(view_of("naive"));
    stage.show([](ui::Context&) {
        static int image;
        ImGui::GetWindowDrawList()->AddImage(reinterpret_cast<ImTextureID>(&image), {0, 0}, {10, 10});
    });
    stage.frames(2);
    const ui::SvgPart part{ImGui::GetDrawData(), 0};
    const auto text = ui::to_svg({&part, 1}, {});
    ASSERT_FALSE(text);
    EXPECT_NE(text.error().sentence().find(".png"), std::string::npos);
}

// Every panel that is shapes, in both languages: bounded, whole, and its words are there.
TEST(Svg, EveryViewOfShapesIsSmallAndWhole) {
    Stage stage(view_of("shared_tile", {64, 64, 32}));
    stage.resize(1600, 900);
    stage.settle();
    for (const ui::PanelRow& row : ui::panels()) {
        stage.edit([&](session::View& view) {
            const bool english = view.language == session::Language::en;
            view.language = english ? session::Language::zh : session::Language::en;
            row.prepare(view);
        });
        const std::string svg = drawn(stage, row.draw);
        EXPECT_LT(svg.size(), size_t{5} << 18) << row.id; // the timeline in cycles has the most shapes
        EXPECT_EQ(count(svg, "<text"), count(svg, "</text>")) << row.id;
        EXPECT_GT(count(svg, "</text>"), 0u) << row.id;
        EXPECT_EQ(svg.find("nan"), svg.npos) << row.id;
        EXPECT_EQ(svg.find("inf\""), svg.npos) << row.id;
    }
}

} // namespace
