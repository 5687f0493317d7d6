#include "ui/draw/prose.h"

#include "ui/draw/wrap.h"

#include <imgui_internal.h>

#include <algorithm>
#include <vector>

namespace ui {
namespace {

using Run = lesson::Run;

// A part of a word in one font.
struct Piece {
    ImFont* font;
    float size; // in pixels
    Run::Style style;
    std::string text;
    float width() const { return font->CalcTextSizeA(size, FLT_MAX, 0, text.data(), text.data() + text.size()).x; }
};
// What a line may not break, and the blanks behind it.
struct Word {
    std::vector<Piece> pieces;
    float width = 0, blanks = 0;
};

class Words {
public:
    Words(const Style& style, ImFont* font) : style_(style), font_(font) {}

    std::vector<Word> of(const lesson::Paragraph& paragraph) {
        words_.assign(1, {});
        before_ = 0;
        for (const Run& run : paragraph.runs) add(run);
        for (Word& word : words_)
            for (const Piece& piece : word.pieces) word.width += piece.width();
        return std::move(words_);
    }

private:
    Piece piece(Run::Style style) const {
        const bool bold = style == Run::Style::strong || style == Run::Style::figure;
        if (style == Run::Style::code) return {style_.mono, font_->FontSize * 0.93f, style, {}};
        return {bold ? style_.heading : font_, font_->FontSize, style, {}};
    }

    void add(const Run& run) {
        bool first = true;
        for (const char *at = run.text.data(), *const end = at + run.text.size(); at < end;) {
            unsigned c = 0;
            const int bytes = ImTextCharFromUtf8(&c, at, end);
            if (bytes <= 0 || c == 0) break;
            if (may_break_between(before_, c)) words_.emplace_back(), first = true;
            Word& word = words_.back();
            if (c == ' ') {
                word.blanks += font_->GetCharAdvance(' ');
            } else {
                if (first || word.pieces.empty()) word.pieces.push_back(piece(run.style));
                word.pieces.back().text.append(at, static_cast<size_t>(bytes));
                first = false;
            }
            before_ = c;
            at += bytes;
        }
    }

    const Style& style_;
    ImFont* font_;
    std::vector<Word> words_;
    unsigned before_ = 0;
};

void draw_word(const Style& style, ImVec2 at, float baseline, ImU32 ink, const Word& word) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (const Piece& piece : word.pieces) {
        const float ascent = piece.font->Ascent * piece.size / piece.font->FontSize, width = piece.width();
        const ImVec2 corner{at.x, std::floor(at.y + baseline - ascent)};
        if (piece.style == Run::Style::figure) // computed, by the engine
            list->AddRectFilled({at.x, at.y + baseline + style.unit / 2}, {at.x + width, at.y + baseline + style.unit},
                                style.colour.selection);
        list->AddText(piece.font, piece.size, corner, ink, piece.text.data(), piece.text.data() + piece.text.size());
        at.x += width;
    }
}

} // namespace

float draw_prose(const Style& style, ImFont* font, ImVec2 at, float width, ImU32 ink, const lesson::Prose& prose) {
    Words words(style, font);
    const float line = font->FontSize;
    float y = 0;
    for (const lesson::Paragraph& paragraph : prose) {
        if (y > 0) y += line / 2;
        float x = 0;
        for (const Word& word : words.of(paragraph)) {
            if (x > 0 && x + word.width > width) x = 0, y += line;
            if (ink) draw_word(style, {std::floor(at.x + x), at.y + y}, font->Ascent, ink, word);
            x += word.width + word.blanks;
        }
        y += line;
    }
    return y;
}

} // namespace ui
