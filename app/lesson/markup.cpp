#include "lesson/markup.h"

#include "base/html.h"
#include "base/number.h"
#include "base/text.h"
#include "views/csv.h"

namespace lesson {

std::string csv_cell(std::string_view of) {
    const std::string text = base::shown(of);
    const bool formula = !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != text.npos &&
                         !base::parse_number(text, {}); // "-3" is none, "-3+cmd" is one
    return views::csv_cell((formula ? "'" : "") + text);
}

std::string gift_text(std::string_view text) {
    std::string done;
    for (const char c : text) {
        if (std::string_view("~=#{}:\\").find(c) != std::string_view::npos) done += '\\';
        done += c == '\n' ? ' ' : c;
    }
    return done;
}

std::string html(const Prose& prose) {
    std::string text;
    for (const Paragraph& paragraph : prose) {
        text += "<p>";
        for (const Run& run : paragraph.runs) {
            const std::string words = base::xml_text(run.text);
            if (run.style == Run::Style::code) text += "<code>" + words + "</code>";
            else if (run.style == Run::Style::plain) text += words;
            else text += "<b>" + words + "</b>";
        }
        text += "</p>";
    }
    return text;
}

} // namespace lesson
