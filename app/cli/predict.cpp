// predict: how long a kernel takes, without a GPU, and why.
#include "cli/json.h"
#include "cli/source.h"
#include "session/prediction.h"

#include <fmt/format.h>

namespace cli {
namespace {

struct PredictOptions {
    SourceOptions source;
};

base::Status predict(const PredictOptions& options, const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    auto subject = to_subject(options.source, options.source.source);
    if (!subject) return subject.error();
    if (auto job = session::resolve(*catalog, *subject); !job) return job.error();
    const auto made = session::predict(*catalog->find(subject->kernel), *subject);
    if (made.failed) return error_of(*made.failed);
    const session::Prediction& p = *made.value;
    print(fmt::format("{:.5f} ms, {:.0f} GFLOPS, {} resident, wave {:.0f} tail {:.0f}\n", p.ms, p.gflops, p.resident,
                      p.wave_cycles, p.tail_cycles));
    timing::Lost all;
    for (const auto& l : p.lost)
        for (size_t n = 0; n < l.cycles.size(); ++n) all.cycles[n] += l.cycles[n];
    for (size_t n = 0; n < all.cycles.size(); ++n)
        print(
            fmt::format("{:24}{:.3f}\n", timing::name(timing::Wait(n)), double(all.cycles[n]) / double(all.cycles[0])));
    return base::Done{};
}

} // namespace

Action define_predict(Options& app, const Common& common) {
    auto options = std::make_shared<PredictOptions>();
    app.add_option("KERNEL", options->source.source, "a kernel of the catalogue").required();
    add_subject_options(app, options->source);
    return [options, &common] { return predict(*options, common); };
}

} // namespace cli
