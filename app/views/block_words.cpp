#include "views/block_words.h"

#include "views/say.h"

namespace views {

std::string blocks_origin(const Strings& tr, const measure::BlockTimeline& t) {
    return say(tr, t.file.empty() ? "blocks.measured" : "blocks.recorded", t.device, t.driver, t.cuda, t.date);
}

std::string blocks_sentence(const Strings& tr, const measure::BlockTimeline& t, const measure::Waves& w) {
    const auto places = static_cast<size_t>(w.resident) * static_cast<size_t>(t.multiprocessors);
    return say(tr, "blocks.sentence", w.count, t.blocks.size(), places, t.multiprocessors, 100 * w.last_fill,
               100 * w.idle_at_end);
}

std::string blocks_launch(const Strings& tr, const measure::BlockTimeline& t) {
    return say(tr, "blocks.launch", t.plain_ms, t.recorded_ms);
}

} // namespace views
