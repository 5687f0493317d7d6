#include "lesson/markdown.h"

#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace lesson {
namespace {

bool is_wide(std::string_view byte) { return !byte.empty() && (static_cast<unsigned char>(byte[0]) & 0x80) != 0; }

// The text with each figure's expression overwritten by letters, so that its * and _ are no emphasis. What md4c hands out lies in it, so that
// the expression is found again at the same place of the original.
class Masked {
public:
    Masked(const std::string& text, uint32_t first_line) : original_(text), masked_(text), first_line_(first_line) {
        for (size_t i = 0; i < text.size(); ++i)
            if (text[i] == '\n') line_ends_.push_back(i);
        for (size_t at = text.find("{{"); at != text.npos; at = text.find("{{", at)) {
            const size_t end = text.find("}}", at), line_end = text.find('\n', at);
            if (end == text.npos || line_end < end) {
                open_ = line_at(at);
                return;
            }
            std::fill(masked_.begin() + static_cast<ptrdiff_t>(at) + 2, masked_.begin() + static_cast<ptrdiff_t>(end),
                      'x');
            at = end + 2;
        }
    }
    const std::string& text() const { return masked_; }
    std::optional<uint32_t> open() const { return open_; } // line of the first {{ without }}

    // nothing: it is md4c's own, not of the text
    std::optional<size_t> offset(const char* part) const {
        const char *begin = masked_.data(), *end = begin + masked_.size();
        if (std::less<>{}(part, begin) || !std::less<>{}(part, end)) return {};
        return static_cast<size_t>(part - begin);
    }
    std::string original(std::string_view part) const {
        const auto at = offset(part.data());
        return at ? original_.substr(*at, part.size()) : std::string(part);
    }
    uint32_t line_at(size_t at) const {
        const auto end = std::lower_bound(line_ends_.begin(), line_ends_.end(), at);
        return first_line_ + static_cast<uint32_t>(end - line_ends_.begin());
    }

private:
    const std::string& original_;
    std::string masked_;
    uint32_t first_line_;
    std::vector<size_t> line_ends_;
    std::optional<uint32_t> open_;
};

class MarkdownReader {
public:
    MarkdownReader(const std::string& text, const std::string& path, uint32_t first_line)
        : masked_(text, first_line), path_(path), line_(first_line) {}

    base::Result<std::vector<Block>> read() {
        if (masked_.open())
            return error(*masked_.open(), base::say("{{{{ without }}}} on the same line"),
                         base::say("close the figure with }}}}"));
        MD_PARSER parser{};
        parser.flags = MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS;
        parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
            return static_cast<MarkdownReader*>(self)->enter(type, detail);
        };
        parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
            return static_cast<MarkdownReader*>(self)->leave(type);
        };
        parser.enter_span = [](MD_SPANTYPE type, void*, void* self) {
            return static_cast<MarkdownReader*>(self)->span(type, 1);
        };
        parser.leave_span = [](MD_SPANTYPE type, void*, void* self) {
            return static_cast<MarkdownReader*>(self)->span(type, -1);
        };
        parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
            return static_cast<MarkdownReader*>(self)->add(type, {text, size});
        };
        const std::string& text = masked_.text();
        const int stopped = md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, this);
        if (error_) return *error_;
        if (stopped)
            return error(line_, base::say("this is not readable as Markdown"),
                         base::say("compare it with docs/lessons.md"));
        return std::move(blocks_);
    }

