// The blocks of a Markdown text, with the lines they stand on. Read with md4c, as CommonMark.
#pragma once

#include "base/result.h"
#include "lesson/prose.h"

#include <string>
#include <vector>

namespace lesson {

struct Block {
    enum class Kind { heading, paragraph, item, code };
    Kind kind = Kind::paragraph;
    int level = 0;          // of a heading, 1 to 6
    std::string info, code; // of a fenced block: what stands behind its fence, and what is in it
    uint32_t line = 0;      // of the file; of a fenced block that of its first line
    Paragraph text;         // figures are runs of their own
};

// `first_line`: of the file, that `text` begins on. Errors: what a lesson has no use for (quotations, lists in lists, pictures), a
// figure's braces that do not close. Bounded by the length of the text, which the caller has checked.
base::Result<std::vector<Block>> read_markdown(const std::string& text, const std::string& path, uint32_t first_line);

} // namespace lesson
