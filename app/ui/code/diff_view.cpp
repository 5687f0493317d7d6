#include "ui/code/diff_view.h"
#include "ui/draw/kept.h"

#include "ui/code/code_view.h"
#include "ui/draw/grid.h"
#include "views/diff.h"
#include "views/lines.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

struct Side {
    std::vector<std::string_view> lines; // after the description
    std::vector<char> in_comment;        // at the start of each
    int first = 0;                       // how many lines the description has
};

Side side(std::string_view source) {
    Side side;
    std::vector<std::string_view> all = split_lines(source);
    side.first = front_matter_lines(all);
    side.lines.assign(all.begin() + side.first, all.end());
    bool in_comment = false;
    for (const std::string_view line : side.lines) {
        side.in_comment.push_back(in_comment);
        skip_line(line, in_comment);
    }
    return side;
}

struct Row {                                    // of the picture
    int diff = -1;                              // index into the rows of the diff
    int hidden = 0;                             // or so many equal lines in one row
    bool left_only = false, right_only = false; // unified: one side of a changed pair
};

std::vector<Row> picture_rows(const std::vector<DiffLine>& lines, bool beside, bool unfolded) {
    std::vector<Row> rows;
    for (const DiffFold& part : fold(lines, 3)) {
        if (part.hidden && !unfolded && part.last - part.first > 1) {
            rows.push_back({-1, part.last - part.first});
            continue;
        }
        if (beside || part.hidden) {
            for (int i = part.first; i < part.last; ++i) rows.push_back({i});
            continue;
        }
        for (int i = part.first; i < part.last;) { // a run of changes: first what went, then what came
            int end = i;
            while (end < part.last && !lines[static_cast<size_t>(end)].same) ++end;
            for (int j = i; j < end; ++j)
                if (lines[static_cast<size_t>(j)].left >= 0) rows.push_back({j, 0, true, false});
            for (int j = i; j < end; ++j)
                if (lines[static_cast<size_t>(j)].right >= 0) rows.push_back({j, 0, false, true});
            if (end == i) rows.push_back({end++});
            i = end;
        }
    }
    return rows;
}

class DiffView {
public:
    DiffView(Context& context, const std::string& left, const std::string& right)
        : context_(context), style_(context.style), left_(side(left)), right_(side(right)),
          lines_(diff(left_.lines, right_.lines)), joined_(left + right) {
        character_ = text_size(style_.mono, "0").x;
        row_height_ = std::round(style_.mono->FontSize * 1.25f);
    }

    void draw() {
        ImGui::BeginChild("diff");
        const float width = ImGui::GetContentRegionAvail().x;
        beside_ = width > 120 * character_; // half of it holds most lines
        Kept<bool> unfolded("unfolded");
        const std::vector<Row> rows = picture_rows(lines_, beside_, unfolded);
        begin_at_kernel(rows);
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(rows.size()), row_height_);
        while (clipper.Step())
            for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
                const ImVec2 at = ImGui::GetCursorScreenPos();
                row(rows[static_cast<size_t>(i)], {at.x, at.y, width, row_height_}, unfolded);
                ImGui::Dummy({width, row_height_});
            }
        ImGui::PopStyleVar();
        ImGui::EndChild();
    }

private:
    // Other texts than before are shown from the first change in the kernel itself on, not in a helper above it.
    void begin_at_kernel(const std::vector<Row>& rows) {
        const auto id = static_cast<int>(std::hash<std::string>{}(joined_));
        Kept<int> shown("shown");
        if (shown == id || rows.empty()) return;
        shown = id;
        const auto kernel = std::find_if(right_.lines.begin(), right_.lines.end(), [](std::string_view line) {
            return line.find("__global__") != std::string_view::npos;
        });
        const auto first = static_cast<int>(kernel - right_.lines.begin());
        for (size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].hidden) continue;
            const DiffLine& line = lines_[static_cast<size_t>(rows[i].diff)];
            if (line.same || line.right < first) continue;
            ImGui::SetScrollY(std::max(static_cast<float>(i) - 2, 0.0f) * row_height_);
            return;
        }
    }

    void row(const Row& row, const Rect& box, Kept<bool>& unfolded) {
        const float y = box.y + std::floor((row_height_ - style_.mono->FontSize) / 2);
        if (row.hidden) {
            const bool over = hovered(box);
            text_cut(context_, style_.text, {box.x + 7 * character_, y}, box.width - 7 * character_,
                     over ? style_.colour.text : style_.colour.dim, say(context_, "compare.equal_lines", row.hidden));
            context_.probe.mark("compare.fold", box.x, box.y, box.width, box.height);
            if (clicked(box)) unfolded = true;
            return;
        }
        const DiffLine& line = lines_[static_cast<size_t>(row.diff)];
        if (beside_) {
            const float half = std::floor(box.width / 2);
            cell(left_, line.left, line.same, '-', {box.x, box.y, half - style_.unit, box.height}, y);
            cell(right_, line.right, line.same, '+', {box.x + half, box.y, half, box.height}, y);
            ImGui::GetWindowDrawList()->AddLine({box.x + half - style_.unit, box.y},
                                                {box.x + half - style_.unit, box.bottom()}, style_.colour.line);
        } else if (row.left_only) {
            cell(left_, line.left, false, '-', box, y);
        } else {
            cell(right_, line.right, line.same, '+', box, y);
        }
    }

    void cell(const Side& from, int line, bool same, char sign, const Rect& box, float y) {
        ImDrawList* list = ImGui::GetWindowDrawList();
        if (line < 0) { // nothing stands here on this side
            list->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, with_alpha(style_.colour.line, 0.35f));
            return;
        }
        if (!same) {
            const ImU32 colour = sign == '+' ? style_.colour.selection : style_.colour.dim;
            list->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, with_alpha(colour, 0.13f));
            text(style_.mono, {box.x + 4.5f * character_, y}, style_.colour.text,
                 context_.tr(sign == '+' ? "compare.added" : "compare.removed"));
        }
        text_right(style_.mono, {box.x + 4 * character_, y}, style_.colour.dim, std::to_string(line + 1 + from.first));
        bool in_comment = from.in_comment[static_cast<size_t>(line)] != 0;
        list->PushClipRect({box.x, box.y}, {box.right(), box.bottom()}, true);
        draw_code_line(style_, Syntax::cuda, {box.x + 6 * character_, y}, from.lines[static_cast<size_t>(line)],
                       in_comment);
        list->PopClipRect();
    }

    Context& context_;
    const Style& style_;
    Side left_, right_;
    std::vector<DiffLine> lines_;
    std::string joined_; // tells one pair of texts from another
    float character_ = 0, row_height_ = 0;
    bool beside_ = false;
};

} // namespace

void draw_diff(Context& context, const std::string& left, const std::string& right) {
    DiffView(context, left, right).draw();
}

} // namespace ui
