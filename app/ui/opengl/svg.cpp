#include "ui/opengl/svg.h"

#include "base/html.h"
#include "base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ui {
namespace {

using Polygon = std::vector<ImVec2>;

std::string number(float value) {
    std::string text = fmt::format("{:.2f}", value);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string fill_of(ImU32 colour) {
    const auto part = [&](int shift) { return colour >> shift & 255; };
    std::string text = fmt::format("fill=\"#{:02x}{:02x}{:02x}\"", part(IM_COL32_R_SHIFT), part(IM_COL32_G_SHIFT),
                                   part(IM_COL32_B_SHIFT));
    if (const ImU32 alpha = part(IM_COL32_A_SHIFT); alpha < 255)
        text += fmt::format(" fill-opacity=\"{:.3g}\"", static_cast<double>(alpha) / 255);
    return text;
}

// The part of a convex polygon that the clip rectangle leaves (Sutherland and Hodgman).
Polygon clipped(Polygon polygon, const ImVec4& clip) {
    for (int edge = 0; edge < 4 && !polygon.empty(); ++edge) {
        const float limit = edge == 0 ? clip.x : edge == 1 ? clip.y : edge == 2 ? clip.z : clip.w;
        const auto along = [&](ImVec2 p) { return edge % 2 == 0 ? p.x : p.y; };
        const auto inside = [&](ImVec2 p) { return edge < 2 ? along(p) >= limit : along(p) <= limit; };
        Polygon kept;
        for (size_t i = 0; i < polygon.size(); ++i) {
            const ImVec2 from = polygon[i], to = polygon[(i + 1) % polygon.size()];
            if (inside(from)) kept.push_back(from);
            if (inside(from) == inside(to)) continue;
            const float share = (limit - along(from)) / (along(to) - along(from));
            kept.push_back({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
        }
        polygon = std::move(kept);
    }
    return polygon;
}

float signed_area(const Polygon& polygon) {
    float twice = 0;
    for (size_t i = 0; i < polygon.size(); ++i) {
        const ImVec2 a = polygon[i], b = polygon[(i + 1) % polygon.size()];
        twice += a.x * b.y - b.x * a.y;
    }
    return twice / 2;
}

bool is_upright_rectangle(const Polygon& p) {
    return p.size() == 4 && ((p[0].y == p[1].y && p[1].x == p[2].x && p[2].y == p[3].y && p[3].x == p[0].x) ||
                             (p[0].x == p[1].x && p[1].y == p[2].y && p[2].x == p[3].x && p[3].y == p[0].y));
}

// Every glyph of the atlas, by the upper left corner of its picture there.
class Glyphs {
public:
    struct Found {
        const ImFont* font = nullptr;
        const ImFontGlyph* glyph = nullptr;
    };
    explicit Glyphs(const ImFontAtlas& atlas) {
        for (const ImFont* font : atlas.Fonts)
            for (const ImFontGlyph& glyph : font->Glyphs)
                if (glyph.Visible) by_corner_.emplace(std::pair(glyph.U0, glyph.V0), Found{font, &glyph});
    }
    // One that was cut at its edge has a corner inside its picture.
    Found find(const ImVec2& corner, const ImVec2& opposite) const {
        if (const auto exact = by_corner_.find({corner.x, corner.y}); exact != by_corner_.end()) return exact->second;
        const float u = (corner.x + opposite.x) / 2, v = (corner.y + opposite.y) / 2;
        for (const auto& [at, found] : by_corner_)
            if (u >= found.glyph->U0 && u <= found.glyph->U1 && v >= found.glyph->V0 && v <= found.glyph->V1)
                return found;
        return {};
    }

private:
    std::map<std::pair<float, float>, Found> by_corner_;
};

struct Run { // of text on one line
    const ImFont* font = nullptr;
    ImU32 colour = 0;
    float scale = 1, left = 0, top = 0, end = 0; // end: where the next glyph is expected
    bool cut = false;                            // by the clip rectangle
    ImVec4 clip{};
    std::string text;
    size_t characters = 0;
};

class Writer {
public:
    Writer(const SvgOptions& options) : options_(options), atlas_(*ImGui::GetIO().Fonts), glyphs_(atlas_) {}

    base::Status add(const SvgPart& part) {
        below_ = part.below;
        for (int i = 0; i < part.data->CmdListsCount; ++i) {
            const ImDrawList& list = *part.data->CmdLists[i];
            for (const ImDrawCmd& command : list.CmdBuffer) {
                if (command.UserCallback || command.ElemCount == 0) continue;
                if (command.GetTexID() != atlas_.TexID)
                    return base::Error{base::Failure::usage,
                                       base::say("this view has an image, which cannot be drawn as shapes"),
                                       {},
                                       base::say("give a file name that ends in .png")};
                add(list, command, part.data->DisplayPos);
            }
        }
        height_ = below_ + part.data->DisplaySize.y;
        width_ = std::max(width_, part.data->DisplaySize.x);
        end_run();
        end_shapes();
        return base::Done{};
    }

    std::string done() const {
        std::string text = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
            "aria-label=\"{2}\">\n<title>{3}</title>\n<desc>{2}</desc>\n<style>",
            number(width_), number(height_), base::xml_text(options_.description), base::xml_text(options_.title));
        for (size_t i = 0; i < options_.fonts.size(); ++i)
            text += fmt::format(".f{}{{font-family:{}{}}}", i, options_.fonts[i].family,
                                options_.fonts[i].bold ? ";font-weight:bold" : "");
        text += "</style>\n";
        for (const auto& [clip, id] : clips_)
            text += fmt::format(
                "<clipPath id=\"c{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n", id,
                number(std::get<0>(clip)), number(std::get<1>(clip)), number(std::get<2>(clip) - std::get<0>(clip)),
                number(std::get<3>(clip) - std::get<1>(clip)));
        return text + fmt::format("<rect width=\"100%\" height=\"100%\" {}/>\n", fill_of(options_.ground)) + body_ +
               "</svg>\n";
    }

private:
    void add(const ImDrawList& list, const ImDrawCmd& command, ImVec2 origin) {
        const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
        const ImDrawVert* vertex = list.VtxBuffer.Data + command.VtxOffset;
        clip_ = {command.ClipRect.x - origin.x, command.ClipRect.y - origin.y + below_, command.ClipRect.z - origin.x,
                 command.ClipRect.w - origin.y + below_};
        const auto at = [&](const ImDrawVert& v) { return ImVec2{v.pos.x - origin.x, v.pos.y - origin.y + below_}; };
        const ImVec2 white = atlas_.TexUvWhitePixel;
        for (unsigned i = 0; i + 3 <= command.ElemCount;) {
            const ImDrawVert& first = vertex[index[i]];
            const bool solid = first.uv.x == white.x && first.uv.y == white.y;
            Polygon polygon{at(first), at(vertex[index[i + 1]]), at(vertex[index[i + 2]])};
            const unsigned begin = i;
            // A fan of triangles is a polygon; a glyph has two of them.
            for (i += 3; i + 3 <= command.ElemCount && index[i] == index[begin] && index[i + 1] == index[i - 1];
                 i += 3) {
                if (!solid && i - begin == 6) break;
                polygon.push_back(at(vertex[index[i + 2]]));
            }
            if (solid) add_shape(std::move(polygon), first.col);
            else add_glyph(polygon, first, vertex[index[begin + 2]]);
        }
    }

    void add_shape(Polygon polygon, ImU32 colour) {
        end_run();
        polygon = clipped(std::move(polygon), clip_);
        const float area = signed_area(polygon);
        if (colour >> IM_COL32_A_SHIFT == 0 || polygon.size() < 3 || std::abs(area) < 1e-3f) return;
        if (area < 0) std::reverse(polygon.begin(), polygon.end()); // so that no shape cuts a hole into another
        if (colour != colour_) end_shapes();
        colour_ = colour;
        const ImVec2 start = polygon[0];
        if (is_upright_rectangle(polygon)) {
            const auto [low, high] = std::minmax_element(polygon.begin(), polygon.end(),
                                                         [](ImVec2 a, ImVec2 b) { return a.x + a.y < b.x + b.y; });
            shapes_ += fmt::format("M{} {}h{}v{}h{}z", number(low->x), number(low->y), number(high->x - low->x),
                                   number(high->y - low->y), number(low->x - high->x));
            return;
        }
        shapes_ += fmt::format("M{} {}", number(start.x), number(start.y));
        for (size_t i = 1; i < polygon.size(); ++i)
            shapes_ += fmt::format("L{} {}", number(polygon[i].x), number(polygon[i].y));
        shapes_ += "z";
    }

    void end_shapes() {
        if (!shapes_.empty()) body_ += fmt::format("<path {} d=\"{}\"/>\n", fill_of(colour_), shapes_);
        shapes_.clear();
    }

    void add_glyph(const Polygon& quad, const ImDrawVert& first, const ImDrawVert& opposite) {
        const auto [font, glyph] = glyphs_.find(first.uv, opposite.uv);
        const ImVec2 low = quad[0], high = quad[2];
        const bool outside = high.x <= clip_.x || low.x >= clip_.z || high.y <= clip_.y || low.y >= clip_.w;
        if (!font || outside || first.col >> IM_COL32_A_SHIFT == 0) return;
        end_shapes();
        const float whole = (glyph->U1 - glyph->U0) > 0 ? (opposite.uv.x - first.uv.x) / (glyph->U1 - glyph->U0) : 1;
        const float scale = (high.x - low.x) / ((glyph->X1 - glyph->X0) * std::max(whole, 1e-3f));
        const float pen = low.x - glyph->X0 * scale, top = low.y - glyph->Y0 * scale;
        const bool cut = low.x < clip_.x || high.x > clip_.z || low.y < clip_.y || high.y > clip_.w;
        if (!continues(*font, first.col, scale, pen, top)) {
            end_run();
            run_ = Run{font, first.col, scale, pen, top, pen, false, clip_, {}, 0};
        }
        run_->cut |= cut;
        run_->text += base::utf8(glyph->Codepoint);
        ++run_->characters;
        run_->end = pen + glyph->AdvanceX * scale;
    }

    // Whether a glyph there belongs to the run, next to it or behind one blank: not every reader keeps two.
    bool continues(const ImFont& font, ImU32 colour, float scale, float pen, float top) {
        if (!run_ || run_->font != &font || run_->colour != colour || std::abs(run_->scale - scale) > 0.02f * scale ||
            std::abs(run_->top - top) > 0.05f || run_->clip.x != clip_.x || run_->clip.y != clip_.y)
            return false;
        constexpr float near = 0.75f; // pixels
        const float gap = pen - run_->end, blank = font.FindGlyph(' ')->AdvanceX * scale;
        if (std::abs(gap) <= near) return true;
        if (std::abs(gap - blank) > near) return false;
        run_->text += ' ';
        ++run_->characters;
        return true;
    }

    void end_run() {
        if (!run_) return;
        const Run run = *std::exchange(run_, std::nullopt);
        const auto known = std::find_if(options_.fonts.begin(), options_.fonts.end(),
                                        [&](const SvgFont& one) { return one.font == run.font; });
        const float line = known == options_.fonts.end() ? 1.17f : known->line_height;
        body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" {}", number(run.left),
                             number(run.top + run.font->Ascent * run.scale),
                             number(run.font->FontSize * run.scale / line), fill_of(run.colour));
        if (known != options_.fonts.end()) body_ += fmt::format(" class=\"f{}\"", known - options_.fonts.begin());
        if (run.characters > 1) // as wide with whatever font the reader has
            body_ += fmt::format(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", number(run.end - run.left));
        if (run.cut) {
            const auto clip = std::tuple(run.clip.x, run.clip.y, run.clip.z, run.clip.w);
            body_ += fmt::format(" clip-path=\"url(#c{})\"", clips_.emplace(clip, clips_.size()).first->second);
        }
        body_ += ">" + base::xml_text(run.text) + "</text>\n";
    }

    const SvgOptions& options_;
    const ImFontAtlas& atlas_;
    Glyphs glyphs_;
    ImVec4 clip_{};
    float below_ = 0, width_ = 0, height_ = 0;
    ImU32 colour_ = 0;
    std::string shapes_, body_;
    std::optional<Run> run_;
    std::map<std::tuple<float, float, float, float>, size_t> clips_;
};

} // namespace

base::Result<std::string> to_svg(std::span<const SvgPart> parts, const SvgOptions& options) {
    Writer writer(options);
    for (const SvgPart& part : parts)
        if (auto added = writer.add(part); !added) return added.error();
    return writer.done();
}

} // namespace ui
