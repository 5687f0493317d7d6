// An exercise, a sheet, a hand-in and answers in any bytes; nothing is executed.
// Coverage: app/exercise/asked.cpp app/exercise/hand_in.cpp app/exercise/sheet.cpp app/exercise/exercise.cpp
#include "entry.h"

#include "exercise/asked.h"
#include "exercise/hand_in.h"

#include <cstdlib>
#include <string>

namespace {

// What was handed in is read as it was written, where it is not refused.
void hand_in(const std::string& line, const std::string& text) {
    exercise::HandIn work;
    work.student = line;
    work.answers[line] = text;
    work.sources[line] = text;
    work.predictions = {line, text};
    const std::string written = exercise::to_text(work);
    if (const auto read = exercise::parse_hand_in(written, "work.gemm"); read && exercise::to_text(*read) != written)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(text_of(data, size)), line = text.substr(0, text.find('\n'));
    (void)exercise::parse(text, "nowhere/exercise");
    (void)exercise::parse_hand_in(text, "work.gemm");
    (void)exercise::parse_lines(line);
    hand_in(line, text);
    if (const auto size_of = exercise::parse_size(line)) (void)size_of->draw(exercise::Draw(text), line);
    const auto sheet = exercise::parse_sheet(text, "nowhere/sheet.toml", {});
    if (!sheet) return 0;
    lesson::Executions executions({}, nullptr, 1);
    for (const exercise::Item& item : sheet->items) (void)exercise::ask(*sheet, item, line, executions);
    return 0;
}
