// timeline: where and when each block of a kernel ran on the GPU, through the worker process.
#include "base/file.h"
#include "catalog/tuned.h"
#include "cli/measuring.h"
#include "cli/sizes.h"
#include "cli/source.h"
#include "cli/words.h"
#include "session/block_timelines.h"
#include "views/block_words.h"

#include <fmt/format.h>

namespace cli {
namespace {

struct TimelineOptions {
    std::string kernel, output, worker, device = "0";
    SourceOptions subject;
    bool json = false;
};

// All parameters, now that the GPU is known.
base::Status choose_parameters(session::Subject& subject, const TimelineOptions& options, const catalog::Kernel& kernel,
                               const measure::Device& device) {
    if (auto tuned = take_tuned(subject, options.subject, kernel, device.name, device.arch); !tuned) return tuned;
    auto values = catalog::values_for(kernel, subject.parameters, device.name, device.arch, subject.problem);
    if (!values) return values.error();
    subject.parameters = std::move(*values);
    return base::Done{};
}

std::string report(const measure::BlockTimeline& t, const views::Strings& tr) {
    const measure::Waves w = measure::waves(t);
    return fmt::format("{}, {}: {} blocks on {} SMs, {} at a time on each\n{}\n{}\n{}\n", t.kernel,
                       size_text({t.m, t.n, t.k}), t.blocks.size(), t.multiprocessors, w.resident,
                       views::blocks_origin(tr, t), views::blocks_sentence(tr, t, w), views::blocks_launch(tr, t));
}

base::Status timeline(const TimelineOptions& options, const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    auto subject = to_subject(options.subject, options.kernel);
    if (!subject) return subject.error();
    if (auto job = session::resolve(*catalog, *subject); !job) return job.error();
    const auto kernel = catalog->find(options.kernel);
    auto measuring = Measuring::start(options.worker, options.device);
    if (!measuring) return measuring.error();
    const measure::Device& device = (*measuring)->device();
    if (auto chosen = choose_parameters(*subject, options, *kernel, device); !chosen) return chosen;
    auto request = session::timeline_request(*kernel, *subject, device.arch);
    if (!request) return request.error();
    auto recorded = (*measuring)->timeline(std::move(*request));
    if (!recorded) return recorded.error();
    const std::string line = measure::to_json(*recorded) + "\n";
    if (!options.output.empty())
        if (auto written = base::write_file(options.output, line); !written) return written;
    const auto tr = english();
    if (!tr) return tr.error();
    print(options.json ? line : report(*recorded, *tr));
    return base::Done{};
}

} // namespace

Action define_timeline(Options& app, const Common& common) {
    auto options = std::make_shared<TimelineOptions>();
    app.add_option("KERNEL", options->kernel, "a kernel of the catalogue").required();
    add_subject_options(app, options->subject);
    add_tuned_option(app, options->subject);
    app.add_option("-o,--output", options->output,
                   "write the recording to a file; in assets/recorded/timelines it stands in where there is "
                   "no GPU")
        .type_name("FILE.json");
    app.add_option("--device", options->device, "which GPU (0)").type_name("N");
    app.add_option("--worker", options->worker, worker_help).type_name("NAME|CMD");
    app.add_flag("--json", options->json, "print the recording as one JSON object");
    return [options, &common] { return timeline(*options, common); };
}

} // namespace cli
