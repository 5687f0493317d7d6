#include "views/search_words.h"

#include <fmt/format.h>

namespace views {

const char* match_key(session::Match::Where where) {
    constexpr const char* keys[] = {"ladder.in_name",  "ladder.in_title", "ladder.in_idea",
                                    "ladder.in_story", "ladder.in_ptx",   "ladder.in_machine"};
    return keys[static_cast<size_t>(where)];
}

std::string matches_text(const Strings& tr, const std::vector<session::Match>& matches) {
    std::string words;
    for (const session::Match& match : matches)
        words += fmt::format("{}{}: {}", words.empty() ? "" : ", ", tr(match_key(match.where)), match.word);
    return words;
}

} // namespace views
