// Sentences that another process sends: one that can be read is bounded, can be said, and is written as itself.
// Coverage: app/base/sentence_json.cpp
#include "entry.h"

#include "base/sentence_json.h"

#include <algorithm>
#include <cstdlib>

namespace {

int depth_of(const base::Sentence& sentence, int& parts) {
    int deepest = 0;
    ++parts;
    for (const base::Sentence& part : sentence.parts()) deepest = std::max(deepest, depth_of(part, parts));
    return deepest + 1;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto read = base::sentence_from_text(text_of(data, size));
    if (!read) return 0;
    int parts = 0;
    if (depth_of(*read, parts) > base::deepest_sentence || parts > base::most_parts) std::abort();
    (void)read->english();
    const auto again = base::sentence_from_text(base::json_text(*read));
    if (!again || again->english() != read->english()) std::abort();
    return 0;
}