private:
    base::Error error(uint32_t line, base::Sentence what, base::Sentence todo) const {
        return {base::Failure::usage, std::move(what), fmt::format("{}:{}", path_, line), std::move(todo)};
    }
    int refuse(base::Sentence what, base::Sentence todo) {
        if (!error_) error_ = error(line_, std::move(what), std::move(todo));
        return 1;
    }
    void open(Block::Kind kind, int level = 0) {
        blocks_.push_back({kind, level, {}, {}, 0, {}});
        open_ = true;
    }

    int enter(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
        case MD_BLOCK_UL:
        case MD_BLOCK_OL:
            if (++lists_ > 1) return refuse(base::say("a list within a list"), base::say("write one list"));
            return 0;
        case MD_BLOCK_LI: open(Block::Kind::item); return 0;
        case MD_BLOCK_P:
            if (lists_ == 0) open(Block::Kind::paragraph);
            else if (!blocks_.back().text.runs.empty())
                return refuse(base::say("an item of two paragraphs"), base::say("write one paragraph to an item"));
            return 0;
        case MD_BLOCK_H:
            open(Block::Kind::heading, static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level));
            return lists_
                       ? refuse(base::say("a heading within a list"), base::say("leave an empty line after the list"))
                       : 0;
        case MD_BLOCK_CODE: return enter_code(*static_cast<MD_BLOCK_CODE_DETAIL*>(detail));
        case MD_BLOCK_QUOTE:
            return refuse(base::say("a quotation, which a lesson does not show"), base::say("write a paragraph"));
        case MD_BLOCK_HR:
            return refuse(base::say("a line across the page, which a lesson does not show"), base::say("leave it out"));
        default: return 0;
        }
    }

    int enter_code(const MD_BLOCK_CODE_DETAIL& detail) {
        if (lists_)
            return refuse(base::say("a fenced block within a list"), base::say("leave an empty line after the list"));
        open(Block::Kind::code);
        blocks_.back().info = std::string(detail.info.text, detail.info.size);
        if (const auto at = detail.info.size ? masked_.offset(detail.info.text) : std::nullopt)
            blocks_.back().line = line_ = masked_.line_at(*at) + 1;
        return 0;
    }

    int leave(MD_BLOCKTYPE type) {
        if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) --lists_;
        if (type == MD_BLOCK_P || type == MD_BLOCK_H || type == MD_BLOCK_CODE || type == MD_BLOCK_LI) open_ = false;
        if (!blocks_.empty() && blocks_.back().line == 0) blocks_.back().line = line_;
        return 0;
    }

    int span(MD_SPANTYPE type, int by) {
        if (type == MD_SPAN_IMG)
            return refuse(base::say("a picture, which a lesson does not show"), base::say("name a view in the step"));
        if (type == MD_SPAN_STRONG || type == MD_SPAN_EM) strong_ += by;
        if (type == MD_SPAN_CODE) code_ += by;
        return 0;
    }

    int add(MD_TEXTTYPE type, std::string_view text) {
        if (blocks_.empty()) return 0;
        Block& block = blocks_.back();
        if (const auto at = masked_.offset(text.data())) {
            line_ = masked_.line_at(*at);
            if (block.line == 0) block.line = line_;
        }
        if (type == MD_TEXT_SOFTBR || type == MD_TEXT_BR) {
            broken_ = true;
            return 0;
        }
        if (type == MD_TEXT_NULLCHAR) return refuse(base::say("a zero byte"), base::say("save the file as UTF-8 text"));
        const std::string original = masked_.original(text);
        if (block.kind == Block::Kind::code) block.code += original;
        else add_runs(block.text, original);
        return 0;
    }

    // A line's end is a blank, but none between two Chinese characters.
    void add_runs(Paragraph& paragraph, std::string_view text) {
        if (std::exchange(broken_, false) && !paragraph.runs.empty()) {
            const std::string& last = paragraph.runs.back().text;
            const bool figure = paragraph.runs.back().style == Run::Style::figure;
            const bool wide = !figure && !last.empty() && is_wide(last.substr(last.size() - 1)) && is_wide(text);
            const bool within = paragraph.runs.back().style == style(); // else the blank is no part of the code
            if (!wide) add_run(paragraph, within ? style() : Run::Style::plain, " ");
        }
        while (!text.empty()) {
            const size_t figure = text.find("{{"), end = text.find("}}", figure);
            if (figure == text.npos || end == text.npos) return add_run(paragraph, style(), text);
            if (figure > 0) add_run(paragraph, style(), text.substr(0, figure));
            paragraph.runs.push_back(
                {Run::Style::figure, std::string(text.substr(figure + 2, end - figure - 2)), line_});
            text.remove_prefix(end + 2);
        }
    }
    void add_run(Paragraph& paragraph, Run::Style style, std::string_view text) {
        auto& runs = paragraph.runs;
        if (!runs.empty() && runs.back().style == style) runs.back().text += text;
        else runs.push_back({style, std::string(text), line_});
    }
    Run::Style style() const {
        return code_ > 0 ? Run::Style::code : strong_ > 0 ? Run::Style::strong : Run::Style::plain;
    }

    Masked masked_;
    const std::string& path_;
    uint32_t line_;
    std::vector<Block> blocks_;
    std::optional<base::Error> error_;
    int lists_ = 0, strong_ = 0, code_ = 0;
    bool open_ = false, broken_ = false;
};

} // namespace

base::Result<std::vector<Block>> read_markdown(const std::string& text, const std::string& path, uint32_t first_line) {
    return MarkdownReader(text, path, first_line).read();
}

} // namespace lesson
