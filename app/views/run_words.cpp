#include "views/run_words.h"

#include "base/text.h"
#include "session/sample.h"
#include "views/say.h"

namespace views {

const char* program_text(const Strings& tr, trace::Engine engine) { return tr(std::string("engine.") + name(engine)); }

trace::Engine engine_of(const session::Products& products) {
    const auto& prepared = products.prepared.value;
    return prepared && prepared->listing ? prepared->listing->engine : trace::Engine::ptx;
}

std::string schedule_text(const Strings& tr, trace::Schedule schedule) {
    using Kind = trace::Schedule::Kind;
    if (schedule.kind == Kind::warp_first) return say(tr, "schedule.warp_first", schedule.number);
    if (schedule.kind == Kind::shuffled) return say(tr, "schedule.shuffled_seed", schedule.number);
    return tr("schedule.in_order");
}

std::string sample_text(const Strings& tr, const session::FullRun& run) {
    if (!run.sample) return {};
    return say(tr, "numbers.sample", base::thousands(run.sample->executed()), base::thousands(run.sample->blocks()));
}

std::string unwatched_text(const Strings& tr, const session::FullRun& run) {
    if (!run.unwatched) return {};
    return tr(run.sample ? "findings.not_of_a_sample" : "findings.unwatched");
}

} // namespace views
