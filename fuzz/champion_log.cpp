// The champion's log: one that can be read has a figure in each step, finds each of its steps, and can be said.
// Coverage: app/views/champion_log.cpp app/views/log_words.cpp
#include "entry.h"

#include "views/log_words.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto log = views::parse_log(std::string(text_of(data, size)), "log");
    if (!log) return 0;
    const views::Strings strings;
    for (const views::LogEntry& entry : views::entries(*log)) {
        if (entry.step->measured.empty()) std::abort();
        const auto found = views::find_step(*log, entry.step->id);
        if (!found || found->step != entry.step) std::abort();
        for (const views::LogFigure& figure : entry.step->measured) (void)views::figure_text(strings, figure);
        (void)views::measured_on(strings, entry);
    }
    return 0;
}
